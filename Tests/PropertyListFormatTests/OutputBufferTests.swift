// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing

@_spi(Archiving) @testable import PropertyListFormat

@Suite("OutputBuffer and ByteSink")
struct GrowingBytesTests {
  @Test("the buffer grows and returns the stored bytes", arguments: [0, 1, 7, 64, 1000])
  func grows(_ capacity: Int) {
    var sink = ByteSink(capacity: capacity)
    var expected: [UInt8] = []
    var random = SystemRandomNumberGenerator()
    for round in 0..<500 {
      switch round % 3 {
      case 0:
        let value = UInt64.random(in: 0...(.max), using: &random)
        let width = round % 8 + 1
        sink.reserve(8)
        sink.putBigEndian(value, width: width)
        expected += (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - $0))) }
      case 1:
        sink.reserve(1)
        sink.put(UInt8(truncatingIfNeeded: round))
        expected.append(UInt8(truncatingIfNeeded: round))
      default:
        let more = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: round)
        sink.put(more.span)
        expected += more
      }
    }
    #expect(sink.count == expected.count)
    sink.fill(0x0102, width: 2, at: 0)
    let data = sink.finish()
    #expect([UInt8](data) == [1, 2] + expected.dropFirst(2))
    #expect(sink.finish() == Data())
  }

  @Test("the sink narrows 4-byte numbers to 1, 2 or 4 bytes", arguments: [1, 2, 4])
  func narrows(_ width: Int) {
    let numbers: [UInt8] = [0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 255]
    var sink = ByteSink(capacity: 0)
    sink.reserve(1)
    sink.put(7)
    sink.put(low: width, ofEachFourIn: numbers.span)
    sink.put(low: width, ofEachFourIn: [UInt8]().span)
    let expected: [Int: [UInt8]] = [1: [2, 4, 255], 2: [1, 2, 3, 4, 0, 255], 4: numbers]
    #expect([UInt8](sink.finish()) == [7] + (expected[width] ?? []))
  }

  @Test("the sink repeats written bytes")
  func repeats() {
    var sink = ByteSink(capacity: 0)
    sink.put([1, 2, 3, 4].span)
    sink.reserve(3)
    sink.repeatBytes(3, from: 1)
    #expect([UInt8](sink.finish()) == [1, 2, 3, 4, 2, 3, 4])
  }

  @Test("the writer combines a marker and a short number")
  func shortNumbers() throws {
    let numbers: [UInt64] = [0, 1, 255, 256, 65_535, 65_536, 0xFFFF_FFFF, 0x1_0000_0000, .max]
    var writer = BinaryWriter(objectCount: 1 + 2 * numbers.count, byteCount: 10)
    writer.beginContainer(BinaryLayout.array, count: 2 * numbers.count)
    for reference in 1...2 * numbers.count { writer.put(reference: UInt32(reference)) }
    for number in numbers {
      writer.put(Int64(bitPattern: number))
      writer.put(uid: number & 0xFFFF_FFFF)
    }
    let list = try PropertyList(writer.finish(top: 0))
    for (place, number) in numbers.enumerated() {
      let integer = try list.object(ObjectRef(rawValue: UInt32(1 + 2 * place)))
      let uid = try list.object(ObjectRef(rawValue: UInt32(2 + 2 * place)))
      #expect(integer == .integer(Int64(bitPattern: number)))
      #expect(uid == .uid(number & 0xFFFF_FFFF))
    }
  }

  @Test("the buffer exposes the written bytes")
  func shows() {
    var bytes = OutputBuffer()
    bytes.withBytes(0) { #expect($0.count == 0) }
    bytes.makeRoom(8)
    bytes.store(bigEndian: 0x0102_0304_0506_0708, at: 0)
    bytes.withBytes(3) { shown in #expect((0..<shown.count).map { shown[$0] } == [1, 2, 3]) }
  }

  @Test("the writer copies strings that were encoded in advance")
  func encodedObjects() throws {
    var writer = BinaryWriter(objectCount: 5, byteCount: 10)
    writer.beginContainer(BinaryLayout.array, count: 4)
    for reference in 1...4 { writer.put(reference: UInt32(reference)) }
    writer.put(EncodedObjects(["$version", "a text of more than fifteen letters", "Kreatür"]))
    writer.put("last")
    let list = try PropertyList(writer.finish(top: 0))
    let texts = try (1...4).map { try list.object(ObjectRef(rawValue: $0)) }
    #expect(texts == ["$version", "a text of more than fifteen letters", "Kreatür", "last"].map { .string($0) })
  }

  @Test("the writer discards a long table of offsets while it copies it", arguments: [(20_000, 2), (40_000, 4)])
  func longTable(_ count: Int, _ offsetWidth: UInt8) throws {
    var writer = BinaryWriter(objectCount: 1 + count, byteCount: 10)
    writer.beginContainer(BinaryLayout.array, count: 0)
    for number in 0..<count { writer.put(Int64(number % 200)) }
    let data = writer.finish(top: 0)
    #expect(data[data.count - 26] == offsetWidth)
    let list = try PropertyList(data)
    for number in 0..<count {
      let object = try list.object(ObjectRef(rawValue: UInt32(1 + number)))
      try #require(object == .integer(Int64(number % 200)))
    }
  }

  @Test("discarded bytes do not change those around them")
  func discards() {
    let size = 1 << 20
    var bytes = OutputBuffer()
    bytes.makeRoom(size)
    for offset in stride(from: 0, to: size, by: 8) { bytes.store(bigEndian: UInt64(offset) | 1, at: offset) }
    let range = 40_000..<600_008
    bytes.discard(range)
    bytes.withBytes(size) { shown in
      for offset in stride(from: 0, to: size, by: 8) where !range.contains(offset) {
        #expect(shown.bigEndian(at: offset, width: 8) == UInt64(offset) | 1)
      }
    }
    bytes.store(bigEndian: 7, at: 40_000)
    bytes.withBytes(40_008) { shown in #expect(shown.bigEndian(at: 40_000, width: 8) == 7) }
  }

  @Test("a text is ASCII or UTF-16 by each of its characters, as Foundation reads it", arguments: 0...70)
  func texts(_ count: Int) throws {
    for position in 0...count {
      // The last round is without the other character.
      var characters = [Character](repeating: "a", count: count)
      for index in 0..<count { characters[index] = Character(UnicodeScalar(UInt8(0x21 + index))) }
      if position < count { characters[position] = "\u{E9}" }
      let text = String(characters)
      var writer = BinaryWriter(objectCount: 1, byteCount: 0)
      writer.put(text)
      let data = writer.finish(top: 0)
      #expect(data[8] >> 4 == (position < count ? 6 : 5))
      let read = try unsafe PropertyListSerialization.propertyList(from: data, format: nil) as? String
      #expect(read.map { Array($0.utf8) } == Array(text.utf8), "character \(position)")
    }
  }

  @Test("a store without reserved space traps")
  func traps() async {
    await #expect(processExitsWith: .failure) {
      var bytes = OutputBuffer()
      bytes.makeRoom(16)
      _ = bytes.store(ascii: ([1, 2, 3, 4, 5, 6, 7, 8] as [UInt8]).span, at: 9)
    }
    await #expect(processExitsWith: .failure) {
      var bytes = OutputBuffer()
      bytes.makeRoom(16)
      bytes.store(bigEndian: 1, at: 9)
    }
    await #expect(processExitsWith: .failure) {
      var bytes = OutputBuffer()
      bytes.store(1, at: 0)
    }
    await #expect(processExitsWith: .failure) {
      var bytes = OutputBuffer()
      bytes.makeRoom(4)
      bytes.store([1, 2, 3].span, at: 2)
    }
    await #expect(processExitsWith: .failure) {
      var bytes = OutputBuffer()
      bytes.makeRoom(3)
      bytes.store(low: 2, ofEachFourIn: [0, 0, 0, 0, 0, 0, 0, 0].span, at: 0)
    }
    await #expect(processExitsWith: .failure) {
      var bytes = OutputBuffer()
      bytes.makeRoom(3)
      bytes.withBytes(4) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      var bytes = OutputBuffer()
      bytes.makeRoom(8)
      bytes.copy(4, from: 2, to: 4)
    }
  }
}
