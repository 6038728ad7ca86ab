// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// How the bytes of a name become text.
enum ZipName {
  /// The systems that a record may come from and whose tools write UTF-8 (APPNOTE 4.4.2).
  static let unix: UInt16 = 3
  static let darwin: UInt16 = 19

  /// The text of a name.
  ///
  /// With the flag it is UTF-8. Without it is code page 437, with two exceptions that tools make: a field with the same
  /// name in UTF-8, which counts while its checksum is that of the name (APPNOTE 4.6.9); and names from Unix or a Mac
  /// that are sound UTF-8, since tools there write such and leave the flag out.
  /// - Throws: ``ZipError`` with code `badName`.
  static func decode(
    _ bytes: [UInt8], isUTF8: Bool, host: UInt16, unicodePath: [UInt8]?, at byteOffset: Int
  ) throws(ZipError) -> String {
    guard !bytes.isEmpty else { throw ZipError(.badName, at: byteOffset, "The name of an entry is empty") }
    // One pass and no copy for what nearly all names are.
    if bytes.allSatisfy({ $0 < 128 }), unicodePath == nil { return String(decoding: bytes, as: UTF8.self) }
    if isUTF8 {
      guard let text = utf8(bytes) else {
        throw ZipError(.badName, at: byteOffset, "The name of an entry claims to be UTF-8 and is not")
      }
      return text
    }
    if let unicodePath, let text = try text(of: unicodePath, for: bytes, at: byteOffset) { return text }
    if host == unix || host == darwin, let text = utf8(bytes) { return text }
    return CodePage437.decode(bytes)
  }

  /// The name in the field; nil where it belongs to another name, as a tool leaves it that renamed the entry.
  private static func text(
    of field: [UInt8], for name: [UInt8], at byteOffset: Int
  ) throws(ZipError) -> String? {
    guard field.count > 5, field[0] == 1 else { return nil }
    let expected = field.withBytes { $0.halfWord(at: 1) }
    var crc = CRC32()
    name.withBytes { crc.add($0, in: 0..<$0.byteCount) }
    guard crc.value == expected else { return nil }
    guard let text = utf8(Array(field[5...])) else {
      throw ZipError(.badName, at: byteOffset, "The Unicode name of an entry is not UTF-8")
    }
    return text
  }

  /// The text, where the bytes are sound UTF-8.
  private static func utf8(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    // What was repaired has other bytes.
    return text.utf8.elementsEqual(bytes) ? text : nil
  }
}
