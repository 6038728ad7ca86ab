// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving
import PropertyListFormat

/// The text of a key path: `root.creatures[3].Title`, `root["a.key"]`, `#12.NS.relative`.
///
/// The command-line tool parses key paths with the same syntax. A key with dots is in quotes, because the part before a dot can
/// be a key, too. Only those of Foundation, such as `NS.relative`, need none: the key `NS` is in quotes instead.
package struct KeyPathText {
  /// The text of the steps so far.
  package private(set) var text: String
  /// Whether each key is whole, and each key with dots in quotes, also those of Foundation.
  private let isExact: Bool
  /// Whether each key is whole.
  private let isWhole: Bool

  /// The part of Foundation's keys before the dot, as in `NS.relative`.
  package static let foundationPrefix = "NS"

  /// Creates an empty path, which begins at the top level.
  package init(isExact: Bool = false, isWhole: Bool = false) {
    text = ""
    self.isExact = isExact
    self.isWhole = isExact || isWhole
  }

  /// Creates a path that begins at an object.
  package init(_ uid: ArchiveUID, isExact: Bool = false, isWhole: Bool = false) {
    text = uid.description
    self.isExact = isExact
    self.isWhole = isExact || isWhole
  }

  /// Appends a key of an object or of a dictionary. Shortens keys of more than 240 characters, unless the path has whole keys.
  package mutating func append(key: String) {
    let key = isWhole ? key : MessageText.shortened(key)
    if Self.isUnquoted(key, isFirst: text.isEmpty), !isExact || !key.utf8.contains(UInt8(ascii: ".")) {
      text += text.isEmpty ? key : ".\(key)"
    } else {
      text += "[\(EscapedText.quoted(key))]"
    }
  }

  /// Appends the index of an element.
  package mutating func append(index: Int) { text += "[\(index)]" }

  /// Returns whether a key needs no quotes in a path that is not exact.
  /// - Parameters:
  ///   - key: The key.
  ///   - isFirst: Whether a path can begin with the key.
  /// - Returns: Whether the key needs no quotes.
  package static func isUnquoted(_ key: String, isFirst: Bool) -> Bool {
    guard isPlain(key), key != foundationPrefix, !isFirst || key.utf8.first != UInt8(ascii: "#") else { return false }
    return !key.utf8.contains(UInt8(ascii: ".")) || isFoundationKey(key)
  }

  /// Returns whether a key is one of Foundation's, with a single dot.
  private static func isFoundationKey(_ key: String) -> Bool {
    key.rest(after: "\(Self.foundationPrefix).").map { !$0.utf8.contains(UInt8(ascii: ".")) } ?? false
  }

  /// Returns whether a key has no characters that need quotes, apart from dots between others.
  private static func isPlain(_ key: String) -> Bool {
    var wasDot = true
    for scalar in key.unicodeScalars {
      switch scalar {
      case ".":
        if wasDot { return false }
        wasDot = true
      case "[", "]", "\"", "'", "\\": return false
      default:
        if isBlank(scalar) { return false }
        wasDot = false
      }
    }
    return !wasDot
  }

  /// Returns whether a character is white space or invisible. Its number says so in less time than its properties.
  package static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x80: scalar.value <= 0x20 || scalar.value == 0x7F
    case 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
    // The joiners, which are not hostile.
    case 0x200C, 0x200D: true
    default: EscapedText.isHostile(scalar)
    }
  }
}
