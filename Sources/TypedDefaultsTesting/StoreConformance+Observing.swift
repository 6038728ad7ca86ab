// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Synchronization
import TypedDefaults

extension StoreConformance {
  static let observing: [Check] = [
    Check("Observers of a key are told of it, whatever its spelling, and of no other") { store in
      for key in oddKeys {
        let notes = ValueRecorder<DefaultsChanges>()
        let token = store.observe([key]) { notes.add($0) }
        try store.setRawValue(1, for: key)
        try store.setRawValue(1, for: key + "?")
        try store.setRawValue(2, for: key)
        try store.setRawValue(nil, for: key)
        try expect(await notes.come(to: { $0.count > 0 && $0.last?.changes.last?.new == nil }), "'\(key)'")
        try expect(notes.all.allSatisfy { $0.keys == [key] }, "told of other keys than '\(key)'")
        token.cancel()
        try store.setRawValue(nil, for: key + "?")
      }
    },
    Check("Changes have old and new value and origin") { store in
      try store.setRawValue(1, for: "a")
      let notes = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"]) { notes.add($0) }
      try store.setRawValue(2, for: "a", origin: "me")
      try expect(await notes.come(to: { $0.count > 0 }) && notes.count == 1, "told \(notes.count) times")
      let change = notes.all[0]["a"]
      try expect(change?.old == 1 && change?.new == 2 && change?.origin == "me", "told \(change as Any)")
      withExtendedLifetime(token) {}
    },
    Check("What is no change is not told") { store in
      try store.setRawValue(.double(.nan), for: "a")
      let notes = ValueRecorder<DefaultsChanges>()
      let token = store.observe(nil) { notes.add($0) }
      try store.setRawValue(.double(.nan), for: "a")
      try store.setRawValue(nil, for: "b")
      try store.setRawValue(1, for: "end")
      try expect(await notes.come(to: { $0.last("end") == 1 }), "not told of a change")
      try expect(notes.all.allSatisfy { $0.keys == ["end"] }, "told \(notes.all)")
      withExtendedLifetime(token) {}
    },
    Check("A transaction is told once") { store in
      let notes = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a", "b", "c"]) { notes.add($0) }
      try store.update {
        $0.setRawValue(1, for: "a")
        $0.setRawValue(2, for: "b")
      }
      try expect(await notes.come(to: { $0.count > 0 }), "not told")
      try expect(notes.count == 1 && notes.all[0].keys == ["a", "b"], "told \(notes.all)")
      withExtendedLifetime(token) {}
    },
    Check("The value that is there is told first if that is asked for") { store in
      try store.setRawValue(1, for: "a")
      let notes = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"], initial: true, ignoring: nil) { notes.add($0) }
      try store.setRawValue(2, for: "a")
      try expect(await notes.come(to: { $0.last("a") == 2 }), "not told of a change")
      let first = notes.all[0]["a"]
      try expect(first?.isInitial == true, "told \(notes.all)")
      withExtendedLifetime(token) {}
    },
    Check("Changes of an origin that is ignored are not told, others are") { store in
      let notes = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"], initial: false, ignoring: "me") { notes.add($0) }
      try store.setRawValue(1, for: "a", origin: "me")
      try store.setRawValue(2, for: "a", origin: "you")
      try expect(await notes.come(to: { $0.last("a") == 2 }), "not told of a change")
      try expect(notes.count == 1 && notes.all[0]["a"]?.origin == "you", "told \(notes.all)")
      withExtendedLifetime(token) {}
    },
    Check("Observing ends when it is cancelled, and when nobody keeps it") { store in
      let notes = ValueRecorder<DefaultsChanges>()
      let cancelled = store.observe(["a"]) { notes.add($0) }
      cancelled.cancel()
      _ = store.observe(["a"]) { notes.add($0) }
      let end = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"]) { end.add($0) }
      try store.setRawValue(1, for: "a")
      try expect(await end.come(to: { $0.count > 0 }), "not told of a change")
      try expect(notes.count == 0, "told \(notes.all)")
      withExtendedLifetime(token) {}
    },
    Check("An observer may write, and is told of that afterwards") { store in
      let notes = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a"]) { [weak store] changes in
        notes.add(changes)
        guard case .integer(let number)? = changes["a"]?.new, number < 5 else { return }
        try? store?.setRawValue(.integer(number + 1), for: "a")
      }
      try store.setRawValue(1, for: "a")
      try expect(await notes.come(to: { $0.last("a") == 5 }), "told \(notes.all)")
      try expect(store.rawValue(for: "a") == 5, "the value is \(store.rawValue(for: "a") as Any)")
      withExtendedLifetime(token) {}
    },
    Check("Two observers that answer each other come to an end") { store in
      let tokens = [("a", "b"), ("b", "a")].map { from, to in
        store.observe([from]) { [weak store] changes in
          guard case .integer(let number)? = changes[from]?.new, number < 50 else { return }
          try? store?.setRawValue(.integer(number + 1), for: to)
        }
      }
      let notes = ValueRecorder<DefaultsChanges>()
      let token = store.observe(["a", "b"]) { notes.add($0) }
      try store.setRawValue(1, for: "a")
      try expect(await notes.come(to: { $0.last("a") == 49 && $0.last("b") == 50 }), "no end")
      withExtendedLifetime((tokens, token)) {}
    },
    Check("An observation may be cancelled by its own function") { store in
      let notes = ValueRecorder<DefaultsChanges>()
      let holder = Holder()
      holder.token = store.observe(["a"]) { changes in
        notes.add(changes)
        holder.token?.cancel()
      }
      try store.setRawValue(1, for: "a")
      try store.setRawValue(2, for: "a")
      try expect(await notes.come(to: { $0.count > 0 }), "not told")
      try expect(notes.count == 1, "told \(notes.all)")
    },
    Check("Changes can be waited for, and none is lost before") { store in
      let changes = store.changes(of: ["a"], initial: true, ignoring: nil)
      for number in 1...10 { try store.setRawValue(.integer(Int64(number)), for: "a") }
      var last: PropertyListValue?
      for await change in changes {
        last = change["a"]?.new
        if last == 10 { break }
      }
      try expect(last == 10, "the last value is \(last as Any)")
    },
    Check("Waiting ends when the task is cancelled") { store in
      let task = Task {
        for await _ in store.changes(of: nil, initial: false, ignoring: nil) {}
        return true
      }
      task.cancel()
      try expect(await task.value, "it goes on")
    },
  ]

  private final class Holder: Sendable {
    private let held = Mutex<DefaultsObservation?>(nil)

    var token: DefaultsObservation? {
      get { held.withLock { $0 } }
      set { held.withLock { $0 = newValue } }
    }
  }
}
