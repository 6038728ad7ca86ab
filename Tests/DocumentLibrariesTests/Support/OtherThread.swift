// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles

/// An operation on a thread of the system. It can wait for a lock, which would keep a thread that tasks share.
struct OtherThread {
  private let isDone = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    let isDone = isDone
    let isStarted = SystemThread.start(stackByteCount: 1 << 20) {
      body()
      isDone.signal()
    }
    if !isStarted { isDone.signal() }
  }

  func wait() { isDone.wait() }

  /// Performs an operation on another thread, and waits until it ends.
  static func run(_ body: @escaping @Sendable () -> Void) { OtherThread(body).wait() }
}
