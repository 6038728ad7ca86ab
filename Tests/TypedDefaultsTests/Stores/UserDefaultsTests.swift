// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import Testing
import TypedDefaults
import TypedDefaultsFoundation
import TypedDefaultsTesting

@Suite("UserDefaultsStore", .serialized)
struct UserDefaultsTests {
  @Test("converts Foundation's numbers, and rejects other objects")
  func foundation() {
    let objects: [(Any, PropertyListValue?)] = [
      (NSNumber(value: true), true), (NSNumber(value: -3), -3), (NSNumber(value: Int64.min), .integer(.min)),
      (NSNumber(value: 2.5), 2.5), (NSNumber(value: Float(0.5)), .float(0.5)),
      (NSNumber(value: UInt64.max), .wideInteger(high: 0, low: .max)), (NSNumber(value: UInt64(7)), 7),
      ([NSNumber(value: 1), "x"] as [Any], [1, "x"]), (["k": NSNumber(value: false)] as [String: Any], ["k": false]),
      (URL(filePath: "/") as Any, nil), ([URL(filePath: "/")] as [Any], nil), (["k": NSNull()] as [String: Any], nil),
    ]
    for (object, value) in objects { #expect(PropertyListValue(foundation: object) == value, "\(object)") }
  }

  @Test("stores all supported kinds, and rejects others before any change")
  func kinds() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let store = try #require(UserDefaultsStore(suiteName: suite.name))
    try store.setRawValue([.wideInteger(high: 0, low: .max), .float(0.5), 2.5, "x", true], for: "all")
    #expect(store.rawValue(for: "all") == [.wideInteger(high: 0, low: .max), .float(0.5), 2.5, "x", true])
    for value in [.uid(1), .wideInteger(high: 1, low: 0), ["k": [.uid(1)]]] as [PropertyListValue] {
      let error = #expect(throws: DefaultsError.self) {
        try store.update {
          $0.setRawValue(1, for: "a")
          $0.setRawValue(value, for: "z")
        }
      }
      #expect(error?.code == .unencodable && error?.key == "z")
      #expect(error?.description.hasPrefix("'z': unsupported value: UserDefaults cannot hold ") == true)
    }
    #expect(store.keys == ["all"])
  }

  @Test("calls the report function")
  func reports() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let recorder = ValueRecorder<DefaultsError>()
    let store = UserDefaultsStore(suite.defaults, domain: suite.name, reports: { recorder.add($0) })
    store.report(DefaultsError(.busy, "it is"))
    #expect(recorder.all.map(\.code) == [.busy])
  }

  @Test("UserDefaults stores objects as JSON, and nil removes them")
  func objects() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let defaults = suite.defaults
    try defaults.setObject(["a": 1], forKey: "k")
    #expect(defaults.data(forKey: "k") == Data(#"{"a":1}"#.utf8))
    try defaults.setObject([String: Int]?.none, forKey: "k")
    #expect(defaults.object(forKey: "k") == nil)
  }
}
