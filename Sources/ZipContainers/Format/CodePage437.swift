// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The characters of the first IBM PC: the encoding of names without the UTF-8 flag (APPNOTE, appendix D).
enum CodePage437 {
  /// The characters of the bytes from 128 on; those below are ASCII.
  private static let upperHalf: [Unicode.Scalar] = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ"
      + "áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
      + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)

  /// The text that these bytes spell.
  static func decode(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(byte < 128 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 128]) }
    return String(text)
  }
}
