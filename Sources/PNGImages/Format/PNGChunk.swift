// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// The type of a chunk: four letters as one number.
struct PNGChunkType: Hashable {
  let rawValue: UInt32

  static let imageHeader = Self(rawValue: 0x4948_4452)
  static let palette = Self(rawValue: 0x504C_5445)
  static let transparency = Self(rawValue: 0x7452_4E53)
  static let imageData = Self(rawValue: 0x4944_4154)
  static let imageEnd = Self(rawValue: 0x4945_4E44)
  /// The private chunk that Xcode writes before the header.
  static let appleOptimized = Self(rawValue: 0x4367_4249)

  /// Whether all four bytes are ASCII letters, as required (PNG specification, 5.3).
  var isWellFormed: Bool {
    bytes.allSatisfy { byte in byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }
  }

  /// Whether decoders must reject the file if they do not know the chunk: the first letter is uppercase.
  var isCritical: Bool { rawValue & 0x2000_0000 == 0 }

  private var bytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
  }
}

extension PNGChunkType: CustomStringConvertible {
  /// The four letters, or the number if it is invalid.
  var description: String {
    isWellFormed ? String(decoding: bytes, as: UTF8.self) : "0x" + String(rawValue, radix: 16)
  }
}

/// A chunk with a valid length and checksum.
struct PNGChunk {
  let type: PNGChunkType
  /// The offset of the chunk, which begins with its length.
  let offset: Int
  /// The range of its content.
  let content: Range<Int>

  /// The offset of the next chunk, after the content and four bytes of CRC.
  var end: Int { content.upperBound + 4 }

  /// Reads the chunk at `offset` and checks its CRC.
  /// - Throws: ``PNGError`` with code `truncated`, `badChunk`, `limitReached` or `checksumMismatch`.
  init(_ file: RawSpan, at offset: Int, limits: PNGLimits) throws(PNGError) {
    let left = file.byteCount - offset
    guard left >= 12 else {
      throw PNGError(
        .truncated, at: offset,
        "File truncated: found \(left) bytes; expected a chunk of at least 12. Fetch the file again")
    }
    let type = PNGChunkType(rawValue: file.bigEndian32(at: offset + 4))
    guard type.isWellFormed else {
      throw PNGError(.badChunk, at: offset + 4, "Invalid chunk type: found \(type); expected four letters")
    }
    let length = file.bigEndian32(at: offset)
    guard length <= 0x7FFF_FFFF else {
      throw PNGError(.badChunk, at: offset, "Invalid length of chunk \(type): found \(length); expected below 2^31")
    }
    guard Int(length) <= limits.maximumChunkByteCount else {
      throw PNGError(
        .limitReached, at: offset,
        "Chunk \(type) too large: found \(length) bytes; expected at most \(limits.maximumChunkByteCount)",
        remedy: "If you trust the file, raise PNGLimits.maximumChunkByteCount")
    }
    guard Int(length) <= left - 12 else {
      throw PNGError(
        .truncated, at: offset,
        "File truncated: chunk \(type) has \(length) bytes, but only \(left - 12) follow. Fetch the file again")
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
        "Checksum mismatch in chunk \(type): found \(String(expected, radix: 16)); expected "
          + "\(String(crc.value, radix: 16)). Fetch the file again")
    }
  }

  /// Creates a chunk that was checked before.
  init(knownIn file: RawSpan, at offset: Int) {
    type = PNGChunkType(rawValue: file.bigEndian32(at: offset + 4))
    self.offset = offset
    content = offset + 8..<offset + 8 + Int(file.bigEndian32(at: offset))
  }
}
