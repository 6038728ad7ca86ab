// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import KeyedArchives
import TestSupport
import Testing

@Suite("What once went wrong in the tools")
struct ToolRegressionTests {
  @Test("a number of 16 bytes is an integer already")
  func wideInteger() throws {
    let wide = HandmadeList.raw([0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8))
    let object = HandmadeList.dictionary([("n", wide), ("$class", .uid(2))])
    let archive = try KeyedArchive(HandmadeList.archive([object, .classRecord("Box")]))
    let migrated = try archive.migrated(by: [.convertNumber("n", to: .integer, of: "Box")], allowing: nil)
    #expect(!migrated.isChanged)
  }

  @Test("data is found in an object with bytes under either key, inline or boxed", arguments: ["NS.data", "NS.bytes"])
  func dataKeys(key: String) throws {
    let record = HandmadeList.classRecord("NSMutableData", "NSData", "NSObject")
    let inline = HandmadeList.dictionary([(key, .data([1, 2])), ("$class", .uid(2))])
    let boxed = HandmadeList.dictionary([(key, .uid(3)), ("$class", .uid(2))])
    for objects in [[inline, record], [boxed, record, .data([1, 2])]] {
      #expect(try KeyedArchive.data(inside: "root", of: HandmadeList.archive(objects)) == Data([1, 2]))
    }
  }

  @Test(
    "a class whose values without keys no method of the decoder decodes becomes ArchivedObject",
    arguments: [
      (["$0": 5], true), (["$0": .data([1])], true), (["$0": .uid(1)], true), (["$0": .uid(3)], false),
      (["$0": .uid(3), "$1": 5], true),
    ] as [([String: HandmadeList], Bool)])
  func unkeyed(values: [String: HandmadeList], isArchivedObject: Bool) throws {
    let entries = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let objects: [HandmadeList] = [.dictionary(entries + [("$class", .uid(2))]), .classRecord("Foo", "NSObject"), "x"]
    let types = GeneratedSwift(try ArchiveAudit(of: KeyedArchive(HandmadeList.archive(objects)))).types
    #expect(types.contains("class Foo") != isArchivedObject, "\(types)")
    #expect(types.contains("ArchivedObject") == isArchivedObject, "\(types)")
  }

  @Test("an archive in data that is cut off, or of an unknown archiver, is counted")
  func nestedDamage() throws {
    let whole = HandmadeList.archive(["text"])
    let unknown = HandmadeList.dictionary([
      ("$version", 100_000), ("$archiver", "Nobody"), ("$top", .dictionary([("root", .uid(1))])),
      ("$objects", .array(["$null", "text"])),
    ]).binary
    func audit(_ bytes: Data) throws -> ArchiveAudit {
      let object = HandmadeList.dictionary([("d", .data([UInt8](bytes))), ("$class", .uid(2))])
      return try ArchiveAudit(
        of: KeyedArchive(HandmadeList.archive([object, .classRecord("Box")])), followingNestedArchives: true)
    }
    #expect(try audit(whole).nestedArchiveCount == 1)
    #expect(try audit(unknown).nestedArchiveCount == 1)
    #expect(try audit(whole.dropLast(40)).damagedNestedArchiveCount == 1)
  }
}
