// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Written as in the article:
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import PropertyListFormat
import TypedDefaults
import TypedDefaultsFoundation

// example: encodings
func encodings() {
  func check<Value: Codable & Equatable & Sendable>(_ defaults: Defaults<Value>) {
    UserDefaults.standard.set(with: defaults)
    let value = UserDefaults.standard.value(with: defaults)
    let stored = UserDefaults.standard.object(forKey: defaults.key).flatMap(PropertyListValue.init(foundation:))
    print(defaults.key, value == defaults.value ? "passes" : "fails", stored?.kindName ?? "-")
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
