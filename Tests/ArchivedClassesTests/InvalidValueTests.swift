// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchiving
import TestSupport
import Testing

/// A value that decoders reject, so that an archive of it would be lost.
@Suite("Values that decoders reject")
struct InvalidValueTests {
  private static func changed<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
  }

  private static var values: [any SecureKeyedCoding] {
    let white = ArchivedColor(white: 1)
    let named = ArchivedColor(catalog: "System", name: "labelColor", fallback: white)
    let length = ArchivedUnit(
      dimension: "NSUnitLength", symbol: "m", converter: .linear(coefficient: 1, constant: 0))
    return [
      ArchivedColor(red: .nan, green: 0, blue: 0), ArchivedColor(white: .infinity),
      changed(white) { $0.components = ColorComponents([.infinity]) },
      changed(white) { $0.components = ColorComponents([]) },
      changed(white) { $0.components = ColorComponents([Double](repeating: 0, count: 33)) },
      changed(white) { $0.rgb = ColorComponents([1, 2]) }, changed(white) { $0.white = nil },
      changed(white) { $0.space = .deviceRGB }, changed(white) { $0.space = .deviceCMYK },
      changed(white) { $0.space = .catalog }, changed(named) { $0.colorName = nil },
      changed(named) { $0.catalogName = nil }, ArchivedColorSpace(), ArchivedColorSpace(model: 1),
      ArchivedUIColor(red: .infinity, green: 0, blue: 0), ArchivedUIColor(white: .nan),
      changed(ArchivedUIColor(white: 1)) { $0.white = nil },
      changed(ArchivedUIColor(white: 1)) { $0.componentCount = -1 },
      changed(ArchivedUIColor(white: 1)) { $0.precise.white = .nan },
      changed(ArchivedUIColor(white: 1)) { $0.appKit.rgb = ColorComponents([1]) },
      ArchivedCharacterSet(.builtin(99)), ArchivedCharacterSet(.builtin(0)), ArchivedCharacterSet(.bitmap(Data())),
      changed(ArchivedCharacterSet(.builtin(5))) { $0.second = .init(16) },
      ArchivedCharacterSet(.bitmap(Data(count: 8192 + 8193))),
      ArchivedCharacterSet(.range(ArchivedRange(location: 0x11_0000, length: 1))),
      ArchivedDecimalNumberHandler(scale: 100_000), ArchivedDecimalNumberHandler(roundingMode: 4),
      ArchivedRange(location: -1, length: 0), ArchivedRange(location: 0, length: -1),
      ArchivedValue.range(ArchivedRange(location: -1, length: 0)), ArchivedPredicate.compound(type: 7, []),
      ArchivedCountedSet([("a", 0)]), ArchivedCountedSet([("a", -1)]), changed(length) { $0.converter = nil },
      changed(ArchivedNumberFormatter(positiveFormat: "0")) { $0.minimum = "one" },
      changed(ArchivedNumberFormatter(positiveFormat: "0")) { $0.maximum = Data() },
      ArchivedRegularExpressionResult(
        expression: ArchivedRegularExpression(pattern: "a"), ranges: [ArchivedRange(location: -1, length: 1)]),
    ]
  }

  @Test("are not archived")
  func refused() {
    for value in Self.values {
      let error = #expect(throws: KeyedArchiveError.self, "\(value)") {
        try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
      }
      #expect(error?.code == .notEncodable, "\(value)")
    }
  }

  @Test("include a color whose components are too long to be numbers")
  func longComponents() {
    let text = "0." + String(repeating: "0", count: 1100)
    let data = HandmadeList.archive([
      ["NSColorSpace": 3, "NSWhite": .data(Array(text.utf8)), "$class": .uid(2)], .classRecord("NSColor", "NSObject"),
    ])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedColor.self, from: data)
    }
    #expect(error?.code == .malformedValue)
  }
}
