// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import DeflateCoding
import Foundation
import TestSupport
import Testing

/// Data for each case of the compressor.
struct Sample: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: [UInt8]
  /// The bytes as a stream, which several tests read.
  let stream: [UInt8]

  private init(testDescription: String, bytes: [UInt8]) {
    self.testDescription = testDescription
    self.bytes = bytes
    stream = bytes.withBytes { ZlibStream.compress($0, .plain) }
  }

  /// The blocks of the stream, without its header and its checksum.
  var blocks: [UInt8] { Array(stream.dropFirst(2).dropLast(4)) }

  static let all: [Sample] = {
    var random = SeededRandom(seed: 5)
    let words = ["ghost", "vampire", "mummy", "zombie", " ", "\n", "2010"]
    let noise = (0..<70_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let text = (0..<40_000).flatMap { _ in Array((words.randomElement(using: &random) ?? "").utf8) }
    let skewed = (0..<100_000).map { _ in UInt8(UInt64.random(in: 1...UInt64.max, using: &random).leadingZeroBitCount) }
    return [
      Sample(testDescription: "nothing", bytes: []),
      Sample(testDescription: "one byte", bytes: [65]),
      Sample(testDescription: "zeros", bytes: [UInt8](repeating: 0, count: 300_000)),
      Sample(testDescription: "more noise than one stored block holds", bytes: noise),
      Sample(testDescription: "text", bytes: text),
      Sample(testDescription: "a skewed alphabet", bytes: skewed),
      Sample(testDescription: "copies from as far as they reach", bytes: Array(noise[..<32_768]) + noise[..<40_000]),
      Sample(testDescription: "bytes that count", bytes: (0..<1000).map { UInt8($0 & 0xFF) }),
    ]
  }()
}

@Suite("Deflate, against other implementations")
struct ReferenceTests {
  private func inflate(_ bytes: [UInt8], count: Int) throws -> (content: [UInt8], end: Int) {
    var room = [UInt8](repeating: 0xEE, count: count)
    let end = try bytes.withBytes { bytes throws(DeflateError) in
      try room.withMutableBytes { room throws(DeflateError) in try Inflater.inflate(bytes, into: &room) }
    }
    return (room, end)
  }

  private func deflate(_ bytes: [UInt8], _ content: Deflater.Content) -> [UInt8] {
    bytes.withBytes { Deflater.compress($0, content) }
  }

  @Test("Blocks written here come back, and their end is found with other bytes behind", arguments: Sample.all)
  func roundTrip(_ sample: Sample) throws {
    for blocks in [sample.blocks, deflate(sample.bytes, .filtered)] {
      let (bytes, end) = try inflate(blocks + [1, 2, 3], count: sample.bytes.count)
      #expect(bytes == sample.bytes)
      #expect(end == blocks.count)
    }
  }

  @Test("Room of another size is refused", arguments: Sample.all)
  func wrongSize(_ sample: Sample) throws {
    let blocks = sample.blocks
    for count in [sample.bytes.count + 1, sample.bytes.count - 1] where count >= 0 {
      let error = #expect(throws: DeflateError.self) { try inflate(blocks, count: count) }
      #expect(error?.code == .wrongSize)
    }
  }

  @Test("The checksums are those of the plain definitions", arguments: Sample.all)
  func checksums(_ sample: Sample) {
    // Offsets within the eight bytes that are added at once.
    for start in 0..<min(9, max(1, sample.bytes.count)) where TestSupport.Sample.includes(start, each: 3) {
      var crc = CRC32()
      sample.bytes.withBytes { crc.add($0, in: min(start, $0.byteCount)..<$0.byteCount) }
      #expect(crc.value == ReferenceZlib.crc(sample.bytes.dropFirst(start)))
    }
    let expected = [24, 16, 8, 0].map { UInt8(ReferenceZlib.adler(sample.bytes) >> $0 & 0xFF) }
    #expect(Array(sample.stream.suffix(4)) == expected)
  }

  @Test(
    "Python's zlib decompresses the output, which is about as small as its own",
    .enabled(if: Python.isPresent, "\(Python.isAbsent)"), arguments: Sample.all)
  func pythonReads(_ sample: Sample) throws {
    let program = """
      import sys, zlib
      data = sys.stdin.buffer.read()
      reader = zlib.decompressobj()
      out = reader.decompress(data)
      assert reader.eof and not reader.unused_data
      assert len(data) <= 1.1 * len(zlib.compress(out, 6)) + 16, (len(data), len(zlib.compress(out, 6)))
      sys.stdout.buffer.write(out)
      """
    #expect(try Python.run(program, input: Data(sample.stream)) == Data(sample.bytes))
  }

  @Test(
    "decompresses Python's zlib output of any level and strategy",
    .enabled(if: Python.isPresent, "\(Python.isAbsent)"), arguments: Sample.all)
  func pythonWrites(_ sample: Sample) throws {
    // Each level with each strategy; without `WHOLE_TESTS`, every twelfth pair, others for each sample.
    let first = Sample.all.firstIndex { $0.testDescription == sample.testDescription } ?? 0
    let pairs = (0..<50).filter { TestSupport.Sample.includes($0 + first, each: 12) }
    let program = """
      import struct, sys, zlib
      data = sys.stdin.buffer.read()
      for pair in \(pairs):
          packer = zlib.compressobj(pair // 5, zlib.DEFLATED, -15, 9, pair % 5)
          # A flush in the middle gives an empty stored block there.
          out = packer.compress(data[:999]) + packer.flush(zlib.Z_SYNC_FLUSH)
          out += packer.compress(data[999:]) + packer.flush()
          sys.stdout.buffer.write(struct.pack("<I", len(out)) + out)
      """
    let output = [UInt8](try Python.run(program, input: Data(sample.bytes)))
    var at = 0
    var count = 0
    while at < output.count {
      let size = output[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
      let (bytes, end) = try inflate(Array(output[at + 4..<at + 4 + size]), count: sample.bytes.count)
      #expect(bytes == sample.bytes)
      #expect(end == size)
      at += 4 + size
      count += 1
    }
    #expect(count == pairs.count)
  }

  @Test("rejects a stream truncated at any byte")
  func truncation() {
    let content = Array("the ghost, the ghost, the vampire".utf8)
    let stream = content.withBytes { ZlibStream.compress($0, .plain) }
    for count in 0..<stream.count {
      var room = [UInt8](repeating: 0, count: content.count)
      let error = #expect(throws: DeflateError.self) {
        try stream[..<count].map { $0 }.withBytes { bytes throws(DeflateError) in
          try room.withMutableBytes { room throws(DeflateError) in try ZlibStream.inflate(bytes, into: &room) }
        }
      }
      #expect(error?.code == .truncated)
    }
  }
}
