// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import PropertyListFormat

@Suite("All rows of a list at once")
struct WholeTableTests {
  @Test(
    "are what the rows are one by one",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)),
    arguments: BinaryRoundTripTests.files)
  func areTheSame(_ file: TestFile) throws {
    let list = try PropertyList(try file.data())
    let rows = try (0..<UInt32(list.objectCount)).map { try list.object(ObjectRef(rawValue: $0)) }
    #expect(try list.objects() == rows)
  }

  @Test("of a changed list have the change in them")
  func haveTheChange() throws {
    var list = try PropertyList(table: [.array([ObjectRef(rawValue: 1)]), .integer(1)], top: ObjectRef(rawValue: 0))
    list.replace(ObjectRef(rawValue: 1), with: .integer(2))
    #expect(try list.objects() == [.array([ObjectRef(rawValue: 1)]), .integer(2)])
  }

  @Test("cannot be made many times the file by rows that overlap")
  func overlapIsLimited() throws {
    // One array of 300 references, and 2,000 rows that all are this array.
    var bytes = Array("bplist00".utf8) + [0xAF, 0x11, 0x01, 0x2C] + [UInt8](repeating: 0, count: 600)
    let table = bytes.count
    for _ in 0..<2000 { bytes += [0, 8] }
    bytes += [0, 0, 0, 0, 0, 0, 2, 2]
    for number in [2000, 0, table] { bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
    let list = try PropertyList(Data(bytes))
    let error = try #require(throws: PropertyListError.self) { try list.objects() }
    #expect(error.code == .limitReached)
  }
}

@Suite("The block of memory that files are written into")
struct GrowingBytesTests {
  @Test("grows as it must and hands over what was stored", arguments: [0, 1, 7, 64, 1000])
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
    let data = sink.finish(patches: [(offset: 0, numbers: [0x0102])], width: 2)
    #expect([UInt8](data) == [1, 2] + expected.dropFirst(2))
    #expect(sink.finish(patches: [], width: 1) == Data())
  }

  @Test("traps on a store for which no room was made")
  func traps() async {
    await #expect(processExitsWith: .failure) {
      var bytes = GrowingBytes()
      bytes.makeRoom(16)
      bytes.store(bigEndian: 1, at: 9)
    }
    await #expect(processExitsWith: .failure) {
      var bytes = GrowingBytes()
      bytes.store(1, at: 0)
    }
    await #expect(processExitsWith: .failure) {
      var bytes = GrowingBytes()
      bytes.makeRoom(4)
      bytes.store([1, 2, 3].span, at: 2)
    }
  }
}
