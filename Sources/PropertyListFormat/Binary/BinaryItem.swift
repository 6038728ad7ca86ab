// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// One object of a binary property list in its bytes: kind, length, and offset of its content.
///
/// The content of a valid item lies completely inside of the object area.
@_spi(Archiving) public struct BinaryItem: Sendable, BitwiseCopyable {
  /// The kind of an object.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case null, `false`, `true`, integer, float, double, date, data, ascii, utf16, uid, array, set, dictionary

    /// Returns whether two kinds are equal. The synthesized operator would be a call from other modules.
    /// - Parameters:
    ///   - a: A kind.
    ///   - b: Another kind.
    /// - Returns: Whether the kinds are equal.
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

    /// The name of the kind, as error messages use it.
    public var name: String {
      switch self {
      case .null: "null"
      case .false, .true: "boolean"
      case .integer: "integer"
      case .float, .double: "real"
      case .date: "date"
      case .data: "data"
      case .ascii, .utf16: "string"
      case .uid: "UID"
      case .array: "array"
      case .set: "set"
      case .dictionary: "dictionary"
      }
    }

    var isContainer: Bool { self == .dictionary || self == .array || self == .set }

    /// The marker of objects whose length is in the marker or after it, without the length; nil for other kinds.
    fileprivate var countedMarker: UInt8? {
      switch self {
      case .data: BinaryLayout.data
      case .ascii: BinaryLayout.ascii
      case .utf16: BinaryLayout.utf16
      case .array: BinaryLayout.array
      case .set: BinaryLayout.set
      case .dictionary: BinaryLayout.dictionary
      case .null, .false, .true, .integer, .float, .double, .date, .uid: nil
      }
    }
  }

  /// The kind of the object.
  public var kind: Kind
  /// The length. It counts the bytes of an integer, UID, ASCII string or data. It counts the units of a UTF-16 string,
  /// the elements of an array or set, and the keys of a dictionary.
  public var count: Int
  /// The offset of the first content byte.
  public var content: Int

  /// Creates an item.
  /// - Parameters:
  ///   - kind: The kind of the object.
  ///   - count: The length in the unit of the kind.
  ///   - content: The offset of the first content byte, which must be inside of the object area.
  @inlinable
  public init(kind: Kind, count: Int, content: Int) {
    self.kind = kind
    self.count = count
    self.content = content
  }

  /// Returns the offset of the marker, which the item does not store because only errors need it.
  ///
  /// Of a container, text or data, an integer with the length may be between the marker and the content.
  /// - Parameter bytes: The bytes of the file.
  /// - Returns: The offset of the marker.
  public func offset(in bytes: Span<UInt8>) -> Int {
    guard let marker = kind.countedMarker, content <= bytes.count else { return content - 1 }
    // Only one width fits, and none if the byte before the content is the marker of a short length.
    for (logarithm, width) in [1, 2, 4, 8].enumerated() {
      let start = content - width - 2
      guard start >= BinaryLayout.headerLength, bytes[start] == marker | 0x0F,
        bytes[start + 1] == BinaryLayout.integer | UInt8(logarithm),
        bytes.bigEndian(at: start + 2, width: width) == UInt64(count)
      else { continue }
      return start
    }
    return content - 1
  }

  /// Returns whether the item can be a string of `byteCount` bytes in UTF-8. The result is `true` for other kinds:
  /// their readers report the error.
  package func mayBeText(ofByteCount byteCount: Int) -> Bool {
    switch kind {
    case .ascii: count == byteCount
    case .utf16: count <= byteCount && byteCount <= 3 * count
    default: true
    }
  }
}

/// The constants of the binary format. A marker is one byte: the kind in the high half, a length or width in the low
/// half.
@_spi(Archiving) public enum BinaryLayout {
  /// `bplist00` as a big-endian number. Readers accept any last character, which is a version.
  public static let magic: UInt64 = 0x6270_6C69_7374_3030
  /// The length of the header.
  public static let headerLength = 8
  /// The length of the trailer.
  public static let trailerLength = 32
  /// The minimum length of a file. CoreFoundation requires at least one byte of objects and one of offset table.
  public static let minimumLength = headerLength + 1 + trailerLength

  /// Null, which no Apple software writes.
  public static let null: UInt8 = 0x00
  /// The Boolean false.
  public static let `false`: UInt8 = 0x08
  /// The Boolean true.
  public static let `true`: UInt8 = 0x09
  /// An integer; the low half is the binary logarithm of its width.
  public static let integer: UInt8 = 0x10
  /// A real of 4 bytes.
  public static let float: UInt8 = 0x22
  /// A real of 8 bytes.
  public static let double: UInt8 = 0x23
  /// A date: a real of 8 bytes, in seconds since 2001.
  public static let date: UInt8 = 0x33
  /// Data; the low half is the number of bytes.
  public static let data: UInt8 = 0x40
  /// An ASCII string; the low half is the number of bytes.
  public static let ascii: UInt8 = 0x50
  /// A UTF-16 string; the low half is the number of units.
  public static let utf16: UInt8 = 0x60
  /// A UID; the low half is its width minus one.
  public static let uid: UInt8 = 0x80
  /// An array; the low half is the number of elements.
  public static let array: UInt8 = 0xA0
  /// A set; the low half is the number of elements.
  public static let set: UInt8 = 0xC0
  /// A dictionary; the low half is the number of keys.
  public static let dictionary: UInt8 = 0xD0

  /// Returns the minimum width of 1, 2, 4 or 8 bytes for an integer, UID, offset or reference.
  /// - Parameter value: The number to store.
  /// - Returns: The width in bytes.
  @inlinable
  public static func width(of value: UInt64) -> Int {
    value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
  }
}
