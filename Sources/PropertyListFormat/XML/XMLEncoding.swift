// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Converts the bytes of an XML file to UTF-8 without a byte-order mark.
package enum XMLEncoding {
  /// The text of a file in UTF-8.
  package struct Text {
    package var bytes: [UInt8]
    /// The offset in the file of the first byte: 3 after a byte-order mark, and nil if the file has another encoding.
    var fileOffset: Int?
  }

  /// Returns a file in UTF-8.
  /// - Throws: ``PropertyListError`` if the bytes are not valid in their encoding, or the encoding is not supported.
  package static func utf8(_ data: Data) throws(PropertyListError) -> Text {
    let bytes = [UInt8](data)
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xFE, 0xFF), (0x00, UInt8(ascii: "<")): return try utf16(bytes, isBig: true)
    case (0xFF, 0xFE), (UInt8(ascii: "<"), 0x00): return try utf16(bytes, isBig: false)
    case (0xEF, 0xBB) where bytes.count > 2 && bytes[2] == 0xBF: return try checked(Array(bytes[3...]), skipped: 3)
    default: break
    }
    guard let name = declaredName(bytes) else { return try checked(bytes, skipped: 0) }
    switch name.lowercased() {
    case "utf-8", "utf8", "us-ascii", "ascii": return try checked(bytes, skipped: 0)
    case "iso-8859-1", "latin1":
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count)
      for byte in bytes {
        if byte >= 0x80 { text.append(0xC0 | byte >> 6) }
        text.append(byte < 0x80 ? byte : 0x80 | byte & 0x3F)
      }
      return Text(bytes: text, fileOffset: nil)
    case "utf-16", "utf-16le", "utf-16be":
      throw PropertyListError(
        .malformedXML, at: 0, line: 1, "wrong encoding: the file says '\(name)', but its bytes are not in UTF-16",
        remedy: "If it is in UTF-8, write encoding=\"UTF-8\" in its first line")
    default:
      throw PropertyListError(
        .malformedXML, at: 0, line: 1,
        "unsupported encoding: found '\(name)'; expected UTF-8, UTF-16, US-ASCII or ISO-8859-1",
        remedy: "Convert the file to UTF-8")
    }
  }

  /// Returns whether a file begins as XML does: with a byte-order mark, or with `<` after any white space.
  static func isMarkup(_ data: Data) -> Bool {
    if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xEF, 0xBB, 0xBF]) {
      return true
    }
    // The first byte of UTF-16 may be zero.
    let first = data.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D && $0 != 0x00 }
    return first == UInt8(ascii: "<")
  }

  /// The encoding in the XML declaration, if the file has one.
  private static func declaredName(_ bytes: [UInt8]) -> String? {
    let head = bytes.prefix(256)
    guard head.starts(with: "<?xml".utf8), let end = head.firstIndex(of: UInt8(ascii: ">")) else { return nil }
    let word = Array("encoding".utf8)
    guard let start = head[..<end].indices.first(where: { head[$0..<end].starts(with: word) }),
      let quote = head[(start + word.count)..<end].firstIndex(where: {
        $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'")
      })
    else { return nil }
    let rest = head[(quote + 1)..<end]
    return rest.firstIndex(of: head[quote]).map { String(decoding: rest[..<$0], as: UTF8.self) }
  }

  private static func checked(_ bytes: [UInt8], skipped: Int) throws(PropertyListError) -> Text {
    if let offset = bytes.firstInvalidUTF8 {
      throw PropertyListError(.invalidText, at: offset + skipped, "invalid UTF-8 in the file")
    }
    return Text(bytes: bytes, fileOffset: skipped)
  }

  private static func utf16(_ bytes: [UInt8], isBig: Bool) throws(PropertyListError) -> Text {
    guard bytes.count.isMultiple(of: 2) else {
      throw PropertyListError(
        .truncated, at: bytes.count, "invalid UTF-16 file: found an odd number of bytes",
        remedy: PropertyListError.compareSize)
    }
    func unit(_ index: Int) -> UInt16 {
      let (a, b) = (UInt16(bytes[2 * index]), UInt16(bytes[2 * index + 1]))
      return isBig ? a << 8 | b : b << 8 | a
    }
    let count = bytes.count / 2
    var text: [UInt8] = []
    text.reserveCapacity(count)
    var index = count > 0 && unit(0) == 0xFEFF ? 1 : 0
    while index < count {
      let first = unit(index)
      var scalar = Unicode.Scalar(first)
      if UTF16.isLeadSurrogate(first), index + 1 < count, UTF16.isTrailSurrogate(unit(index + 1)) {
        index += 1
        scalar = Unicode.Scalar(0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(unit(index)) & 0x3FF)
      }
      guard let scalar else {
        throw PropertyListError(
          .invalidText, at: 2 * index, "invalid UTF-16 in the file: found a lone surrogate")
      }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      index += 1
    }
    return Text(bytes: text, fileOffset: nil)
  }
}
