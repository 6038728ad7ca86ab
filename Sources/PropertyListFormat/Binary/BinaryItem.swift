// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// One object of a binary property list as it lies in the bytes: kind, size, and where its content starts.
///
/// Whoever holds one knows that the content lies wholly inside the object area.
@_spi(Archiving) public struct BinaryItem: Sendable, BitwiseCopyable {
  /// What an object is.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case null, `false`, `true`, integer, float, double, date, data, ascii, utf16, uid, array, set, dictionary

    /// Written out, for what the compiler makes is a call from other modules.
    @inlinable @inline(__always)
    public static func == (a: Self, b: Self) -> Bool {
      switch (a, b) {
      case (.null, .null), (.false, .false), (.true, .true), (.integer, .integer), (.float, .float),
        (.double, .double), (.date, .date), (.data, .data), (.ascii, .ascii), (.utf16, .utf16), (.uid, .uid),
        (.array, .array), (.set, .set), (.dictionary, .dictionary):
        true
      default: false
      }
    }

    /// The kind as messages have it.
    public var name: String {
      switch self {
      case .false, .true: "boolean"
      case .float, .double: "real"
      case .ascii, .utf16: "string"
      case .uid: "UID"
      default: "\(self)"
      }
    }
  }

  /// What the object is.
  public var kind: Kind
  /// Bytes of an integer or UID; bytes, UTF-16 units or elements of what has a count; keys of a dictionary.
  public var count: Int
  /// Offset of the first content byte.
  public var content: Int

  /// An object whose content is known to lie inside the object area.
  @inlinable
  public init(kind: Kind, count: Int, content: Int) {
    self.kind = kind
    self.count = count
    self.content = content
  }

  /// Whether it may be a string of so many bytes in UTF-8. Containers and numbers may be: their readers tell the error.
  package func mayBeText(ofByteCount byteCount: Int) -> Bool {
    switch kind {
    case .ascii: count == byteCount
    case .utf16: count <= byteCount && byteCount <= 3 * count
    default: true
    }
  }
}
