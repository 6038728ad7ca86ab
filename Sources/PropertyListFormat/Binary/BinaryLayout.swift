// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The binary format's constants. Markers are one byte: the kind in the high half, a count or width in the low half.
@_spi(Archiving) public enum BinaryLayout {
  /// `bplist00` as a big-endian number. The last character is a version that readers leave open.
  public static let magic: UInt64 = 0x6270_6C69_7374_3030
  /// Bytes of the header.
  public static let headerLength = 8
  /// Bytes of the trailer.
  public static let trailerLength = 32
  /// Header, one object of one byte... CoreFoundation asks for at least one byte of objects and one of offset table.
  public static let minimumLength = headerLength + 1 + trailerLength

  /// Null, which no Apple software writes.
  public static let null: UInt8 = 0x00
  /// The boolean false.
  public static let `false`: UInt8 = 0x08
  /// The boolean true.
  public static let `true`: UInt8 = 0x09
  /// An integer; the low half is the logarithm of its bytes.
  public static let integer: UInt8 = 0x10
  /// A real of 4 bytes.
  public static let float: UInt8 = 0x22
  /// A real of 8 bytes.
  public static let double: UInt8 = 0x23
  /// A date: a real of 8 bytes, seconds since 2001.
  public static let date: UInt8 = 0x33
  /// Data; the low half is the count of bytes.
  public static let data: UInt8 = 0x40
  /// A string of ASCII; the low half is the count of bytes.
  public static let ascii: UInt8 = 0x50
  /// A string of UTF-16; the low half is the count of units.
  public static let utf16: UInt8 = 0x60
  /// A UID; the low half is one less than its bytes.
  public static let uid: UInt8 = 0x80
  /// An array; the low half is the count of elements.
  public static let array: UInt8 = 0xA0
  /// A set; the low half is the count of elements.
  public static let set: UInt8 = 0xC0
  /// A dictionary; the low half is the count of keys.
  public static let dictionary: UInt8 = 0xD0

  /// The least of 1, 2, 4 and 8 bytes that holds `value`: the writer's rule for integers, UIDs, offsets and references.
  @inlinable
  public static func width(of value: UInt64) -> Int {
    value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
  }
}
