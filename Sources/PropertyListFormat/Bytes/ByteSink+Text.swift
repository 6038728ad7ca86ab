// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension ByteSink {
  /// Appends `text` and returns true if it is ASCII; else returns false, with any part of it appended.
  package mutating func putASCII(_ text: Span<UInt8>) -> Bool {
    var i = 0
    let count = text.count
    while i &+ 8 <= count {
      if text.bigEndian(at: i, width: 8) & 0x8080_8080_8080_8080 != 0 { return false }
      i &+= 8
    }
    while i < count {
      if text[i] >= 0x80 { return false }
      i &+= 1
    }
    put(text)
    return true
  }

  /// Appends valid UTF-8 as big-endian UTF-16.
  package mutating func putUTF16(_ text: Span<UInt8>) {
    reserve(2 &* text.count)
    var i = 0
    while i < text.count {
      let lead = UInt32(text[i])
      let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      var scalar = length == 1 ? lead : lead & (0x7F >> UInt32(length))
      var k = 1
      while k < length {
        scalar = scalar << 6 | UInt32(text[i &+ k]) & 0x3F
        k &+= 1
      }
      i &+= length
      if scalar < 0x1_0000 {
        putBigEndian(UInt64(scalar), width: 2)
      } else {
        scalar &-= 0x1_0000
        putBigEndian(UInt64(0xD800 | scalar >> 10) << 16 | UInt64(0xDC00 | scalar & 0x3FF), width: 4)
      }
    }
  }
}
