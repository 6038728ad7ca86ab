// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Bits in the order of a deflate stream, for streams that no compressor produces.
struct BitString {
  private(set) var bytes: [UInt8] = []
  private var used = 8

  /// Appends a number, its lowest bit first.
  mutating func append(_ value: Int, _ width: Int) {
    for i in 0..<width {
      if used == 8 {
        bytes.append(0)
        used = 0
      }
      bytes[bytes.count - 1] |= UInt8(value >> i & 1) << UInt8(used)
      used += 1
    }
  }

  /// Appends a Huffman code, its highest bit first.
  mutating func append(code: String) {
    for bit in code { append(bit == "1" ? 1 : 0, 1) }
  }
}
