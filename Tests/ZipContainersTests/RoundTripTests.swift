// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ZipContainers

@Suite("Round trip")
struct RoundTripTests {
  @Test(
    "preserves random files, read whole or in pieces",
    arguments: Sample.calls(below: 60, each: 15, turn: 0).map(UInt64.init))
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
    // A slice, whose first index is not 0.
    let slice = (Data([9, 9, 9]) + file + Data([9])).dropFirst(3).dropLast()
    #expect(try ZipReader(slice).items() == reader.items())
  }

  @Test("returns content with indexes from 0, also from slices")
  func startIndex() throws {
    let reader = try ZipReader(try Item.zip(Item.document))
    for entry in reader.entries { #expect(try reader.read(entry).startIndex == 0) }
  }

  @Test("writes equal bytes for equal items", arguments: Sample.cases(0..<5 as Range<UInt64>, each: 3))
  func deterministic(_ seed: UInt64) throws {
    #expect(try Item.zip(Item.random(seed: seed)) == Item.zip(Item.random(seed: seed)))
  }

  @Test("reads a directory in parts, whatever record their borders are in")
  func longDirectory() throws {
    let names = (0..<6000).map { "\($0)/" + String(repeating: "x", count: ($0 * 7919) % 1000 + 1) }
    let file = try Item.zip(names.map { Item(name: $0, content: Data($0.utf8.prefix(3)), compression: .stored) })
    let reader = try ZipReader(byteCount: file.count) { offset, count in
      #expect(count <= 1 << 20)
      return file.dropFirst(offset).prefix(count)
    }
    #expect(reader.entries.map(\.name) == names)
    for number in stride(from: 0, to: names.count, by: 500) {
      #expect(try reader.read(reader.entries[number]) == Data(names[number].utf8.prefix(3)))
    }
  }

  /// End records, each with a comment that reaches to the end of a file in which `rest` bytes follow the records.
  private static func endRecords(before rest: Range<Int>) -> Data {
    var records: [UInt8] = []
    for (index, more) in rest.enumerated() {
      let following = 22 * (rest.count - 1 - index)
      records += "PK\u{5}\u{6}".utf8
      records += [UInt8](repeating: 0, count: 16) + HandmadeZip.two(UInt16(following + more))
    }
    return Data(records)
  }

  @Test("reads content that resembles the end of the file", arguments: [1, 2, 50, 200], [false, true])
  func endRecords(_ nameByteCount: Int, isInPieces: Bool) throws {
    // The directory has 46 bytes and the name, and maybe a date of 9 bytes; the end record has 22.
    let content = Self.endRecords(before: 60..<500)
    let name = String(repeating: "n", count: nameByteCount)
    for isDamaged in [false, true] {
      var file = Data()
      var writer = ZipWriter { file += $0 }
      try writer.addFile("first", Data("first".utf8))
      if isDamaged {
        // Its bytes stay in the file.
        var calls = 0
        #expect(throws: ZipError.self) {
          try writer.addFile(name) { take in
            calls += 1
            try take(calls == 1 ? content + [0] : content)
          }
        }
      } else if isInPieces {
        try writer.addFile(name) { take in
          try take(content.prefix(1001))
          try take(content.dropFirst(1001))
        }
      } else {
        try writer.addFile(name, content, compression: .stored)
      }
      try writer.finish()
      let contents = try ZipReader(file).items().map(\.content)
      #expect(contents == [Data("first".utf8)] + (isDamaged ? [] : [content]))
    }
  }

  @Test("writes no more than needed if content before the end does not resemble it")
  func noGap() throws {
    // 46 + 9 + 1 bytes for the directory record, 22 for the end record, 30 + 9 + 1 for the local header.
    let file = try Item.zip([Item(name: "a", content: Data("PK\u{5}\u{7}".utf8), compression: .stored)])
    #expect(file.count == 4 + 56 + 22 + 40)
  }

  @Test("writes only an end record without entries")
  func empty() throws {
    let file = try Item.zip([])
    #expect(file == Data("PK\u{5}\u{6}".utf8) + Data(count: 18))
    #expect(try ZipReader(file).entries.isEmpty)
  }

  @Test("compresses on request or if it saves space")
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
    "preserves dates with the precision of the format",
    arguments: [
      (0, 0), (-1, -1), (-2_147_483_648, -2_147_483_648), (2_147_483_647, 2_147_483_647),
      (2_147_483_648, 2_147_483_648), (2_147_483_651, 2_147_483_650), (951_782_399, 951_782_399),
      (4_107_542_400, 4_107_542_400), (9_000_000_000, 4_354_819_198), (-9_000_000_000, 315_532_800),
    ])
  func dates(_ written: Int, _ read: Int) throws {
    let reader = try ZipReader(try Item.zip([Item(name: "a", modified: written)]))
    #expect(reader.entries[0].modified == Date(timeIntervalSince1970: Double(read)))
  }

  @Test("accepts dates that are infinite or not a number", arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func strangeDates(_ seconds: Double) throws {
    var file = Data()
    var writer = ZipWriter { file += $0 }
    try writer.addFile("a", Data(), modified: Date(timeIntervalSince1970: seconds))
    try writer.finish()
    #expect(try ZipReader(file).entries[0].modified != nil)
  }

  @Test("writes the DOS date of every day from 1980 to 2107")
  func dosDates() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    var entries: [HandmadeZip.Entry] = []
    var expected: [Date] = []
    // Every eleventh day, at different times. A quarter of these; with `WHOLE_TESTS`, all.
    for day in Sample.cases(Array(stride(from: 0, to: 46_751, by: 11)), each: 4) {
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
    // The opposite direction: the writer's fields are at bytes 10 to 13 of the header.
    for (index, (entry, date)) in zip(entries, expected).enumerated() where Sample.includes(index, each: 3) {
      let written = try Item.zip([Item(name: "a", modified: Int(date.timeIntervalSince1970))])
      #expect(Array(written[10..<14]) == HandmadeZip.two(entry.time, entry.date))
    }
  }

  @Test("reads no date from invalid fields", arguments: [0x0000, 0x0020, 0x01A1, 0x005E])
  func badDosDates(_ date: UInt16) throws {
    var entry = HandmadeZip.Entry("a")
    entry.date = date
    #expect(try ZipReader(HandmadeZip(entry).data).entries[0].modified == nil)
  }
}

@Suite("Writer errors")
struct WriterTests {
  private struct Full: Error {}

  @Test(
    "reject unsafe names",
    arguments: ["", "/a", "../a", "a/../b", "a//b", "a\\b", "a\u{0}b", "C:/a", "c:a", "./a", "a/.", "/"])
  func unsafeNames(_ name: String) throws {
    var writer = ZipWriter { _ in }
    let error = #expect(throws: ZipError.self) { try writer.addFolder(name) }
    #expect(error?.code == .unsafeName)
    try writer.finish()
  }

  @Test("reject duplicate names, and keep the writer usable")
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
    // Still a file, although the name of a folder was requested.
    #expect(throws: ZipError.self) { try writer.addFile("a/x", Data()) }
    // Composed and decomposed names are equal on some file systems.
    try writer.addFile("\u{E9}", Data())
    #expect(throws: ZipError.self) { try writer.addFile("e\u{301}", Data()) }
    try writer.addFolder("b")
    try writer.finish()
    #expect(try ZipReader(file).entries.map(\.name) == ["a", "b/c", "\u{E9}", "b/"])
  }

  @Test("reject file names with a slash at the end, and long names")
  func badNames() throws {
    var writer = ZipWriter { _ in }
    for name in ["a/", String(repeating: "x", count: 1025), "x/aPK\u{5}\u{6}b"] {
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

  @Test("include those of the sink, after which nothing can be written", arguments: 0..<6)
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
