// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Checksums and zlib streams the slow and plain way, straight from their specifications: what the library's own are held
/// against, and the means to make streams that break one rule.
public enum ReferenceZlib {
  /// The CRC-32, bit by bit.
  public static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var c: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      c ^= UInt32(byte)
      for _ in 0..<8 { c = c & 1 == 1 ? c >> 1 ^ 0xEDB8_8320 : c >> 1 }
    }
    return ~c
  }

  /// The Adler-32, byte by byte.
  public static func adler(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var a: UInt32 = 1
    var b: UInt32 = 0
    for byte in bytes {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    return b << 16 | a
  }

  /// One block that is not compressed, and the last; at most 65535 bytes.
  public static func storedBlock(_ bytes: [UInt8]) -> [UInt8] {
    let lengths: [UInt8] = [bytes.count, ~bytes.count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF)] }
    return [1] + lengths + bytes
  }

  /// A zlib stream around finished blocks.
  /// - Parameters:
  ///   - blocks: the blocks.
  ///   - content: what they stand for.
  /// - Returns: header, blocks and checksum.
  public static func stream(blocks: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let checksum = adler(content)
    let bytes: [UInt8] = [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: checksum >> shift) }
    return [0x78, 0x01] + blocks + bytes
  }

  /// A zlib stream that is not compressed; at most 65535 bytes.
  public static func stream(stored bytes: [UInt8]) -> [UInt8] { stream(blocks: storedBlock(bytes), bytes) }
}
