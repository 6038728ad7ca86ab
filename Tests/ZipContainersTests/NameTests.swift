// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ZipContainers

@Suite("Names")
struct NameTests {
  typealias Entry = HandmadeZip.Entry

  private func entry(_ name: [UInt8], flags: UInt16 = 0, madeBy: UInt16 = 20, extra: [UInt8] = []) throws -> ZipEntry {
    var entry = Entry("", [])
    entry.name = name
    entry.flags = flags
    entry.madeBy = madeBy
    entry.attributes = 0
    entry.extra = extra
    return try ZipReader(HandmadeZip(entry).data).entries[0]
  }

  @Test(
    "are rejected if they lead out of the folder",
    arguments: [
      "/etc/passwd", "../a", "a/../../b", "a/..", "..", ".", "./a", "a/./b", "a//b", "//a", "a\\b", "..\\a",
      "\\\\server\\a", "C:/a", "c:a", "C:", "a\u{0}.png", "/", "a//", String(repeating: "a/", count: 33) + "b",
    ])
  func unsafe(_ name: String) throws {
    let entry = try entry(Array(name.utf8))
    let error = #expect(throws: ZipError.self) { try entry.safePath() }
    #expect(error?.code == .unsafeName)
    #expect(error?.entry == name)
  }

  @Test(
    "are accepted if they are unusual but safe",
    arguments: [
      ("a", ["a"]), ("a/b/", ["a", "b"]), ("...", ["..."]), ("..a/b..", ["..a", "b.."]), ("~", ["~"]),
      ("ab:c", ["ab:c"]), (" ", [" "]), ("a/\u{301}b", ["a", "\u{301}b"]), ("__MACOSX/._a", ["__MACOSX", "._a"]),
    ] as [(String, [String])])
  func safe(_ name: String, _ components: [String]) throws {
    #expect(try entry(Array(name.utf8), flags: 1 << 11).safePath() == components)
  }

  @Test("are split at slashes with combining marks")
  func combiningMarks() throws {
    let entry = try entry(Array("a/\u{301}/../..".utf8), flags: 1 << 11)
    #expect(throws: ZipError.self) { try entry.safePath() }
  }

  @Test("have a configurable maximum depth")
  func depth() throws {
    let entry = try entry(Array("a/b/c".utf8))
    #expect(try entry.safePath(maximumDepth: 3).count == 3)
    #expect(throws: ZipError.self) { try entry.safePath(maximumDepth: 2) }
  }

  @Test("are decoded as UTF-8 or code page 437")
  func encodings() throws {
    let bytes = Array("ä".utf8)
    #expect(try entry(bytes, flags: 1 << 11).name == "ä")
    #expect(try entry(bytes, madeBy: 3 << 8).name == "ä")
    #expect(try entry(bytes, madeBy: 19 << 8).name == "ä")
    #expect(try entry(bytes).name == "├ñ")
    #expect(try entry([0x84], madeBy: 3 << 8).name == "ä")
    let error = #expect(throws: ZipError.self) { try entry([0x84], flags: 1 << 11) }
    #expect(error?.code == .badName)
    let empty = #expect(throws: ZipError.self) { try entry([]) }
    #expect(empty?.code == .badName)
  }

  @Test("come from the Unicode field if its checksum matches")
  func unicodeField() throws {
    func field(_ crc: UInt32, _ name: [UInt8]) -> [UInt8] {
      HandmadeZip.two(0x7075, UInt16(5 + name.count)) + [1] + HandmadeZip.four(crc) + name
    }
    let crc = ReferenceZlib.crc([0x3F])
    #expect(try entry([0x3F], extra: field(crc, Array("👻".utf8))).name == "👻")
    #expect(try entry([0x3F], extra: field(crc ^ 1, Array("👻".utf8))).name == "?")
    #expect(throws: ZipError.self) { try entry([0x3F], extra: field(crc, [0xFF])) }
    // Too short to hold a checksum.
    #expect(try entry([0x3F], extra: HandmadeZip.two(0x7075, 3) + [1, 2, 3]).name == "?")
    // The limit and the check for duplicates use it as well.
    let long = field(crc, [UInt8](repeating: 0x61, count: 2000))
    let error = #expect(throws: ZipError.self) { try entry([0x3F], extra: long) }
    #expect(error?.code == .limitReached)
  }

  @Test(
    "are rejected if they are duplicates, or a file and a folder",
    arguments: [
      ["a", "a"], ["a/", "a"], ["a", "a/"], ["a", "a/b"], ["a/b", "a"], ["a/b/c/d", "a/b"], ["x/", "a", "a/b/c/"],
      ["\u{E9}", "e\u{301}"],
    ])
  func duplicates(_ names: [String]) {
    var file = HandmadeZip()
    file.entries = names.map {
      var entry = Entry($0)
      entry.flags = 1 << 11
      entry.attributes = 0
      return entry
    }
    let error = #expect(throws: ZipError.self) { try ZipReader(file.data) }
    #expect(error?.code == .duplicateName)
  }

  @Test("of folders are optional and may be in any order")
  func folders() throws {
    let file = HandmadeZip(Entry("a/b/c"), Entry("a/"), Entry("d/"), Entry("d/e"), Entry("a-b"), Entry("A"))
    #expect(try ZipReader(file.data).entries.count == 6)
  }

  @Test(
    "of Finder metadata are recognized",
    arguments: [
      ("__MACOSX/", true), ("__MACOSX/a/._b", true), (".DS_Store", true), ("a/.DS_Store", true), ("a/__MACOSX", false),
      ("__MACOSX.txt", false), ("a.DS_Store", false),
    ])
  func finder(_ name: String, _ expected: Bool) throws {
    #expect(try entry(Array(name.utf8)).isFinderMetadata == expected)
  }

  @Test("determine the kind with the Unix mode and the DOS attribute")
  func kinds() throws {
    func kind(_ name: String, _ mode: UInt32, dos: UInt32 = 0, host: UInt16 = 3) throws -> ZipEntry.Kind {
      var entry = Entry(name)
      entry.attributes = mode << 16 | dos
      entry.madeBy = host << 8
      return try ZipReader(HandmadeZip(entry).data).entries[0].kind
    }
    #expect(try kind("a", 0o100755) == .file)
    #expect(try kind("a", 0) == .file)
    #expect(try kind("a", 0o040755) == .folder)
    #expect(try kind("a/", 0) == .folder)
    #expect(try kind("a", 0o120777) == .symbolicLink)
    #expect(try kind("a/", 0o120777) == .symbolicLink)
    #expect(try kind("a", 0o120777, host: 0) == .symbolicLink)
    #expect(try kind("a", 0o020666) == .special)
    #expect(try kind("a", 0, dos: 0x10, host: 0) == .folder)
    #expect(try kind("a", 0, dos: 0x20, host: 0) == .file)
  }

  @Test("are escaped in errors")
  func description() {
    let error = ZipError(.badRecord, at: 7, entry: "a\u{1B}[2J", "Something is wrong")
    #expect(error.located == #"Something is wrong (entry "a\u{1B}[2J", byte 7)"#)
    #expect(error.description == error.located + ". Use another copy of the file, or correct the program that wrote it")
    #expect(error == ZipError(.badRecord, at: 7, entry: "a\u{1B}[2J", "other words"))
    #expect(error != ZipError(.badRecord, at: 8, entry: "a\u{1B}[2J", "Something is wrong"))
  }
}
