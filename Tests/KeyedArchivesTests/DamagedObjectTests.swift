// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Archived objects of damaged archives")
struct DamagedObjectTests {
  /// The value of the root's key `a`, which refers to object 3.
  private func value(_ objects: [HandmadeList]) throws -> ArchivedObject.Value {
    let data = HandmadeList.archive([["a": .uid(3), "$class": .uid(2)], .classRecord("Box", "NSObject")] + objects)
    let root = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
    return try #require(root["a"])
  }

  @Test(
    "a mutable string or data that contains itself, or another object of its class, has no content",
    arguments: [("NSMutableString", "NS.string"), ("NSMutableData", "NS.data"), ("NSMutableData", "NS.bytes")])
  func selfContained(name: String, key: String) throws {
    let record = HandmadeList.classRecord(name, "NSObject")
    let own = try value([.dictionary([(key, .uid(3)), ("$class", .uid(4))]), record])
    #expect(own.string == nil && own.data == nil)
    own.object?.dismantle()
    // A chain.
    let count: UInt64 = 10_000
    let links = (0..<count).map { HandmadeList.dictionary([(key, .uid(5 + $0)), ("$class", .uid(4))]) }
    let chain = try value([links[0], record] + links[1...] + [name == "NSMutableString" ? "text" : .data([1])])
    #expect(chain.string == nil && chain.data == nil)
  }

  @Test("mutable data has the bytes under either key", arguments: ["NS.data", "NS.bytes"])
  func bytes(key: String) throws {
    let record = HandmadeList.classRecord("NSMutableData", "NSData", "NSObject")
    let inline = try value([.dictionary([(key, .data([1, 2])), ("$class", .uid(4))]), record])
    let boxed = try value([.dictionary([(key, .uid(5)), ("$class", .uid(4))]), record, .data([1, 2])])
    #expect(inline.data == Data([1, 2]) && boxed.data == Data([1, 2]))
  }

  @Test("after an error at the top level, objects are complete or an error")
  func partialTopLevel() throws {
    let date = HandmadeList.raw([0x33, 0, 0, 0, 0, 0, 0, 0, 0])
    let data = HandmadeList.archive(
      [["name": .uid(3), "x": 1, "$class": .uid(2)], .classRecord("Foo", "NSObject"), "n"],
      top: [("root", .uid(1)), ("when", date)])
    let coder = try KeyedUnarchiver(forReadingFrom: data)
    coder.decodingFailurePolicy = .raiseException
    #expect(throws: KeyedArchiveError.self) { try coder.decodeTopLevel() }
    let root = try #require(try coder.decodeIfPresent(ArchivedObject.self, forKey: "root"))
    #expect(root.entries.map(\.key) == ["name", "x"])
    #expect(root["name"]?.string == "n" && root["x"]?.number == .integer(1))
  }
}
