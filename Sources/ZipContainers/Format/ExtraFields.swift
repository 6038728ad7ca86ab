// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// The extra fields of an entry: numbered pieces behind its name (APPNOTE 4.5).
struct ExtraFields {
  /// The sizes and the offset where 32 bits do not hold them (APPNOTE 4.5.3).
  static let zip64: UInt16 = 0x0001
  /// The time in universal seconds; Info-ZIP's "UT" field (APPNOTE 4.6.1 lists it).
  static let extendedTimestamp: UInt16 = 0x5455
  /// The name in UTF-8, beside another form in the name field (APPNOTE 4.6.9).
  static let unicodePath: UInt16 = 0x7075

  private var places: [UInt16: Range<Int>] = [:]

  /// Finds the fields.
  /// - Parameters:
  ///   - bytes: what holds them.
  ///   - range: where they are; a field must end in there. Up to three zeros of padding may end it.
  ///   - byteOffset: where in the file they begin, for errors.
  ///   - entry: whose fields they are, for errors.
  /// - Throws: ``ZipError`` with code `badRecord`.
  init(_ bytes: RawSpan, in range: Range<Int>, at byteOffset: Int, entry: String?) throws(ZipError) {
    var place = range.lowerBound
    while range.upperBound - place >= 4 {
      let id = bytes.quarterWord(at: place)
      let count = Int(bytes.quarterWord(at: place + 2))
      guard count <= range.upperBound - place - 4 else {
        throw ZipError(
          .badRecord, at: byteOffset + place - range.lowerBound, entry: entry,
          "Extra field \(String(id, radix: 16)) claims \(count) bytes, but only \(range.upperBound - place - 4) are left"
        )
      }
      let content = place + 4..<place + 4 + count
      guard places.updateValue(content, forKey: id) == nil || id != Self.zip64 else {
        throw ZipError(
          .badRecord, at: byteOffset + place - range.lowerBound, entry: entry, "There are two Zip64 extra fields")
      }
      place = content.upperBound
    }
  }

  /// Where the content of a field is.
  subscript(id: UInt16) -> Range<Int>? { places[id] }
}

/// Takes the 64-bit numbers of a Zip64 field one after another.
struct Zip64Field {
  private let content: Range<Int>
  private var next: Int

  init(_ content: Range<Int>?) {
    self.content = content ?? 0..<0
    next = self.content.lowerBound
  }

  /// What a field of 32 bits means: itself, or the next number here where it says so; nil where there is none.
  mutating func value(of short: UInt32, _ bytes: RawSpan) -> UInt64? {
    guard short == EndRecord.sentinel32 else { return UInt64(short) }
    guard content.upperBound - next >= 8 else { return nil }
    defer { next += 8 }
    return bytes.word(at: next)
  }
}
