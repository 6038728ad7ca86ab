// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving
import PropertyListFormat

/// The text of a key path: `root.creatures[3].Title`, `root["a key with ]"]`, `#12.NS.relative`.
///
/// The command-line tool parses key paths with the same syntax.
package struct KeyPathText {
  /// The text of the steps so far.
  package private(set) var text: String
  /// Whether each key is whole, and a key with dots in quotes, so that the path leads to exactly one value.
  private let isExact: Bool

  /// Creates an empty path, which begins at the top level.
  package init(isExact: Bool = false) {
    text = ""
    self.isExact = isExact
  }

  /// Creates a path that begins at an object.
  package init(_ uid: ArchiveUID, isExact: Bool = false) {
    text = uid.description
    self.isExact = isExact
  }

  /// Appends a key of an object or of a dictionary. Shortens keys of more than 240 characters, unless the path is exact.
  package mutating func append(key: String) {
    let key = isExact ? key : MessageText.shortened(key)
    let isPlain = Self.isPlain(key) && !(text.isEmpty && key.hasPrefix("#"))
    if isPlain, !isExact || !key.utf8.contains(UInt8(ascii: ".")) {
      text += text.isEmpty ? key : ".\(key)"
    } else {
      text += "[\(EscapedText.quoted(key))]"
    }
  }

  /// Appends the index of an element.
  package mutating func append(index: Int) { text += "[\(index)]" }

  /// Returns whether a key needs no quotes. The parser finds dots in a key if other characters separate them.
  private static func isPlain(_ key: String) -> Bool {
    var (dots, wasDot) = (0, true)
    for scalar in key.unicodeScalars {
      switch scalar {
      case ".":
        dots += 1
        if wasDot { return false }
        wasDot = true
      case "[", "]", "\"", "'", "\\": return false
      default:
        if scalar.properties.isWhitespace || !isVisible(scalar) { return false }
        wasDot = false
      }
    }
    return !wasDot && dots <= 8
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
