// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// One object of a binary property list as it lies in the bytes: kind, size, and where its content starts.
///
/// Whoever holds one knows that the content lies wholly inside the object area.
package struct BinaryItem: Sendable {
  package enum Kind: UInt8, Sendable {
    case null, `false`, `true`, integer, float, double, date, data, ascii, utf16, uid, array, set, dictionary

    /// The kind as messages have it.
    package var name: String {
      switch self {
      case .false, .true: "boolean"
      case .float, .double: "real"
      case .ascii, .utf16: "string"
      case .uid: "UID"
      default: "\(self)"
      }
    }
  }

  package var kind: Kind
  /// Bytes of an integer or UID; bytes, UTF-16 units or elements of what has a count; keys of a dictionary.
  package var count: Int
  /// Offset of the first content byte.
  package var content: Int

  @inlinable
  package init(kind: Kind, count: Int, content: Int) {
    self.kind = kind
    self.count = count
    self.content = content
  }
}
