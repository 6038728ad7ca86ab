// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@testable import KeyedArchiving

@Suite("Layouts of keys")
struct KeyLayoutTests {
  private struct Item: SecureKeyedCoding {
    let number: Int
    let text: String?

    static var archiveClassName: String { "Item" }

    init(coder: KeyedUnarchiver) throws {
      number = coder.decodeInteger(forKey: "c")
      // Another key for each layout.
      text = coder.decodeObject(of: String.self, forKey: "b\(number % KeyLayoutTests.layoutCount)")
    }

    func encode(with coder: KeyedArchiver) {}
  }

  private static let layoutCount = 20

  /// Objects whose layouts all have the same number of keys, and the same first and last ones.
  private func archive(_ count: Int) throws -> Data {
    let items = (0..<count).map { number -> HandmadeList in
      [
        "$class": .uid(3), "a": 0, "b\(number % Self.layoutCount)": .uid(4), "c": .integer(Int64(number)), "d": 0,
        "e": 0,
      ]
    }
    let archive = HandmadeList.archive(
      [
        ["NS.objects": .array((0..<count).map { .uid(UInt64(5 + $0)) }), "$class": .uid(2)],
        .classRecord("NSArray", "NSObject"), .classRecord("Item", "NSObject"), "text",
      ] + items)
    // Objects share the strings of their keys, unlike those of the handmade list.
    return try PropertyListValue(propertyList: archive).propertyList(.binary)
  }

  @Test("are read once each, also if more than a bucket holds cannot be told apart by their first and last keys")
  func collisions() throws {
    let count = 200
    let coder = try KeyedUnarchiver(forReadingFrom: archive(count))
    for _ in 0..<2 {
      let items = try #require(coder.decodeObject(of: [Item].self, forKey: "root"))
      #expect(items.map(\.number) == Array(0..<count))
      #expect(items.allSatisfy { $0.text == "text" })
    }
    // Those of the array and the top-level values are the other ones.
    #expect(coder.storage.state.keyLayouts.layouts.count <= Self.layoutCount + 2)
  }
}
