// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// One entry of a ZIP file, as the directory describes it.
package struct ZipEntry: Sendable {
  /// What an entry is once unpacked.
  package enum Kind: Hashable, Sendable {
    /// Bytes.
    case file
    /// A folder; it has no bytes of its own.
    case folder
    /// A link: its bytes are the path it points to, which may be anything.
    case symbolicLink
    /// A device, a pipe or another thing that is no file.
    case special
  }

  /// The name, with `/` between folders, and behind them; not checked for being safe, see ``safePath(maximumDepth:)``.
  package let name: String
  /// What it is.
  package let kind: Kind
  /// How its bytes are stored.
  package let method: ZipMethod
  /// How many bytes it has.
  package let byteCount: Int
  /// How many bytes they take in the file.
  package let compressedByteCount: Int
  /// The checksum of its bytes.
  package let crc32: UInt32
  /// When it was last changed: to the second where the writer told universal time, else the clock of an unknown place
  /// taken as universal time. Nil where there is no sensible date.
  package let modified: Date?
  /// The Unix mode, kind of file included, where the writer gave one.
  package let unixMode: UInt16?
  /// Whether its bytes are encrypted, so that they cannot be read here.
  package let isEncrypted: Bool

  /// The general purpose flags (APPNOTE 4.4.4).
  let flags: ZipFlags
  /// Where in the file the entry's own header begins.
  let headerOffset: Int
  /// Where in the file the name stands that the directory gives it.
  let rawName: Range<Int>
  /// Where in the file the next entry begins, or the directory: nothing of this entry may stand there.
  var limit: Int
}

extension ZipEntry: Equatable {
  /// Equal if all is; names are compared by their bytes.
  package static func == (a: Self, b: Self) -> Bool {
    a.name.utf8.elementsEqual(b.name.utf8) && a.kind == b.kind && a.method == b.method && a.byteCount == b.byteCount
      && a.compressedByteCount == b.compressedByteCount && a.crc32 == b.crc32 && a.modified == b.modified
      && a.unixMode == b.unixMode && a.isEncrypted == b.isEncrypted && a.flags == b.flags
      && a.headerOffset == b.headerOffset && a.rawName == b.rawName && a.limit == b.limit
  }
}

/// How the bytes of an entry are stored (APPNOTE 4.4.5).
package struct ZipMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number in the file.
  package let rawValue: UInt16

  /// The method with a number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// As they are.
  package static let stored = ZipMethod(rawValue: 0)
  /// Compressed by deflate.
  package static let deflated = ZipMethod(rawValue: 8)

  /// The method's name, where it is one that writers use.
  package var description: String {
    let names: [UInt16: String] = [
      0: "stored", 1: "shrunk", 6: "imploded", 8: "deflated", 9: "deflate64", 12: "bzip2", 14: "LZMA",
      93: "Zstandard", 95: "XZ", 98: "PPMd", 99: "AES",
    ]
    return names[rawValue] ?? "method \(rawValue)"
  }
}

/// The general purpose flags of an entry (APPNOTE 4.4.4).
struct ZipFlags: OptionSet, Hashable, Sendable {
  let rawValue: UInt16

  static let encrypted = ZipFlags(rawValue: 1 << 0)
  /// Sizes and checksum stand behind the entry's bytes.
  static let dataDescriptor = ZipFlags(rawValue: 1 << 3)
  static let patchedData = ZipFlags(rawValue: 1 << 5)
  static let stronglyEncrypted = ZipFlags(rawValue: 1 << 6)
  /// The name is UTF-8.
  static let utf8 = ZipFlags(rawValue: 1 << 11)
  static let maskedHeader = ZipFlags(rawValue: 1 << 13)

  /// Those that decide what the bytes of an entry mean: its two records must agree on them.
  static let decisive: ZipFlags = [.encrypted, .dataDescriptor, .patchedData, .stronglyEncrypted, .maskedHeader]
}
