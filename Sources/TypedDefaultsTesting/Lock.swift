// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Synchronization

/// A lock by itself.
final class Lock: Sendable {
  private let mutex = Mutex(())

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try mutex.withLock { _ in try body() } }
}
