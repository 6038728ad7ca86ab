// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import TypedDefaults

extension StoreConformance {
  static let reading: [Check] = [
    Check("a new store is empty") { store in
      try expect(store.rawValue(for: "a") == nil, "found a value for 'a'; expected none")
      try expect(store.snapshot().keys.isEmpty, "found the keys \(store.snapshot().keys); expected none")
    },
    Check("stores each kind of value without loss") { store in
      for (number, value) in values.enumerated() {
        try store.setRawValue(value, for: "v\(number)")
        let found = store.rawValue(for: "v\(number)")
        try expect(found == value, "found \(found.map(\.description) ?? "nothing"); expected \(value)")
      }
      try expect(store.keys.count == values.count, "found the keys \(store.keys)")
    },
    Check("accepts any string as a key") { store in
      for (number, key) in oddKeys.enumerated() { try store.setRawValue(.integer(Int64(number)), for: key) }
      for (number, key) in oddKeys.enumerated() {
        try expect(store.rawValue(for: key) == .integer(Int64(number)), "found another value for the key '\(key)'")
      }
      try expect(store.keys.count == oddKeys.count, "found \(store.keys.count) keys; expected \(oddKeys.count)")
    },
    Check("replaces a value with one of another kind") { store in
      for value in values {
        try store.setRawValue(value, for: "key")
        try expect(store.rawValue(for: "key") == value, "the store did not replace the value with \(value)")
      }
    },
    Check("removes a value") { store in
      try store.setRawValue(1, for: "a")
      try store.setRawValue(nil, for: "a")
      try store.setRawValue(nil, for: "never there")
      try expect(store.rawValue(for: "a") == nil && store.keys.isEmpty, "the store did not remove the value")
    },
    Check("removes all values at once") { store in
      for key in oddKeys { try store.setRawValue(true, for: key) }
      try store.removeAll()
      try expect(store.keys.isEmpty, "found the keys \(store.keys)")
    },
    Check("a snapshot does not change") { store in
      try store.setRawValue(1, for: "a")
      let snapshot = store.snapshot()
      try store.setRawValue(2, for: "a")
      try store.setRawValue(2, for: "b")
      try expect(snapshot.rawValue(for: "a") == 1 && snapshot.rawValue(for: "b") == nil, "the snapshot changed")
    },
    Check("isolates the changes of a transaction") { store in
      try store.setRawValue(1, for: "a")
      try store.update { transaction in
        transaction.setRawValue(2, for: "a")
        transaction.setRawValue(3, for: "b")
        transaction.setRawValue(nil, for: "c")
        try expect(transaction.rawValue(for: "a") == 2, "the transaction does not see its own change")
        try expect(transaction.keys == ["a", "b"], "found the keys \(transaction.keys); expected a and b")
        try expect(store.rawValue(for: "a") == 1, "the store shows a change before the transaction ends")
      }
      try expect(store.rawValue(for: "a") == 2 && store.rawValue(for: "b") == 3, "the transaction was not applied")
    },
    Check("discards a transaction that throws") { store in
      try store.setRawValue(1, for: "a")
      struct Stop: Error {}
      do {
        try store.update { transaction in
          transaction.setRawValue(2, for: "a")
          throw Stop()
        }
        throw Failure(description: "the error of the function was not rethrown")
      } catch is Stop {}
      try expect(store.rawValue(for: "a") == 1, "the value changed")
    },
    Check("a change inside of a transaction on the same store throws instead of deadlocking") { store in
      try store.update { transaction in
        transaction.setRawValue(1, for: "a")
        do {
          try store.setRawValue(2, for: "a")
          throw Failure(description: "the nested change was applied")
        } catch let error as DefaultsError {
          try expect(error.code == .nestedTransaction, "found the error \(error); expected the code nestedTransaction")
        }
      }
      try expect(store.rawValue(for: "a") == 1, "the transaction was not applied")
    },
    Check("flushing and refreshing change nothing") { store in
      try store.setRawValue("x", for: "a")
      try store.flush()
      try store.refresh()
      try expect(store.rawValue(for: "a") == "x", "the value changed")
    },
  ]
}
