// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing

@testable import PropertyListFormat

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
    sink.fill(0x0102, width: 2, at: 0)
    let data = sink.finish()
    #expect([UInt8](data) == [1, 2] + expected.dropFirst(2))
    #expect(sink.finish() == Data())
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
