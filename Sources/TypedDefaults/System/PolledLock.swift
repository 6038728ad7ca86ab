// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

/// A lock for writers that detects a second lock by the same thread, without a threads library.
///
/// Stores use it on systems such as Windows, Android and Wasm. It is compiled on all systems, because tests run on others.
final class PolledLock: Sendable {
  /// The thread that has the lock.
  private let owner = Locked<UInt?>(nil)

  /// Waits for the lock, and returns `false` if this thread has it already.
  func enter() -> Bool {
    let thread = SystemThread.current
    while !enterIfIdle() {
      // Only this thread can make itself the owner, so the answer cannot change meanwhile.
      if owner.withLock({ $0 == thread }) { return false }
      SystemThread.pause(microseconds: 100)
    }
    return true
  }

  /// Takes the lock without waiting, and returns `false` if a thread has it.
  func enterIfIdle() -> Bool {
    owner.withLock { owner in
      guard owner == nil else { return false }
      owner = SystemThread.current
      return true
    }
  }

  func leave() { owner.withLock { $0 = nil } }
}
