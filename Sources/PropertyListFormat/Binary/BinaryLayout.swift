// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The binary format's constants. Markers are one byte: the kind in the high half, a count or width in the low half.
package enum BinaryLayout {
  /// `bplist00` as a big-endian number. The last character is a version that readers leave open.
  package static let magic: UInt64 = 0x6270_6C69_7374_3030
  package static let headerLength = 8
  package static let trailerLength = 32
  /// Header, one object of one byte... CoreFoundation asks for at least one byte of objects and one of offset table.
  package static let minimumLength = headerLength + 1 + trailerLength

  package static let null: UInt8 = 0x00
  package static let `false`: UInt8 = 0x08
  package static let `true`: UInt8 = 0x09
  package static let integer: UInt8 = 0x10
  package static let float: UInt8 = 0x22
  package static let double: UInt8 = 0x23
  package static let date: UInt8 = 0x33
  package static let data: UInt8 = 0x40
  package static let ascii: UInt8 = 0x50
  package static let utf16: UInt8 = 0x60
  package static let uid: UInt8 = 0x80
  package static let array: UInt8 = 0xA0
  package static let set: UInt8 = 0xC0
  package static let dictionary: UInt8 = 0xD0

  /// The least of 1, 2, 4 and 8 bytes that holds `value`: the writer's rule for integers, UIDs, offsets and references.
  @inlinable
  package static func width(of value: UInt64) -> Int {
    value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
  }
}
