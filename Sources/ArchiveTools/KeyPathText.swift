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

  /// Creates an empty path, which begins at the top level.
  package init() { text = "" }

  /// Creates a path that begins at an object.
  package init(_ uid: ArchiveUID) { text = uid.description }

  /// Appends a key of an object or of a dictionary. Shortens keys of more than 240 characters.
  package mutating func append(key: String) {
    let key = MessageText.shortened(key)
    if Self.isPlain(key), !(text.isEmpty && key.hasPrefix("#")) {
      text += text.isEmpty ? key : ".\(key)"
    } else {
      text += "[\"\(key.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"]"
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
