// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Hexadecimal numbers of a fixed width.
package enum HexText {
  /// Returns at least `count` hexadecimal digits of a number.
  package static func digits(_ number: some BinaryInteger, count: Int, uppercase: Bool = false) -> String {
    let digits = String(number, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }

  /// Returns the two digits of each byte, with a separator between bytes.
  package static func bytes(_ bytes: some Sequence<UInt8>, separator: String = "") -> String {
    bytes.map { digits($0, count: 2) }.joined(separator: separator)
  }
}
