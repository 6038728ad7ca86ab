// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

enum ZipName {
  /// The hosts whose tools write UTF-8 (APPNOTE 4.4.2).
  static let unix: UInt16 = 3
  static let darwin: UInt16 = 19

  /// Decodes a name.
  ///
  /// With the flag, a name is UTF-8. Without it, the encoding is code page 437, with two exceptions for existing tools.
  /// A Unicode path field takes precedence if its checksum matches the name (APPNOTE 4.6.9). Names from Unix or macOS
  /// are UTF-8 if they are valid UTF-8.
  /// - Throws: ``ZipError`` with code `badName`.
  static func decode(
    _ bytes: [UInt8], isUTF8: Bool, host: UInt16, unicodePath: [UInt8]?, at byteOffset: Int
  ) throws(ZipError) -> String {
    guard !bytes.isEmpty else { throw ZipError(.badName, at: byteOffset, "empty name of an entry") }
    // The common case needs one pass and no copy.
    if bytes.allSatisfy({ $0 < 128 }), unicodePath == nil { return String(decoding: bytes, as: UTF8.self) }
    if isUTF8 {
      guard let text = utf8(bytes) else {
        throw ZipError(.badName, at: byteOffset, "invalid name of an entry: expected UTF-8")
      }
      return text
    }
    if let unicodePath, let text = try text(of: unicodePath, for: bytes, at: byteOffset) { return text }
    if host == unix || host == darwin, let text = utf8(bytes) { return text }
    return CodePage437.decode(bytes)
  }

  /// Returns the name of a Unicode path field; nil if the field belongs to another name, because a tool renamed the
  /// entry.
  private static func text(
    of field: [UInt8], for name: [UInt8], at byteOffset: Int
  ) throws(ZipError) -> String? {
    guard field.count > 5, field[0] == 1 else { return nil }
    let expected = field.withBytes { $0.halfWord(at: 1) }
    var crc = CRC32()
    name.withBytes { crc.add($0, in: 0..<$0.byteCount) }
    guard crc.value == expected else { return nil }
    guard let text = utf8(Array(field[5...])) else {
      throw ZipError(.badName, at: byteOffset, "invalid Unicode name of an entry: expected UTF-8")
    }
    return text
  }

  /// Decodes UTF-8; nil if it is invalid.
  private static func utf8(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    // Repairs of invalid UTF-8 change its bytes.
    return text.utf8.elementsEqual(bytes) ? text : nil
  }
}

/// The character set of the first IBM PC. Names without the UTF-8 flag have it (APPNOTE, appendix D).
enum CodePage437 {
  /// The characters of the bytes from 128 on.
  private static let upperHalf: [Unicode.Scalar] = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ"
      + "áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
      + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)

  static func decode(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(byte < 128 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 128]) }
    return String(text)
  }
}
