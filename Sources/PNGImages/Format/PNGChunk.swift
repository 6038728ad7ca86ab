// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// The four letters of a chunk's type, as one number.
struct PNGChunkType: Hashable {
  let rawValue: UInt32

  static let imageHeader = Self(rawValue: 0x4948_4452)
  static let palette = Self(rawValue: 0x504C_5445)
  static let transparency = Self(rawValue: 0x7452_4E53)
  static let imageData = Self(rawValue: 0x4944_4154)
  static let imageEnd = Self(rawValue: 0x4945_4E44)
  /// The private chunk that Xcode puts in front of the header.
  static let appleOptimized = Self(rawValue: 0x4367_4249)

  /// Whether all four bytes are ASCII letters, as they must be (PNG specification, 5.3).
  var isWellFormed: Bool {
    bytes.allSatisfy { byte in byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }
  }

  /// Whether a reader that does not know the chunk must give up: the first letter is a capital one.
  var isCritical: Bool { rawValue & 0x2000_0000 == 0 }

  private var bytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
  }
}

extension PNGChunkType: CustomStringConvertible {
  /// The four letters, or the number where they are none.
  var description: String {
    isWellFormed ? String(decoding: bytes, as: UTF8.self) : "0x" + String(rawValue, radix: 16)
  }
}

/// A chunk whose length and checksum have been found good.
struct PNGChunk {
  let type: PNGChunkType
  /// Where the chunk begins, with its length field.
  let offset: Int
  /// The bytes the chunk holds.
  let content: Range<Int>

  /// Where the next chunk begins: behind the content and four bytes of CRC.
  var end: Int { content.upperBound + 4 }

  /// Reads the chunk at `offset` and checks its CRC.
  /// - Throws: ``PNGError`` with code `truncated`, `badChunk`, `limitReached` or `checksumMismatch`.
  init(_ file: RawSpan, at offset: Int, limits: PNGLimits) throws(PNGError) {
    let left = file.byteCount - offset
    guard left >= 12 else {
      throw PNGError(
        .truncated, at: offset, "A chunk takes at least 12 bytes, but the file ends after \(left); it was cut off")
    }
    let type = PNGChunkType(rawValue: file.bigEndian32(at: offset + 4))
    guard type.isWellFormed else {
      throw PNGError(.badChunk, at: offset + 4, "The type of a chunk must be four letters, but is \(type)")
    }
    let length = file.bigEndian32(at: offset)
    guard length <= 0x7FFF_FFFF else {
      throw PNGError(.badChunk, at: offset, "A chunk may hold 2^31 - 1 bytes, but \(type) claims \(length)")
    }
    guard Int(length) <= limits.maximumChunkByteCount else {
      throw PNGError(
        .limitReached, at: offset,
        "Chunk \(type) claims \(length) bytes where \(limits.maximumChunkByteCount) are allowed; raise "
          + "PNGLimits.maximumChunkByteCount to accept it")
    }
    guard Int(length) <= left - 12 else {
      throw PNGError(
        .truncated, at: offset,
        "Chunk \(type) claims \(length) bytes, but only \(left - 12) are left for it; the file was cut off")
    }
    self.type = type
    self.offset = offset
    content = offset + 8..<offset + 8 + Int(length)
    var crc = CRC32()
    crc.add(file, in: offset + 4..<content.upperBound)
    let expected = file.bigEndian32(at: content.upperBound)
    guard crc.value == expected else {
      throw PNGError(
        .checksumMismatch, at: content.upperBound,
        "The checksum of chunk \(type) is \(String(expected, radix: 16)) in the file, but its bytes give "
          + "\(String(crc.value, radix: 16)); the file is damaged")
    }
  }

  /// The same, for a reader that has already checked the chunk.
  init(knownIn file: RawSpan, at offset: Int) {
    type = PNGChunkType(rawValue: file.bigEndian32(at: offset + 4))
    self.offset = offset
    content = offset + 8..<offset + 8 + Int(file.bigEndian32(at: offset))
  }
}
