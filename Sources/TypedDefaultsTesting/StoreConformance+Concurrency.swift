// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import TypedDefaults

extension StoreConformance {
  static let concurrency: [Check] = [
    Check("concurrent updates lose no change") { store in
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<25 {
              try store.update { transaction in
                guard case .integer(let number) = transaction.rawValue(for: "n") ?? 0 else { return }
                transaction.setRawValue(.integer(number + 1), for: "n")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      try expect(store.rawValue(for: "n") == 200, "found \(store.rawValue(for: "n") as Any); expected 200")
    },
    Check("observers receive the last value of each key after concurrent writes") { store in
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(nil) { recorder.add($0) }
      try await withThrowingTaskGroup { group in
        for task in 0..<8 {
          group.addTask {
            for number in 0..<25 { try store.setRawValue(.integer(Int64(task * 100 + number)), for: "k\(number % 4)") }
          }
        }
        try await group.waitForAll()
      }
      for key in store.keys {
        let value = store.rawValue(for: key)
        try expect(
          await recorder.wait(within: patience, until: { $0.last(key) == value }),
          "the last value of \(key) was not reported")
      }
      withExtendedLifetime(token) {}
    },
    Check("a snapshot never contains a part of a transaction") { store in
      try store.setRawValue(0, for: "a")
      try store.setRawValue(0, for: "b")
      try await withThrowingTaskGroup { group in
        group.addTask {
          for number in 1...50 {
            try store.update {
              $0.setRawValue(.integer(Int64(number)), for: "a")
              $0.setRawValue(.integer(Int64(number)), for: "b")
            }
          }
        }
        group.addTask {
          for _ in 1...200 {
            let snapshot = store.snapshot()
            try expect(
              snapshot.rawValue(for: "a") == snapshot.rawValue(for: "b"),
              "found a part of a transaction: \(snapshot.values)")
          }
        }
        try await group.waitForAll()
      }
    },
  ]
}
