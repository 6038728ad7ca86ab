// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import TestSupport
import Testing

@testable import ArchiveTools

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

  @Test("classes become types if the file has their long names as often as the source")
  func repeatedNames() throws {
    /// Classes with a superclass of this name, and objects with this key.
    func types(_ count: Int, _ name: String, _ key: String) throws -> String {
      let objects = (0..<count).flatMap { index -> [HandmadeList] in
        [
          HandmadeList.dictionary([(key, .integer(1)), ("$class", .uid(UInt64(2 * index + 2)))]),
          .classRecord("Class\(index)", name, "NSObject"),
        ]
      }
      let top = (0..<count).map { ("key \($0)", HandmadeList.uid(UInt64(2 * $0 + 1))) }
      return try GeneratedSwift(ArchiveAudit(of: KeyedArchive(HandmadeList.archive(objects, top: top)))).types
    }
    let long = String(repeating: "n", count: 300)
    let source = try types(200, long, long)
    #expect((0..<200).allSatisfy { source.contains("class Class\($0):") })
  }

  @Test("the source of an archive with long top-level keys is small")
  func longTopKeys() throws {
    func audit(_ count: Int) throws -> ArchiveAudit {
      let top = (0..<count).map { (String(repeating: "\u{1}", count: 8000) + "\($0)", HandmadeList.uid(1)) }
      return try ArchiveAudit(of: KeyedArchive(HandmadeList.archive(["text"], top: top)))
    }
    let whole = GeneratedSwift(try audit(12)).types
    #expect(whole.contains("var value") && !whole.contains("Omitted"))
    var audit = try audit(30)
    // Keys can share their bytes, so that the file is smaller than they are. Here, only its size is.
    audit.byteCount = 1000
    let types = GeneratedSwift(audit).types
    #expect(types.utf8.count < 1_000_000)
    // Eight keys fit 65,536 bytes and four times the file.
    #expect(types.contains("// Omitted: 22 values under long keys."))
  }

  @Test("the source of a class with one long name many times is small")
  func repeatedSuperclass() throws {
    let name = String(repeating: "\u{301}", count: 1000)
    var file = ArchiveFile()
    let names = file.row(.array([file.text("Thing")] + [Int](repeating: file.text(name), count: 100)))
    let record = file.row(.dictionary([(file.text("$classname"), file.text("Thing")), (file.text("$classes"), names)]))
    let classUID = file.object(row: record)
    let data = file.data(root: file.object(row: file.fields(classUID, [])))
    let types = GeneratedSwift(try ArchiveAudit(of: KeyedArchive(data))).types
    #expect(types.utf8.count < 64 * data.count)
    #expect(types.contains("ArchivedObject"))
    #expect(!types.contains("class Thing"))
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
