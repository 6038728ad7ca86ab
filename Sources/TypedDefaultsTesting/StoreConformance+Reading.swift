// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import TypedDefaults

extension StoreConformance {
  static let reading: [Check] = [
    Check("A new store is empty") { store in
      try expect(store.rawValue(for: "a") == nil, "there is a value")
      try expect(store.snapshot().keys.isEmpty, "there are the keys \(store.snapshot().keys)")
    },
    Check("What is stored is there, of every kind and every bit") { store in
      for (number, value) in values.enumerated() {
        try store.setRawValue(value, for: "v\(number)")
        let found = store.rawValue(for: "v\(number)")
        try expect(found == value, "stored \(value), found \(found.map(\.description) ?? "nothing")")
      }
      try expect(store.keys.count == values.count, "there are the keys \(store.keys)")
    },
    Check("Any text is a key") { store in
      for (number, key) in oddKeys.enumerated() { try store.setRawValue(.integer(Int64(number)), for: key) }
      for (number, key) in oddKeys.enumerated() {
        try expect(store.rawValue(for: key) == .integer(Int64(number)), "'\(key)' has another value")
      }
      try expect(store.keys.count == oddKeys.count, "there are \(store.keys.count) keys")
    },
    Check("A value takes the place of one of another kind") { store in
      for value in values {
        try store.setRawValue(value, for: "key")
        try expect(store.rawValue(for: "key") == value, "\(value) was not taken")
      }
    },
    Check("What is removed is gone") { store in
      try store.setRawValue(1, for: "a")
      try store.setRawValue(nil, for: "a")
      try store.setRawValue(nil, for: "never there")
      try expect(store.rawValue(for: "a") == nil && store.keys.isEmpty, "it is still there")
    },
    Check("All keys are removed at once") { store in
      for key in oddKeys { try store.setRawValue(true, for: key) }
      try store.removeAll()
      try expect(store.keys.isEmpty, "there are the keys \(store.keys)")
    },
    Check("A snapshot stays as it is") { store in
      try store.setRawValue(1, for: "a")
      let snapshot = store.snapshot()
      try store.setRawValue(2, for: "a")
      try store.setRawValue(2, for: "b")
      try expect(snapshot.rawValue(for: "a") == 1 && snapshot.rawValue(for: "b") == nil, "it has changed")
    },
    Check("A transaction sees its own changes, and others only see it whole") { store in
      try store.setRawValue(1, for: "a")
      try store.update { transaction in
        transaction.setRawValue(2, for: "a")
        transaction.setRawValue(3, for: "b")
        transaction.setRawValue(nil, for: "c")
        try expect(transaction.rawValue(for: "a") == 2, "it does not see a change")
        try expect(transaction.keys == ["a", "b"], "it sees the keys \(transaction.keys)")
        try expect(store.rawValue(for: "a") == 1, "others see a change that was not made yet")
      }
      try expect(store.rawValue(for: "a") == 2 && store.rawValue(for: "b") == 3, "the changes were not made")
    },
    Check("A transaction that throws changes nothing") { store in
      try store.setRawValue(1, for: "a")
      struct Stop: Error {}
      do {
        try store.update { transaction in
          transaction.setRawValue(2, for: "a")
          throw Stop()
        }
        throw Failure(description: "the error was not passed on")
      } catch is Stop {}
      try expect(store.rawValue(for: "a") == 1, "it was changed")
    },
    Check("A change that goes around a transaction is an error, not a deadlock") { store in
      try store.update { transaction in
        transaction.setRawValue(1, for: "a")
        do {
          try store.setRawValue(2, for: "a")
          throw Failure(description: "the change was made")
        } catch let error as DefaultsError {
          try expect(error.code == .nestedTransaction, "the error is \(error)")
        }
      }
      try expect(store.rawValue(for: "a") == 1, "the transaction was not made")
    },
    Check("Flushing and refreshing change nothing") { store in
      try store.setRawValue("x", for: "a")
      try store.flush()
      try store.refresh()
      try expect(store.rawValue(for: "a") == "x", "it was changed")
    },
  ]
}
