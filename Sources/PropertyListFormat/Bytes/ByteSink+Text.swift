// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) extension Span where Element == UInt8 {
  /// Whether no byte is above 0x7F.
  public var isASCII: Bool {
    var i = 0
    while i &+ 8 <= count {
      if bigEndian(at: i, width: 8) & 0x8080_8080_8080_8080 != 0 { return false }
      i &+= 8
    }
    // The rest: the last bytes once more, or four from either end, or each.
    if i == count { return true }
    if count >= 8 { return bigEndian(at: count &- 8, width: 8) & 0x8080_8080_8080_8080 == 0 }
    if count >= 4 {
      return (bigEndian(at: 0, width: 4) | bigEndian(at: count &- 4, width: 4)) & 0x8080_8080 == 0
    }
    while i < count {
      if self[i] >= 0x80 { return false }
      i &+= 1
    }
    return true
  }

  /// How many UTF-16 units valid UTF-8 has.
  public var utf16Count: Int {
    var units = 0
    for i in 0..<count { units &+= self[i] >= 0xF0 ? 2 : self[i] & 0xC0 != 0x80 ? 1 : 0 }
    return units
  }
}

@_spi(Archiving) extension ByteSink {
  /// Appends valid UTF-8 as big-endian UTF-16.
  public mutating func putUTF16(_ text: Span<UInt8>) {
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
      reserve(4)
      if scalar < 0x1_0000 {
        putBigEndian(UInt64(scalar), width: 2)
      } else {
        scalar &-= 0x1_0000
        putBigEndian(UInt64(0xD800 | scalar >> 10) << 16 | UInt64(0xDC00 | scalar & 0x3FF), width: 4)
      }
    }
  }
}
