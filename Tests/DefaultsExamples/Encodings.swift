// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Written as in the article:
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import TypedDefaults

// example: encodings
func encodings() {
  let store = MemoryStore()
  func check<Value: Codable & Equatable & Sendable>(_ defaults: Defaults<Value>) {
    defaults.set(with: store)
    let value = defaults.value(with: store)
    print(
      defaults.key, value == defaults.value ? "passes" : "fails", store.rawValue(for: defaults.key)?.kindName ?? "-")
  }
  check(Defaults(key: "u_bool", value: true))
  check(Defaults(key: "u_date", value: Date(timeIntervalSince1970: 0)))
  check(Defaults(key: "u_double", value: Double(1000)))
  check(Defaults(key: "u_float", value: Float(100)))
  check(Defaults(key: "u_int", value: Int(10)))
  check(Defaults(key: "u_string", value: "@Nuomi1"))
  check(Defaults(key: "u_url", value: URL(string: "https://nuomi1.github.io/")!))
  check(Defaults(key: "u_array", value: [10]))
  check(Defaults(key: "u_dictionary", value: ["int": 10]))
}
// end of example
