// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ZipContainers

@Suite("Writing and reading again")
struct RoundTripTests {
  @Test(
    "Random files come back, whole and from a closure that is asked piece by piece", arguments: 0..<60 as Range<UInt64>)
  func random(_ seed: UInt64) throws {
    let items = Item.random(seed: seed)
    let file = try Item.zip(items)
    let reader = try ZipReader(file)
    #expect(reader.entries.map(\.name) == items.map(\.name))
    for (entry, item) in zip(reader.entries, items) {
      #expect(try reader.read(entry) == item.content)
      #expect(entry.kind == (item.isFolder ? .folder : .file))
      #expect(entry.byteCount == item.content.count)
      #expect(entry.crc32 == ReferenceZlib.crc(item.content))
      #expect(entry.modified == item.date ?? Date(timeIntervalSince1970: 315_532_800))
      #expect(reader.entry(named: item.name) == entry)
      switch item.compression {
      case .deflated where !item.isFolder: #expect(entry.method == .deflated)
      case .automatic: #expect(entry.compressedByteCount <= entry.byteCount)
      default: #expect(entry.method == .stored)
      }
    }
    let pieces = try ZipReader(byteCount: file.count) { offset, count in
      Data(file.dropFirst(offset).prefix(count))
    }
    #expect(pieces.entries == reader.entries)
    #expect(try pieces.items() == reader.items())
    // A part of other data, whose first byte is not number 0.
    let slice = (Data([9, 9, 9]) + file + Data([9])).dropFirst(3).dropLast()
    #expect(try ZipReader(slice).items() == reader.items())
  }

  @Test("Content that is read begins at number 0, also out of mapped or sliced data")
  func startIndex() throws {
    let reader = try ZipReader(try Item.zip(Item.document))
    for entry in reader.entries { #expect(try reader.read(entry).startIndex == 0) }
  }

  @Test("The same items give the same bytes", arguments: 0..<5 as Range<UInt64>)
  func deterministic(_ seed: UInt64) throws {
    #expect(try Item.zip(Item.random(seed: seed)) == Item.zip(Item.random(seed: seed)))
  }

  @Test("A file without entries is an end record")
  func empty() throws {
    let file = try Item.zip([])
    #expect(file == Data("PK\u{5}\u{6}".utf8) + Data(count: 18))
    #expect(try ZipReader(file).entries.isEmpty)
  }

  @Test("Compression is left out where it does not pay, and kept where it is asked for")
  func compression() throws {
    let noise = Data((0..<100).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
    let plain = Data(count: 100)
    let file = try Item.zip([
      Item(name: "1", content: noise), Item(name: "2", content: plain),
      Item(name: "3", content: plain, compression: .stored), Item(name: "4", content: noise, compression: .deflated),
    ])
    #expect(try ZipReader(file).entries.map(\.method) == [.stored, .deflated, .stored, .deflated])
  }

  @Test(
    "Dates are kept to the second from 1901 to 2038, to two seconds until 2107, and else the nearest of these",
    arguments: [
      (0, 0), (-1, -1), (-2_147_483_648, -2_147_483_648), (2_147_483_647, 2_147_483_647),
      (2_147_483_648, 2_147_483_648), (2_147_483_651, 2_147_483_650), (951_782_399, 951_782_399),
      (4_107_542_400, 4_107_542_400), (9_000_000_000, 4_354_819_198), (-9_000_000_000, 315_532_800),
    ])
  func dates(_ written: Int, _ read: Int) throws {
    let reader = try ZipReader(try Item.zip([Item(name: "a", modified: written)]))
    #expect(reader.entries[0].modified == Date(timeIntervalSince1970: Double(read)))
  }

  @Test("Dates that are no number or without end do no harm", arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func strangeDates(_ seconds: Double) throws {
    var file = Data()
    var writer = ZipWriter { file += $0 }
    try writer.addFile("a", Data(), modified: Date(timeIntervalSince1970: seconds))
    try writer.finish()
    #expect(try ZipReader(file).entries[0].modified != nil)
  }

  @Test("Every day from 1980 to 2107 has the DOS date that the calendar says")
  func dosDates() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    var entries: [HandmadeZip.Entry] = []
    var expected: [Date] = []
    // Every eleventh day, at changing times of the day.
    for day in stride(from: 0, to: 46_751, by: 11) {
      let date = Date(timeIntervalSince1970: Double(315_532_800 + 86_400 * day + (day * 7919 % 43_200) * 2))
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      func part(_ value: Int?) -> UInt16 { UInt16(value ?? 0) }
      var entry = HandmadeZip.Entry("\(day)")
      entry.date = (part(parts.year) - 1980) << 9 | part(parts.month) << 5 | part(parts.day)
      entry.time = part(parts.hour) << 11 | part(parts.minute) << 5 | part(parts.second) / 2
      entries.append(entry)
      expected.append(date)
    }
    var file = HandmadeZip()
    file.entries = entries
    #expect(try ZipReader(file.data).entries.map(\.modified) == expected)
    // And the other way: the fields that the writer makes are at bytes 10 to 13 of the header.
    for (entry, date) in zip(entries, expected) {
      let written = try Item.zip([Item(name: "a", modified: Int(date.timeIntervalSince1970))])
      #expect(Array(written[10..<14]) == HandmadeZip.two(entry.time, entry.date))
    }
  }

  @Test("Months, days and hours that do not exist are no date", arguments: [0x0000, 0x0020, 0x01A1, 0x005E])
  func badDosDates(_ date: UInt16) throws {
    var entry = HandmadeZip.Entry("a")
    entry.date = date
    #expect(try ZipReader(HandmadeZip(entry).data).entries[0].modified == nil)
  }
}

@Suite("The writer's refusals")
struct WriterTests {
  private struct Full: Error {}

  @Test(
    "Names that a reader would call unsafe are not written",
    arguments: ["", "/a", "../a", "a/../b", "a//b", "a\\b", "a\u{0}b", "C:/a", "c:a", "./a", "a/.", "/"])
  func unsafeNames(_ name: String) throws {
    var writer = ZipWriter { _ in }
    let error = #expect(throws: ZipError.self) { try writer.addFolder(name) }
    #expect(error?.code == .unsafeName)
    try writer.finish()
  }

  @Test("A name is written once, and is not that of a file and of a folder; the file goes on without what was refused")
  func duplicates() throws {
    var file = Data()
    var writer = ZipWriter { file += $0 }
    try writer.addFile("a", Data())
    try writer.addFile("b/c", Data())
    for name in ["a", "b", "b/c", "a/x", "a/x/y", "b/c/d/e"] {
      let error = #expect(throws: ZipError.self, "\(name)") { try writer.addFile(name, Data()) }
      #expect(error?.code == .duplicateName)
    }
    #expect(throws: ZipError.self) { try writer.addFolder("a") }
    // Still a file, though a folder of that name was asked for.
    #expect(throws: ZipError.self) { try writer.addFile("a/x", Data()) }
    // Composed and decomposed are one name to some file systems.
    try writer.addFile("\u{E9}", Data())
    #expect(throws: ZipError.self) { try writer.addFile("e\u{301}", Data()) }
    try writer.addFolder("b")
    try writer.finish()
    #expect(try ZipReader(file).entries.map(\.name) == ["a", "b/c", "\u{E9}", "b/"])
  }

  @Test("A file's name cannot end like a folder's, and names have a limit")
  func badNames() throws {
    var writer = ZipWriter { _ in }
    for name in ["a/", String(repeating: "x", count: 1025)] {
      let error = #expect(throws: ZipError.self) { try writer.addFile(name, Data()) }
      #expect(error?.code == .badName)
    }
    let deep = #expect(throws: ZipError.self) {
      try writer.addFile(String(repeating: "x/", count: 32) + "x", Data())
    }
    #expect(deep?.code == .unsafeName)
    try writer.addFile(String(repeating: "x/", count: 31) + "x", Data())
    try writer.finish()
  }

  @Test("The sink's own error is passed on, and nothing can be written behind it", arguments: 0..<6)
  func failingSink(_ calls: Int) throws {
    var left = calls
    func write() throws {
      var writer = ZipWriter { _ in
        left -= 1
        if left < 0 { throw Full() }
      }
      do {
        try writer.addFile("a", Data([1, 2]))
        try writer.addFile("b", Data([1, 2]))
      } catch is Full {
        let error = #expect(throws: ZipError.self) { try writer.addFile("c", Data()) }
        #expect(error?.code == .writerFailed)
        throw Full()
      }
      try writer.finish()
    }
    #expect(throws: Full.self) { try write() }
  }
}
