// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving
import PropertyListFormat

/// Ways through an archive's graph in words: `root.creatures[3].Title`, `root["a key with ]"]`, `#12.NS.relative`.
///
/// What these words are made of is what the command line's key paths are parsed from.
package struct KeyPathText {
  /// The words so far.
  package private(set) var text: String

  /// Begins at the top.
  package init() { text = "" }

  /// Begins at an object.
  package init(_ uid: ArchiveUID) { text = uid.description }

  /// A key, of an object or of a dictionary. Keys of more than 240 characters are cut.
  package mutating func append(key: String) {
    let key = MessageText.shortened(key)
    if Self.isPlain(key), !(text.isEmpty && key.hasPrefix("#")) {
      text += text.isEmpty ? key : ".\(key)"
    } else {
      text += "[\"\(key.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"]"
    }
  }

  /// A place among elements.
  package mutating func append(index: Int) { text += "[\(index)]" }

  /// Whether a key can stand without quotes: dots in it are found again if there is something between them.
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
