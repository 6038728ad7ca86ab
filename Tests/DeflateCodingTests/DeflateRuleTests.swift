// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding
import HarnessSupport
import TestSupport
import Testing

@Suite("Deflate rules")
struct DeflateRuleTests {
  /// Decompresses a handmade stream that should give `content`.
  @discardableResult
  private func decode(_ content: [UInt8], _ zlib: [UInt8]) throws -> [UInt8] {
    var room = [UInt8](repeating: 0xEE, count: content.count)
    try zlib.withBytes { zlib throws(DeflateError) in
      try room.withMutableBytes { room throws(DeflateError) in try ZlibStream.inflate(zlib, into: &room) }
    }
    return room
  }

  private func fixedBlock(_ body: (inout BitString) -> Void) -> [UInt8] {
    var bits = BitString()
    bits.append(1, 1)
    bits.append(1, 2)
    body(&bits)
    return bits.bytes
  }

  @Test("reads many empty blocks with fixed codes about as fast as stored ones")
  func emptyBlocks() throws {
    let last: [UInt8] = [1, 0, 0, 0xFF, 0xFF]
    // Each group has four blocks of ten bits: a bit that is not set, the type 1, and the code 0000000 for the end.
    let fixed = (0..<2000).flatMap { _ in [0x02, 0x08, 0x20, 0x80, 0x00] as [UInt8] } + last
    let stored = (0..<8000).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] } + last
    func time(_ blocks: [UInt8]) throws -> Double {
      let stream = ReferenceZlib.stream(blocks: blocks, [])
      return try System.leastTime { _ = try decode([], stream) }
    }
    // Tables that are built anew for each block make it more than 100 times as slow.
    #expect(try time(fixed) < time(stored) * 25)
  }

  @Test("decodes overlapping matches of every distance and length")
  func overlappingCopies() throws {
    for distance in 1...4 {
      for length in 3...10 {
        let block = fixedBlock { bits in
          for literal in 0..<4 {
            bits.append(code: "00110" + (literal < 2 ? "00" : "01") + (literal % 2 == 0 ? "0" : "1"))
          }
          // Length symbols 257 to 264 have 7 bits and no extra ones; distances 1 to 4 are symbols 0 to 3.
          let length7 = String(length - 2, radix: 2)
          bits.append(code: String(repeating: "0", count: 7 - length7.count) + length7)
          let distance5 = String(distance - 1, radix: 2)
          bits.append(code: String(repeating: "0", count: 5 - distance5.count) + distance5)
          bits.append(code: "0000000")
        }
        var content: [UInt8] = [0, 1, 2, 3]
        for _ in 0..<length { content.append(content[content.count - distance]) }
        #expect(try decode(content, ReferenceZlib.stream(blocks: block, content)) == content)
      }
    }
  }

  @Test("rejects a match before the start")
  func copyFromBefore() {
    let block = fixedBlock { bits in
      bits.append(code: "00110000")
      bits.append(code: "0000001")
      bits.append(code: "00001")
      bits.append(code: "0000000")
    }
    // The zlib header takes two bytes; 23 bits of the block are read.
    let error = #expect(throws: DeflateError.self) {
      try decode([0, 0, 0, 0], ReferenceZlib.stream(blocks: block, [0, 0, 0, 0]))
    }
    #expect(error?.code == .badData)
    #expect(error?.byteOffset == 2 + 2)
  }

  @Test("Codes that the fixed alphabet leaves undefined are refused", arguments: ["11000110", "11000111"])
  func undefinedLiteral(_ code: String) {
    let block = fixedBlock { $0.append(code: code) }
    #expect(throws: DeflateError.self) { try decode([0, 0], ReferenceZlib.stream(blocks: block, [0, 0])) }
  }

  @Test("Distances 30 and 31 do not exist", arguments: ["11110", "11111"])
  func undefinedDistance(_ code: String) {
    let block = fixedBlock { bits in
      bits.append(code: "00110000")
      bits.append(code: "0000001")
      bits.append(code: code)
      bits.append(code: "0000000")
    }
    let error = #expect(throws: DeflateError.self) {
      try decode([0, 0, 0, 0], ReferenceZlib.stream(blocks: block, [0, 0, 0, 0]))
    }
    #expect(error?.code == .badData)
  }

  @Test("rejects invalid zlib headers")
  func header() {
    let good = ReferenceZlib.stream(stored: [0, 7])
    #expect((try? decode([0, 7], good)) == [0, 7])
    for start in [[0x78, 0x02], [0x79, 0x01], [0x88, 0x1C], [0x78, 0x20]] as [[UInt8]] {
      #expect(throws: DeflateError.self) { try decode([0, 7], start + good[2...]) }
    }
  }

  @Test("rejects block type 3, a wrong stored length, a wrong Adler-32 and surplus bytes")
  func blocks() {
    let good = ReferenceZlib.stream(stored: [0, 7])
    let bad: [(DeflateError.Code, [UInt8])] = [
      (.badData, [0x78, 0x01, 0x07] + good[3...]),
      (.badData, Array(good[..<5]) + [good[5] ^ 1] + good[6...]),
      (.checksumMismatch, Array(good.dropLast()) + [9]),
      (.badData, good + [0]),
      (.truncated, Array(good.dropLast())),
    ]
    for (code, stream) in bad {
      let error = #expect(throws: DeflateError.self) { try decode([0, 7], stream) }
      #expect(error?.code == code)
    }
  }

  @Test("Dynamic codes must be complete, and end the block", arguments: 0..<5)
  func dynamicCodes(_ which: Int) {
    var bits = BitString()
    bits.append(1, 1)
    bits.append(2, 2)
    // Counts: literals minus 257, distances minus 1, code lengths minus 4.
    bits.append(which == 0 ? 30 : 0, 5)
    bits.append(which == 1 ? 31 : 0, 5)
    bits.append(15 - (which == 4 ? 15 : 0), 4)
    // Lengths in the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1 15: too many of one bit, or only one code.
    let lengths = which == 2 ? [Int](repeating: 1, count: 19) : [0, 0, 1] + [Int](repeating: 0, count: 16)
    for length in lengths { bits.append(length, 3) }
    for _ in 0..<64 { bits.append(0, 8) }
    let stream = ReferenceZlib.stream(blocks: bits.bytes, [0, 7])
    let error = #expect(throws: DeflateError.self) { try decode([0, 7], stream) }
    #expect(error?.code == .badData)
  }

  @Test("accepts a distance code with one symbol, as zlib does")
  func singleDistanceCode() throws {
    var bits = BitString()
    bits.append(1, 1)
    bits.append(2, 2)
    bits.append(1, 5)
    bits.append(0, 5)
    bits.append(14, 4)
    // Code lengths: 18 in one bit, 0 in three, 1 and 2 in two and three.
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
      bits.append([18: 1, 1: 2, 0: 3, 2: 3][symbol] ?? 0, 3)
    }
    // Canonical: 18 = 0, 1 = 10, 0 = 110, 2 = 111. Literal 0 gets one bit, the end and length 3 two each.
    bits.append(code: "10")
    bits.append(code: "0")
    bits.append(138 - 11, 7)
    bits.append(code: "0")
    bits.append(117 - 11, 7)
    bits.append(code: "111")
    bits.append(code: "111")
    // One distance code, of one bit.
    bits.append(code: "10")
    // Literal 0, a match of three from distance 1, the end.
    bits.append(code: "0")
    bits.append(code: "11")
    bits.append(code: "0")
    bits.append(code: "10")
    #expect(try decode([0, 0, 0, 0], ReferenceZlib.stream(blocks: bits.bytes, [0, 0, 0, 0])) == [0, 0, 0, 0])
  }
}
