// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import TestSupport
import Testing

@Suite("The directory of a backup")
struct BackupDirectoryTests {
  /// Writes a file of entries, in whose directory each has a comment of 65,535 bytes, as a hole.
  private func write(_ names: [String], to file: URL) throws {
    var zip = HandmadeZip()
    zip.entries = names.map { HandmadeZip.Entry($0, [1]) }
    let plain = zip.data
    let start = names.reduce(0) { $0 + 30 + $1.utf8.count + 1 }
    try plain.prefix(start).write(to: file)
    let handle = try FileHandle(forUpdating: file)
    var (from, to) = (start, start)
    for name in names {
      var record = plain[from..<from + 46 + name.utf8.count]
      from = record.endIndex
      record.replaceSubrange(record.startIndex + 32..<record.startIndex + 34, with: [0xFF, 0xFF])
      try handle.seek(toOffset: UInt64(to))
      try handle.write(contentsOf: record)
      to += record.count + 0xFFFF
    }
    let count = UInt16(names.count)
    var end = Data("PK\u{5}\u{6}".utf8)
    end += HandmadeZip.two(0, 0, count, count)
    end += HandmadeZip.four(UInt32(to - start), UInt32(start))
    end += HandmadeZip.two(0)
    try handle.seek(toOffset: UInt64(to))
    try handle.write(contentsOf: end)
    try handle.close()
  }

  @Test("may be longer than other programs' files have it, because a library may be large")
  func long() throws {
    let folder = try ScratchFolder()
    let file = folder.url.appending(path: "backup.zip")
    try write((0..<4200).map { "notes/\($0)" }, to: file)
    #expect(try #require(FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) > 1 << 28)
    let backup = try BackupSource(contentsOf: file)
    #expect(try DocumentLibrary<Recipe>.checkBackup(backup).isSound)
    let room = try Place.memory.room()
    let report = try room.library().importBackup(backup, keepingNumbers: true)
    #expect(report.others == ["notes"] && report.refused.isEmpty)
    #expect(try room.storage.files("notes").count == 4200)
  }

  @Test("has the Finder's folder, whose names may begin with a combining mark")
  func finder() throws {
    var entry = HandmadeZip.Entry("__MACOSX/\u{301}a", [1])
    entry.flags = 1 << 11
    let report = try Place.memory.room().library().importBackup(
      BackupSource(HandmadeZip(entry).data), keepingNumbers: true)
    #expect(report.omitted == ["__MACOSX"] && report.others.isEmpty)
  }
}
