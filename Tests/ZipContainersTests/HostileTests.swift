// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles
import TestSupport
import Testing
import ZipContainers

@Suite("Hostile files")
struct HostileTests {
  typealias Entry = HandmadeZip.Entry

  private func expect(_ code: ZipError.Code, _ file: HandmadeZip, _ comment: Comment, limits: ZipLimits = .default) {
    let error = #expect(throws: ZipError.self, comment) { try ZipReader(file.data, limits: limits).items() }
    #expect(error?.code == code, "\(comment): \(error?.description ?? "")")
  }

  private func expectRefusedAtOpening(_ code: ZipError.Code, _ file: HandmadeZip, _ comment: Comment) {
    let error = #expect(throws: ZipError.self, comment) { try ZipReader(file.data) }
    #expect(error?.code == code, "\(comment): \(error?.description ?? "")")
  }

  @Test("are based on a valid handmade file")
  func sound() throws {
    let blocks = ReferenceZlib.storedBlock([1, 2, 3])
    var file = HandmadeZip(Entry("a", [5]), Entry("b", deflated: blocks, content: [1, 2, 3]))
    file.prefix = Array("#!/bin/sh a program that unpacks itself\n".utf8)
    file.comment = Array("Grüße".utf8)
    let reader = try ZipReader(file.data)
    #expect(try reader.items() == [Item(name: "a", content: Data([5])), Item(name: "b", content: Data([1, 2, 3]))])
    #expect(reader.comment == "Grüße")
  }

  @Test("are rejected for overlapping entries")
  func overlap() {
    var second = Entry("b", [1, 2, 3])
    second.isOnlyListed = true
    second.offset = 0
    expectRefusedAtOpening(.overlap, HandmadeZip(Entry("a", [1, 2, 3]), second), "the same header")
    // A header inside the content of another entry, as in the densest bombs.
    let inner = HandmadeZip(Entry("b", [1, 2, 3])).data.prefix(34)
    second.offset = 31
    expectRefusedAtOpening(.overlap, HandmadeZip(Entry("a", Array(inner)), second), "a header inside of another")
    // The same header, quoted by the local name.
    var long = Entry("a", [7])
    long.compressedByteCount = 500
    long.byteCount = 500
    expectRefusedAtOpening(.truncated, HandmadeZip(long), "content over the directory")
    var far = Entry("a", [7])
    far.offset = 0xFFFF_FFF0
    expectRefusedAtOpening(.truncated, HandmadeZip(far), "an offset behind the end")
    // The extra field of the first entry covers the header of the second, which reading it reveals.
    var wide = Entry("a", [])
    wide.localExtra = [0x99, 0x99] + HandmadeZip.two(100) + [UInt8](repeating: 0, count: 100)
    var hidden = Entry("b", [])
    hidden.isOnlyListed = true
    hidden.offset = 60
    expect(.overlap, HandmadeZip(wide, hidden), "a header inside of an extra field")
  }

  @Test("are rejected for compressed data without content, before these are read")
  func emptyBlocks() throws {
    // Stored blocks without content, and one with the only byte.
    let empty: [UInt8] = [0, 0, 0, 0xFF, 0xFF]
    let many = Array(repeatElement(empty, count: 40_000).joined()) + ReferenceZlib.storedBlock([1])
    let file = HandmadeZip(Entry("a", deflated: many, content: [1])).data
    let counted = Locked(0)
    let reader = try ZipReader(byteCount: file.count, limits: .default) { offset, count in
      counted.withLock { $0 = max($0, count) }
      return file.dropFirst(offset).prefix(count)
    }
    let error = #expect(throws: ZipError.self) { try reader.read(reader.entries[0]) }
    let largest = counted.withLock { $0 }
    #expect(error?.code == .badCompressedData && largest < many.count, "\(largest)")
    // A compressor may flush often.
    let few = Array(repeatElement(empty, count: 10_000).joined()) + ReferenceZlib.storedBlock([1])
    #expect(
      try ZipReader(HandmadeZip(Entry("a", deflated: few, content: [1])).data).items() == [
        Item(name: "a", content: Data([1]))
      ])
  }

  @Test("are rejected for bombs before anything is inflated")
  func bombs() throws {
    var claim = Entry("a", deflated: [3, 0], content: [])
    claim.byteCount = 0xFFFF_FFF0
    expectRefusedAtOpening(.limitReached, HandmadeZip(claim), "more than one entry may have")
    claim.byteCount = 1 << 29
    expectRefusedAtOpening(.wrongSize, HandmadeZip(claim), "more than two bytes can give")
    // Zeros expand nearly 1,000 times.
    var zeros = Data()
    var writer = ZipWriter { zeros.append($0) }
    try writer.addFile("z", Data(count: 17_000_000), compression: .deflated)
    try writer.finish()
    #expect(zeros.count < 30_000)
    #expect(throws: ZipError(.limitReached, "")) { try ZipReader(zeros) }
    #expect(try ZipReader(zeros, limits: ZipLimits(maximumExpansion: 1032)).items()[0].content.count == 17_000_000)
    // With automatic compression they are stored, so that the reader accepts the file.
    #expect(try ZipReader(Item.zip([Item(name: "z", content: Data(count: 17_000_000))])).entries.count == 1)
    // The limit does not apply to less than 16 MiB.
    let few = try Item.zip([Item(name: "z", content: Data(count: 1_000_000))])
    #expect(try ZipReader(few).items()[0].content.count == 1_000_000)
  }

  @Test("are rejected for content of a wrong size")
  func wrongSizes() {
    let blocks = ReferenceZlib.storedBlock([1, 2, 3])
    var entry = Entry("a", deflated: blocks, content: [1, 2, 3])
    entry.byteCount = 2
    expect(.wrongSize, HandmadeZip(entry), "more than claimed")
    entry.byteCount = 4
    expect(.wrongSize, HandmadeZip(entry), "less than claimed")
    expect(
      .badCompressedData, HandmadeZip(Entry("a", deflated: blocks + [0], content: [1, 2, 3])), "bytes behind the end")
    expect(
      .badCompressedData, HandmadeZip(Entry("a", deflated: blocks.dropLast(), content: [1, 2, 3])), "a byte missing")
    expect(.badCompressedData, HandmadeZip(Entry("a", deflated: [7, 0, 0], content: [1])), "a block of no kind")
    var stored = Entry("a", [1, 2, 3])
    stored.byteCount = 4
    expectRefusedAtOpening(.wrongSize, HandmadeZip(stored), "stored, and yet longer")
    stored.byteCount = 3
    stored.crc = 1
    expect(.checksumMismatch, HandmadeZip(stored), "another checksum")
  }

  @Test("are rejected for wrong counts and sizes of the directory")
  func counts() {
    for (count, code) in [(0, ZipError.Code.badRecord), (1, .badRecord), (3, .badRecord), (0xFFFF, .badRecord)] {
      var file = HandmadeZip(Entry("a", [1]), Entry("b", [1]))
      file.entryCount = UInt16(count)
      expectRefusedAtOpening(code, file, "\(count) entries instead of two")
    }
    var file = HandmadeZip(Entry("a", [1]))
    file.directoryByteCount = 46
    expectRefusedAtOpening(.badRecord, file, "a shorter directory")
    file.directoryByteCount = 48
    expectRefusedAtOpening(.truncated, file, "a longer directory")
    file.directoryByteCount = nil
    file.directoryOffset = 0
    expectRefusedAtOpening(.badRecord, file, "a directory elsewhere")
    file.directoryOffset = 0xFFFF_FFFF
    expectRefusedAtOpening(.truncated, file, "a directory behind the end")
    file.directoryOffset = nil
    file.gap = [0]
    expectRefusedAtOpening(.badRecord, file, "something behind the directory")
    file.gap = []
    file.disk = 1
    expectRefusedAtOpening(.unsupportedFeature, file, "the second part")
    file.disk = 0
    file.diskEntryCount = 0
    expectRefusedAtOpening(.unsupportedFeature, file, "entries in other parts")
    var part = Entry("a", [1])
    part.disk = 3
    expectRefusedAtOpening(.unsupportedFeature, HandmadeZip(part), "an entry in another part")
  }

  @Test("are rejected for two end records")
  func twoEnds() {
    var file = HandmadeZip(Entry("a", [1]))
    file.comment = Array(HandmadeZip().data)
    expectRefusedAtOpening(.badRecord, file, "an end record as the comment")
  }

  @Test("are rejected for invalid Zip64 records")
  func zip64() throws {
    var file = HandmadeZip(Entry("a", [1]))
    file.zip64 = { HandmadeZip.zip64(count: $0, byteCount: $1, offset: $2, at: $1 + $2) }
    #expect(try ZipReader(file.data).items() == [Item(name: "a", content: Data([1]))])
    file.entryCount = 0xFFFF
    file.directoryByteCount = 0xFFFF_FFFF
    file.directoryOffset = 0xFFFF_FFFF
    #expect(try ZipReader(file.data).items() == [Item(name: "a", content: Data([1]))])
    var lie = file
    lie.entryCount = 2
    expectRefusedAtOpening(.disagreement, lie, "another count")
    lie = file
    lie.directoryOffset = 1
    expectRefusedAtOpening(.disagreement, lie, "another offset")
    func short(_ count: Int, _ byteCount: Int, _ offset: Int, _ claim: Int) -> [UInt8] {
      HandmadeZip.zip64(
        count: count, byteCount: byteCount, offset: offset, recordByteCount: claim, at: byteCount + offset)
    }
    let lies: [(String, (Int, Int, Int) -> [UInt8])] = [
      ("no place", { HandmadeZip.zip64(count: $0, byteCount: $1, offset: $2, at: Int.max) }),
      ("the start", { HandmadeZip.zip64(count: $0, byteCount: $1, offset: $2, at: 0) }),
      ("a byte off", { HandmadeZip.zip64(count: $0, byteCount: $1, offset: $2, at: $1 + $2 + 1) }),
      ("a shorter record", { short($0, $1, $2, 43) }),
      ("a huge record", { short($0, $1, $2, .max) }),
      ("many parts", { HandmadeZip.zip64(count: $0, byteCount: $1, offset: $2, at: $1 + $2, parts: 2) }),
      ("entries without end", { HandmadeZip.zip64(count: .max, byteCount: $1, offset: $2, at: $1 + $2) }),
      ("too many entries", { HandmadeZip.zip64(count: 999_999, byteCount: $1, offset: $2, at: $1 + $2) }),
      ("a huge directory", { HandmadeZip.zip64(count: $0, byteCount: .max, offset: $2, at: $1 + $2) }),
      ("a far directory", { HandmadeZip.zip64(count: $0, byteCount: $1, offset: .max, at: $1 + $2) }),
      ("a sum too large", { HandmadeZip.zip64(count: $0, byteCount: .max, offset: .max, at: $1 + $2) }),
    ]
    for (what, records) in lies {
      lie = file
      lie.zip64 = records
      #expect(throws: ZipError.self, "\(what)") { try ZipReader(lie.data) }
    }
  }

  @Test("are rejected for invalid Zip64 fields")
  func zip64Fields() throws {
    func field(_ values: UInt64...) -> [UInt8] {
      HandmadeZip.two(1, UInt16(8 * values.count)) + values.flatMap { HandmadeZip.eight($0) }
    }
    var entry = Entry("a", [1, 2, 3])
    entry.byteCount = 0xFFFF_FFFF
    entry.compressedByteCount = 0xFFFF_FFFF
    entry.extra = field(3, 3)
    entry.localExtra = field(3, 3)
    #expect(try ZipReader(HandmadeZip(entry).data).items()[0].content == Data([1, 2, 3]))
    entry.extra = field(3)
    expectRefusedAtOpening(.badRecord, HandmadeZip(entry), "one of two numbers")
    entry.extra = []
    expectRefusedAtOpening(.badRecord, HandmadeZip(entry), "no field")
    entry.extra = field(3, 3) + field(3, 3)
    expectRefusedAtOpening(.badRecord, HandmadeZip(entry), "two fields")
    entry.extra = HandmadeZip.two(1, 99) + [0, 0]
    expectRefusedAtOpening(.badRecord, HandmadeZip(entry), "a field longer than all fields")
    entry.extra = field(.max, .max)
    expectRefusedAtOpening(.truncated, HandmadeZip(entry), "the largest number")
    entry.extra = field(3, 3)
    entry.localExtra = field(3, 4)
    expect(.disagreement, HandmadeZip(entry), "another size in its own header")
    entry.localExtra = []
    expect(.disagreement, HandmadeZip(entry), "no field in its own header")
  }

  @Test("are rejected for inconsistent local headers")
  func disagreement() {
    func check(_ comment: Comment, _ change: (inout Entry) -> Void) {
      var entry = Entry("a.txt", [1, 2, 3])
      change(&entry)
      expect(.disagreement, HandmadeZip(entry), comment)
    }
    check("name") { $0.localName = Array("b.txt".utf8) }
    check("longer name") { $0.localName = Array("a.txt.exe".utf8) }
    check("method") { $0.localMethod = 8 }
    check("flags") { $0.localFlags = 1 }
    check("checksum") { $0.localSizes = (0, 3, 3) }
    check("size") { $0.localSizes = (ReferenceZlib.crc([1, 2, 3]), 2, 3) }
    check("full size") { $0.localSizes = (ReferenceZlib.crc([1, 2, 3]), 3, 2) }
    check("a descriptor promised only there") { $0.localFlags = 8 }
    check("no descriptor where one is promised") {
      $0.flags = 8
      $0.localSizes = (0, 0, 0)
    }
    check("a descriptor with another checksum") {
      $0.flags = 8
      $0.descriptor = HandmadeZip.four(1, 3, 3)
    }
  }

  @Test("report the other name of an inconsistent entry")
  func otherName() throws {
    var entry = Entry("photo.jpg", [1, 2, 3])
    entry.localName = Array("photo.jpeg".utf8)
    var unreadable = Entry("b", [1])
    unreadable.offset = 7
    let reader = try ZipReader(HandmadeZip(Entry("a", Array(repeating: 0, count: 40)), entry).data)
    #expect(reader.entries.map { reader.otherName(of: $0) } == [nil, "photo.jpeg"])
    var file = HandmadeZip(unreadable)
    file.prefix = [UInt8](repeating: 0, count: 40)
    let broken = try ZipReader(file.data)
    #expect(broken.entries.map { broken.otherName(of: $0) } == [nil])
  }

  @Test("may have data descriptors in all four forms")
  func descriptors() throws {
    let crc = ReferenceZlib.crc([1, 2, 3])
    let signature = Array("PK\u{7}\u{8}".utf8)
    let (short, long) = (HandmadeZip.four(crc, 3, 3), HandmadeZip.four(crc) + HandmadeZip.eight(3, 3))
    for descriptor in [short, long, signature + short, signature + long] {
      for isSaid in [true, false] {
        var entry = Entry("a", [1, 2, 3])
        entry.flags = 8
        entry.localSizes = isSaid ? nil : (0, 0, 0)
        entry.descriptor = descriptor
        #expect(try ZipReader(HandmadeZip(entry, Entry("b")).data).items()[0].content == Data([1, 2, 3]))
        entry.descriptor.removeLast()
        expect(.disagreement, HandmadeZip(entry), "a byte short")
      }
    }
  }

  @Test(
    "have errors with escaped names and offsets")
  func texts() {
    let error = ZipError(.encrypted, at: 30, entry: "a\u{1B}[2J", "It is encrypted")
    #expect("\(error)" == #"It is encrypted (entry "a\u{1B}[2J", byte 30). Unpack it with a tool and its password"#)
    #expect(error.localizedDescription == "\(error)" && "\(error.code)" == "encrypted")
    #expect("\(ZipError(.notZip, "It is none"))" == "It is none. Check that this is the right file")
    #expect("\(ZipError(.notZip, "It is none", remedy: "Unpack it"))" == "It is none. Unpack it")
    #expect(error == ZipError(.encrypted, at: 30, entry: "a\u{1B}[2J", "") && error != ZipError(.encrypted, at: 30, ""))
  }

  @Test("are rejected over the limits")
  func limits() {
    let file = HandmadeZip(Entry("abc", [1, 2, 3]), Entry("b", [1]))
    #expect(throws: Never.self) {
      try ZipReader(
        file.data,
        limits: ZipLimits(
          maximumEntryCount: 2, maximumDirectoryByteCount: 96, maximumNameByteCount: 3, maximumEntryByteCount: 3))
    }
    for limits in [
      ZipLimits(maximumEntryCount: 1), ZipLimits(maximumDirectoryByteCount: 95), ZipLimits(maximumNameByteCount: 2),
      ZipLimits(maximumEntryByteCount: 2), ZipLimits(maximumEntryByteCount: -1),
    ] {
      expect(.limitReached, file, "\(limits)", limits: limits)
    }
    #expect(throws: Never.self) {
      try ZipReader(file.data, limits: ZipLimits(maximumDepth: -1, maximumExpansion: -1)).items()
    }
  }

  @Test("are rejected without memory for a directory or for entries that are only claimed")
  func claimedDirectory() throws {
    // A hole of 16 TiB in front of the end records.
    let byteCount = 1 << 44
    let end = HandmadeZip.zip64(count: byteCount / 46, byteCount: byteCount, offset: 0, at: byteCount)
    var short = HandmadeZip()
    (short.entryCount, short.directoryByteCount, short.directoryOffset) = (.max, .max, .max)
    let file = Data(end) + short.data
    let error = #expect(throws: ZipError.self) {
      try ZipReader(
        byteCount: byteCount + file.count,
        limits: ZipLimits(maximumEntryCount: .max, maximumDirectoryByteCount: .max)
      ) { offset, count in
        #expect(count <= 1 << 20)
        if offset >= byteCount { return file.dropFirst(offset - byteCount).prefix(count) }
        return Data(count: min(count, byteCount - offset)) + file.prefix(max(0, offset + count - byteCount))
      }
    }
    #expect(error?.code == .badRecord)
  }

  @Test(
    "are rejected for other methods and encryption with distinct codes", arguments: [1, 6, 9, 12, 14, 93, 99, 0xFFFF])
  func methods(_ method: UInt16) {
    var entry = Entry("a", [1, 2, 3])
    entry.method = method
    expect(.unsupportedMethod, HandmadeZip(entry), "method \(method)")
    entry.flags = 1
    expect(.encrypted, HandmadeZip(entry), "method \(method)")
  }
}
