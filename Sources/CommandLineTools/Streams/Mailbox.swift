// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Dispatch
import SystemFiles

/// Passes values from tasks to a command, which waits for them.
package final class Mailbox<Value: Sendable>: Sendable {
  private let values = Locked<[Value]>([])
  private let count = DispatchSemaphore(value: 0)

  package init() {}

  package func put(_ value: Value) {
    values.withLock { $0.append(value) }
    count.signal()
  }

  /// Waits for the next value.
  /// - Parameter time: The maximum time to wait; nil to wait without a limit.
  /// - Returns: The value; nil if none arrived in that time.
  package func take(within time: Duration? = nil) -> Value? {
    if let time {
      let nanoseconds = Int(clamping: Int64((time / .nanoseconds(1)).rounded(.up)))
      guard count.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
    } else {
      count.wait()
    }
    return values.withLock { $0.removeFirst() }
  }
}
