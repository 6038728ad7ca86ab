// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import SystemFiles
import TypedDefaults

extension StoreConformance {
  static let observing: [Check] = [
    Check("observers receive the changes of their key only, whatever the key is") { store in
      for key in oddKeys {
        let recorder = ValueRecorder<DefaultsChanges>()
        let token = store.observe([key]) { recorder.add($0) }
        try store.setRawValue(1, for: key)
        try store.setRawValue(1, for: key + "?")
        try store.setRawValue(2, for: key)
        try store.setRawValue(nil, for: key)
        try expect(
          await recorder.wait(within: patience, until: { $0.count > 0 && $0.last?.changes.last?.new == nil }),
          "a change of '\(key)' was not reported")
        try expect(recorder.all.allSatisfy { $0.keys == [key] }, "found a report of another key than '\(key)'")
        token.cancel()
        try store.setRawValue(nil, for: key + "?")
      }
    },
    Check("a change has the old value, the new value and the origin") { store in
      try store.setRawValue(1, for: "a")
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"]) { recorder.add($0) }
      try store.setRawValue(2, for: "a", origin: "me")
      try await waitForReports(of: store)
      try expect(recorder.count == 1, "found \(recorder.count) reports; expected 1")
      let change = recorder.all[0]["a"]
      try expect(change?.old == 1 && change?.new == 2 && change?.origin == "me", "found the change \(change as Any)")
      withExtendedLifetime(token) {}
    },
    Check("storing an equal value is not reported") { store in
      try store.setRawValue(.double(.nan), for: "a")
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(nil) { recorder.add($0) }
      try store.setRawValue(.double(.nan), for: "a")
      try store.setRawValue(nil, for: "b")
      try store.setRawValue(1, for: "end")
      try expect(await recorder.wait(within: patience, until: { $0.last("end") == 1 }), "a change was not reported")
      try expect(recorder.all.allSatisfy { $0.keys == ["end"] }, "found the reports \(recorder.all)")
      withExtendedLifetime(token) {}
    },
    Check("a transaction is reported once") { store in
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a", "b", "c"]) { recorder.add($0) }
      try store.update {
        $0.setRawValue(1, for: "a")
        $0.setRawValue(2, for: "b")
      }
      try await waitForReports(of: store)
      try expect(recorder.count == 1 && recorder.all[0].keys == ["a", "b"], "found the reports \(recorder.all)")
      withExtendedLifetime(token) {}
    },
    Check("an observer receives the initial value first if requested") { store in
      try store.setRawValue(1, for: "a")
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"], initial: true, ignoring: nil) { recorder.add($0) }
      try store.setRawValue(2, for: "a")
      try expect(await recorder.wait(within: patience, until: { $0.last("a") == 2 }), "a change was not reported")
      let first = recorder.all[0]["a"]
      try expect(first?.isInitial == true, "found the reports \(recorder.all)")
      withExtendedLifetime(token) {}
    },
    Check("changes of an ignored origin are not reported") { store in
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"], initial: false, ignoring: "me") { recorder.add($0) }
      try store.setRawValue(1, for: "a", origin: "me")
      try store.setRawValue(2, for: "a", origin: "you")
      try await waitForReports(of: store)
      try expect(recorder.count == 1 && recorder.all[0]["a"]?.origin == "you", "found the reports \(recorder.all)")
      withExtendedLifetime(token) {}
    },
    Check("an observation ends when it is canceled or released") { store in
      let recorder = ValueRecorder<DefaultsChanges>()
      let canceled = store.observe(["a"]) { recorder.add($0) }
      canceled.cancel()
      _ = store.observe(["a"]) { recorder.add($0) }
      try store.setRawValue(1, for: "a")
      try await waitForReports(of: store)
      try expect(recorder.count == 0, "found the reports \(recorder.all)")
    },
    Check("an observer can write, and receives its change after it returns") { store in
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"]) { [weak store] changes in
        recorder.add(changes)
        guard case .integer(let number)? = changes["a"]?.new, number < 5 else { return }
        try? store?.setRawValue(.integer(number + 1), for: "a")
      }
      try store.setRawValue(1, for: "a")
      try expect(
        await recorder.wait(within: patience, until: { $0.last("a") == 5 }), "found the reports \(recorder.all)")
      try expect(store.rawValue(for: "a") == 5, "found the value \(store.rawValue(for: "a") as Any)")
      withExtendedLifetime(token) {}
    },
    Check("two observers that trigger each other do not deadlock") { store in
      let tokens = [("a", "b"), ("b", "a")].map { from, to in
        store.observe([from]) { [weak store] changes in
          guard case .integer(let number)? = changes[from]?.new, number < 50 else { return }
          try? store?.setRawValue(.integer(number + 1), for: to)
        }
      }
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a", "b"]) { recorder.add($0) }
      try store.setRawValue(1, for: "a")
      try expect(
        await recorder.wait(within: patience, until: { $0.last("a") == 49 && $0.last("b") == 50 }),
        "the observers did not finish")
      withExtendedLifetime((tokens, token)) {}
    },
    Check("an observation can be canceled by its own handler") { store in
      let recorder = ValueRecorder<DefaultsChanges>()
      let holder = Holder()
      holder.token = store.observe(["a"]) { changes in
        recorder.add(changes)
        holder.token?.cancel()
      }
      try store.setRawValue(1, for: "a")
      try store.setRawValue(2, for: "a")
      try await waitForReports(of: store)
      try expect(recorder.count == 1, "found the reports \(recorder.all)")
    },
    Check("a sequence of changes keeps changes before the task waits") { store in
      let changes = store.changes(of: ["a"], initial: true, ignoring: nil)
      for number in 1...10 { try store.setRawValue(.integer(Int64(number)), for: "a") }
      var last: PropertyListValue?
      for await change in changes {
        last = change["a"]?.new
        if last == 10 { break }
      }
      try expect(last == 10, "found the last value \(last as Any); expected 10")
    },
    Check("a sequence of changes ends when the task is canceled") { store in
      let task = Task {
        for await _ in store.changes(of: nil, initial: false, ignoring: nil) {}
        return true
      }
      task.cancel()
      try expect(await task.value, "the sequence did not end")
    },
  ]

  /// Waits until a store has reported the changes before this call. A store can report them later, in their order.
  private static func waitForReports(of store: any DefaultsStore) async throws {
    let recorder = ValueRecorder<DefaultsChanges>()
    let token = store.observe(["end"]) { recorder.add($0) }
    try store.setRawValue(1, for: "end")
    try expect(await recorder.wait(within: patience, until: { $0.last("end") == 1 }), "a change was not reported")
    withExtendedLifetime(token) {}
  }

  private final class Holder: Sendable {
    private let held = Locked<DefaultsObservation?>(nil)

    var token: DefaultsObservation? {
      get { held.withLock { $0 } }
      set { held.withLock { $0 = newValue } }
    }
  }
}
