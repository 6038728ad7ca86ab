// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("Strings, numbers and data are subject to the list as well")
struct PlainValueTests {
  private enum Cage {}

  private struct Value: Sendable, CustomTestStringConvertible {
    var className: String
    var stored: HandmadeList
    var type: any (KeyedCoding & SendableMetatype).Type
    var testDescription: String { className }
  }

  private static let values = [
    Value(className: "NSString", stored: "text", type: String.self),
    Value(className: "NSNumber", stored: 5, type: ArchiveNumber.self),
    Value(className: "NSNumber", stored: true, type: ArchiveNumber.self),
    Value(className: "NSNumber", stored: 0.5, type: ArchiveNumber.self),
    Value(className: "NSData", stored: .data([1, 2]), type: Data.self),
  ]

  private func archives(_ value: Value) -> [(path: String, data: Data)] {
    [
      ("root", HandmadeList.archive([value.stored])),
      (
        "root[0]",
        HandmadeList.archive([Hostile.object(2, [("NS.objects", [.uid(3)])]), Hostile.array, value.stored])
      ),
      (
        "root[\"k\"]",
        HandmadeList.archive([
          Hostile.object(2, [("NS.keys", [.uid(3)]), ("NS.objects", [.uid(4)])]), Hostile.dictionary, "k", value.stored,
        ])
      ),
    ]
  }

  /// A list on which is everything but this value. A dictionary's key is a string, so strings are tried elsewhere.
  private func list(without value: Value) -> [any KeyedCoding.Type] {
    let others = Self.values.filter { $0.className != value.className }.map { $0.type as any KeyedCoding.Type }
    return others + [ArchivedArray.self, ArchivedDictionary.self, Parent.self]
  }

  @Test("one that is not on the list is refused", arguments: values)
  private func strict(_ value: Value) throws {
    for (path, data) in archives(value) where value.className != "NSString" || !path.contains("k") {
      expectRefused(Cage.self, value.className, at: path) {
        try Hostile.decoder(data).decodeTopLevelObject(of: list(without: value), forKey: "root")
      }
      let whole = list(without: value) + [value.type]
      #expect(try Hostile.decoder(data).decodeTopLevelObject(of: whole, forKey: "root") != nil)
    }
  }

  @Test("Apple's lenience is there for those who say so", arguments: values)
  private func lenient(_ value: Value) throws {
    for (path, data) in archives(value) {
      let unarchiver = try Hostile.decoder(data)
      unarchiver.primitiveValuePolicy = .alwaysAllowed
      let found = try unarchiver.decodeTopLevelObject(
        of: [ArchivedArray.self, ArchivedDictionary.self, Parent.self], forKey: "root")
      #expect(found != nil, "\(path)")
      // One type is one type.
      expectRefused(Cage.self, path == "root" ? value.className : path == "root[0]" ? "NSArray" : "NSDictionary") {
        try unarchiver.decodeTopLevelObject(of: Parent.self, forKey: "root")
      }
      // What came out leniently does not come out afterwards.
      unarchiver.primitiveValuePolicy = .mustBeListed
      expectRefused(Cage.self, path.contains("k") ? "NSString" : value.className) {
        try unarchiver.decodeTopLevelObject(
          of: [ArchivedArray.self, ArchivedDictionary.self, Parent.self], forKey: "root")
      }
    }
  }

  @Test("lenience is for plain values and for nothing else")
  func lenientTowardsNothingElse() throws {
    let objects: [(String, HandmadeList)] = [
      ("Canary", Hostile.object(2)), ("NSMutableString", Hostile.object(3, [("NS.string", "text")])),
      ("NSDate", Hostile.object(4, [("NS.time", 0.0)])),
    ]
    for (name, object) in objects {
      let data = HandmadeList.archive([
        object, Hostile.canary, .classRecord("NSMutableString", "NSString", "NSObject"),
        .classRecord("NSDate", "NSObject"),
      ])
      let unarchiver = try Hostile.decoder(data)
      unarchiver.primitiveValuePolicy = .alwaysAllowed
      expectRefused(Cage.self, name) { try unarchiver.decodeTopLevelObject(of: [Parent.self], forKey: "root") }
    }
  }
}
