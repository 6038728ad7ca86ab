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
