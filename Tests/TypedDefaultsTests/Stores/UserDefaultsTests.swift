// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing
import TypedDefaults
import TypedDefaultsFoundation
import TypedDefaultsTesting

@Suite("Foundation's UserDefaults as a store", .serialized)
struct UserDefaultsTests {
  @Test("reads what Foundation keeps as numbers, and nothing that is no property list")
  func foundation() {
    let objects: [(Any, PropertyListValue?)] = [
      (NSNumber(value: true), true), (NSNumber(value: -3), -3), (NSNumber(value: Int64.min), .integer(.min)),
      (NSNumber(value: 2.5), 2.5), (NSNumber(value: Float(0.5)), .float(0.5)),
      (NSNumber(value: UInt64.max), .wideInteger(18_446_744_073_709_551_615)), (NSNumber(value: UInt64(7)), 7),
      ([NSNumber(value: 1), "x"] as [Any], [1, "x"]), (["k": NSNumber(value: false)] as [String: Any], ["k": false]),
      (URL(filePath: "/") as Any, nil), ([URL(filePath: "/")] as [Any], nil), (["k": NSNull()] as [String: Any], nil),
    ]
    for (object, value) in objects { #expect(PropertyListValue(foundation: object) == value, "\(object)") }
  }

  @Test("keeps every kind of value that it can hold, and refuses the others before anything is changed")
  func kinds() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let store = try #require(UserDefaultsStore(suiteName: suite.name))
    try store.setRawValue([.wideInteger(18_446_744_073_709_551_615), .float(0.5), 2.5, "x", true], for: "all")
    #expect(store.rawValue(for: "all") == [.wideInteger(18_446_744_073_709_551_615), .float(0.5), 2.5, "x", true])
    for value in [.uid(1), .wideInteger(1 << 64), ["k": [.uid(1)]]] as [PropertyListValue] {
      let error = #expect(throws: DefaultsError.self) {
        try store.update {
          $0.setRawValue(1, for: "a")
          $0.setRawValue(value, for: "z")
        }
      }
      #expect(error?.code == .unencodable && error?.key == "z")
      #expect(error?.description.hasPrefix("'z': expected what UserDefaults can hold, found ") == true)
    }
    #expect(store.keys == ["all"])
  }

  @Test("tells what could not be thrown where it is told to")
  func reports() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let told = ValueRecorder<DefaultsError>()
    let store = UserDefaultsStore(suite.defaults, domain: suite.name, reports: { told.add($0) })
    store.report(DefaultsError(.busy, "it is"))
    #expect(told.all.map(\.code) == [.busy])
  }

  @Test("itself stores objects as JSON, and nil removes them")
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
