// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// The extra fields of an entry, which follow its name (APPNOTE 4.5).
struct ExtraFields {
  /// Sizes and an offset that need 64 bits (APPNOTE 4.5.3).
  static let zip64: UInt16 = 0x0001
  /// The time in seconds since 1970, Info-ZIP's "UT" field (APPNOTE 4.6.1).
  static let extendedTimestamp: UInt16 = 0x5455
  /// The name in UTF-8, in addition to another encoding (APPNOTE 4.6.9).
  static let unicodePath: UInt16 = 0x7075

  private var ranges: [UInt16: Range<Int>] = [:]

  /// Finds the fields in a range, which begins at `byteOffset` in the file. Up to three bytes of padding may follow.
  /// - Throws: ``ZipError`` with code `badRecord`.
  init(_ bytes: RawSpan, in range: Range<Int>, at byteOffset: Int, entry: String?) throws(ZipError) {
    var position = range.lowerBound
    while range.upperBound - position >= 4 {
      let id = bytes.quarterWord(at: position)
      let count = Int(bytes.quarterWord(at: position + 2))
      guard count <= range.upperBound - position - 4 else {
        throw ZipError(
          .badRecord, at: byteOffset + position - range.lowerBound, entry: entry,
          "extra field \(String(id, radix: 16)) too long: found \(count) bytes; only \(range.upperBound - position - 4) are left"
        )
      }
      let content = position + 4..<position + 4 + count
      guard ranges.updateValue(content, forKey: id) == nil || id != Self.zip64 else {
        throw ZipError(
          .badRecord, at: byteOffset + position - range.lowerBound, entry: entry, "duplicate Zip64 extra field")
      }
      position = content.upperBound
    }
  }

  /// The range of a field's content.
  subscript(id: UInt16) -> Range<Int>? { ranges[id] }
}

/// Reads the 64-bit numbers of a Zip64 field in order.
struct Zip64Field {
  private let content: Range<Int>
  private var next: Int

  init(_ content: Range<Int>?) {
    self.content = content ?? 0..<0
    next = self.content.lowerBound
  }

  /// Returns the value of a 32-bit field: itself, or the next number of the Zip64 field if it refers to one. Nil if
  /// none is left.
  mutating func value(of short: UInt32, _ bytes: RawSpan) -> UInt64? {
    guard short == EndRecord.sentinel32 else { return UInt64(short) }
    guard content.upperBound - next >= 8 else { return nil }
    defer { next += 8 }
    return bytes.word(at: next)
  }
}
