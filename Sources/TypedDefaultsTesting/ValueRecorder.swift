// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import SystemFiles
import TypedDefaults

/// A thread-safe recorder of reported values.
package final class ValueRecorder<Value: Sendable>: Sendable {
  private let values = Locked<[Value]>([])
  private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  package init() {}

  package func add(_ value: Value) {
    values.withLock { $0.append(value) }
    signal.yield()
  }

  package var all: [Value] { values.withLock { $0 } }
  package var count: Int { all.count }

  /// Waits until a condition on the recorded values is true.
  /// - Parameters:
  ///   - time: The time limit. A machine can be busy with other tests of this package for many minutes.
  ///   - condition: The condition.
  /// - Returns: `false` if it is still not true after the time.
  package func wait(
    within time: Duration = .seconds(3600), until condition: @escaping @Sendable ([Value]) -> Bool
  ) async -> Bool {
    if condition(all) { return true }
    return await withTaskGroup { group in
      group.addTask {
        for await _ in self.signals where condition(self.all) { return true }
        return false
      }
      group.addTask {
        try? await Task.sleep(for: time)
        return condition(self.all)
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}

extension [DefaultsChanges] {
  /// Returns the last reported value for a key, or nil if it was removed or not reported.
  func last(_ key: String) -> PropertyListValue? { last { $0[key] != nil }?[key]?.new }
}
