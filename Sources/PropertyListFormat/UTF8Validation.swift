// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Text from untrusted bytes. Invalid text is rejected and not repaired.
//
// The standard library's `UTF8Span` is the fastest way, and needs macOS 26. Older systems scan the bytes themselves.
// With `OLD_SYSTEMS` all systems do, so that tests cover it.

extension Span<UInt8> {
  /// The offset of the first sequence that is not valid UTF-8; nil if all are.
  package var firstInvalidUTF8: Int? {
    #if !OLD_SYSTEMS
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        do {
          _ = try UTF8Span(validating: self)
          return nil
        } catch {
          return error.byteOffsets.lowerBound
        }
      }
    #endif
    return scanForInvalidUTF8()
  }

  /// The bytes as text; nil if they are not valid UTF-8.
  package var validUTF8: String? {
    #if !OLD_SYSTEMS
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        guard let text = try? UTF8Span(validating: self) else { return nil }
        return String(copying: text)
      }
    #endif
    return scanForInvalidUTF8() == nil ? repairedUTF8 : nil
  }

  /// The bytes as text; nil if they are not ASCII.
  @inline(__always)
  var validASCII: String? {
    #if !OLD_SYSTEMS
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        guard let text = try? UTF8Span(validating: self), text.isKnownASCII || count == 0 else { return nil }
        return String(copying: text)
      }
    #endif
    return isASCII ? repairedUTF8 : nil
  }

  /// Returns the scalar at an offset of valid UTF-8, and its number of bytes.
  @inlinable
  package func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = self[offset]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for index in offset &+ 1..<offset &+ length { value = value << 6 | UInt32(self[index]) & 0x3F }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }

  /// Finds the first sequence that is not one of the Unicode Standard's table 3-7, "Well-Formed UTF-8 Byte Sequences".
  package func scanForInvalidUTF8() -> Int? {
    var i = 0
    while true {
      while i &+ 8 <= count, bigEndian(at: i, width: 8) & 0x8080_8080_8080_8080 == 0 { i &+= 8 }
      while i < count, self[i] < 0x80 { i &+= 1 }
      guard i < count else { return nil }
      while i < count, self[i] >= 0x80 {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch self[i] {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return i
        }
        guard length <= count &- i, second ~= self[i &+ 1] else { return i }
        guard length < 3 || self[i &+ 2] & 0xC0 == 0x80, length < 4 || self[i &+ 3] & 0xC0 == 0x80 else { return i }
        i &+= length
      }
    }
  }
}
