// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Synchronization
import TypedDefaults

/// What somebody was told, by whichever thread.
package final class ValueRecorder<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  package init() {}

  package func add(_ value: Value) {
    values.withLock { $0.append(value) }
    signal.yield()
  }

  package var all: [Value] { values.withLock { $0 } }
  package var count: Int { all.count }

  /// Waits until something is so of what was told, for others may tell when they come to it.
  /// - Returns: false if it is still not so after an hour; a machine may be busy with other tests for many minutes.
  package func come(to condition: @escaping @Sendable ([Value]) -> Bool) async -> Bool {
    if condition(all) { return true }
    return await withTaskGroup { group in
      group.addTask {
        for await _ in self.signals where condition(self.all) { return true }
        return false
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(3600))
        return condition(self.all)
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}

extension [DefaultsChanges] {
  /// The last value of a key; nil if there is none or nothing was told of it.
  func last(_ key: String) -> PropertyListValue? { last { $0[key] != nil }?[key]?.new }
}
