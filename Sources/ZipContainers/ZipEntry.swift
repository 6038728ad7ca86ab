// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An entry of a ZIP file, as described by the directory.
package struct ZipEntry: Sendable {
  package enum Kind: Hashable, Sendable {
    case file
    /// A folder, which has no content.
    case folder
    /// A symbolic link, whose content is any path.
    case symbolicLink
    /// A device, a pipe or the like.
    case special
  }

  /// The name with `/` as separator, and at the end of a folder. It may be unsafe; see ``safePath(maximumDepth:)``.
  package let name: String
  package let kind: Kind
  package let method: ZipMethod
  package let byteCount: Int
  /// The number of bytes in the file.
  package let compressedByteCount: Int
  package let crc32: UInt32
  /// The modification date; nil without a valid one. If the writer stored only local time, it is treated as universal
  /// time.
  package let modified: Date?
  /// The Unix mode with the type of the file, if the writer stored one.
  package let unixMode: UInt16?
  package let isEncrypted: Bool

  let flags: ZipFlags
  package let headerOffset: Int
  /// The range of the name in the directory.
  let rawName: Range<Int>
  /// The offset of the next entry or of the directory, where this entry must end.
  var limit: Int
}

extension ZipEntry: Equatable {
  /// Compares all properties; names are compared bytewise.
  package static func == (a: Self, b: Self) -> Bool {
    a.name.utf8.elementsEqual(b.name.utf8) && a.kind == b.kind && a.method == b.method && a.byteCount == b.byteCount
      && a.compressedByteCount == b.compressedByteCount && a.crc32 == b.crc32 && a.modified == b.modified
      && a.unixMode == b.unixMode && a.isEncrypted == b.isEncrypted && a.flags == b.flags
      && a.headerOffset == b.headerOffset && a.rawName == b.rawName && a.limit == b.limit
  }
}

/// A compression method (APPNOTE 4.4.5).
package struct ZipMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// No compression.
  package static let stored = ZipMethod(rawValue: 0)
  /// Deflate.
  package static let deflated = ZipMethod(rawValue: 8)

  /// The name of a method that writers use, or else its number.
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
  /// The sizes and the checksum follow the content.
  static let dataDescriptor = ZipFlags(rawValue: 1 << 3)
  static let patchedData = ZipFlags(rawValue: 1 << 5)
  static let stronglyEncrypted = ZipFlags(rawValue: 1 << 6)
  /// The name is UTF-8.
  static let utf8 = ZipFlags(rawValue: 1 << 11)
  static let maskedHeader = ZipFlags(rawValue: 1 << 13)

  /// The flags of encrypted content.
  static let encryption: ZipFlags = [.encrypted, .stronglyEncrypted, .maskedHeader]

  /// The flags that affect the meaning of the content. Both records of an entry must agree on them.
  static let decisive: ZipFlags = [.encrypted, .dataDescriptor, .patchedData, .stronglyEncrypted, .maskedHeader]
}

/// The rules for names that are safe to unpack.
enum ZipPath {
  /// Splits a name into components, if it is safe on Unix: the path stays in the folder that it is unpacked to. The checks
  /// for Windows are incomplete.
  static func components(of name: String, maximumDepth: Int) throws(ZipError) -> [String] {
    func unsafeName(_ reason: String) -> ZipError {
      ZipError(.unsafeName, entry: name, "unsafe name: it \(reason)")
    }
    let bytes = name.utf8
    // ASCII bytes are compared, because as a `Character`, "/" with a combining mark differs from "/".
    if bytes.contains(0) { throw unsafeName("contains a NUL byte") }
    if bytes.contains(UInt8(ascii: "\\")) {
      throw unsafeName("contains a backslash, which is a path separator on Windows")
    }
    let path = bytes.last == UInt8(ascii: "/") ? bytes.dropLast() : bytes[...]
    if path.isEmpty { throw unsafeName("is empty") }
    if path.first == UInt8(ascii: "/") { throw unsafeName("begins with a slash") }
    let second = path.dropFirst().first
    if let first = path.first, second == UInt8(ascii: ":"), first | 0x20 >= 0x61, first | 0x20 <= 0x7A {
      throw unsafeName("begins with a drive letter")
    }
    var components: [String] = []
    for component in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let text = String(decoding: component, as: UTF8.self)
      if text.isEmpty { throw unsafeName("has an empty component") }
      if component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8) {
        throw unsafeName("has the component \(text)")
      }
      components.append(text)
      if components.count > maximumDepth { throw unsafeName("is more than \(maximumDepth) components deep") }
    }
    return components
  }
}

extension ZipEntry {
  /// Returns the components of the name, if it is safe to unpack.
  ///
  /// Absolute names, drive letters, empty components, `.`, `..`, backslashes, NUL and deep paths are rejected. The
  /// reader rejects duplicate names and files that are also folders. Callers that unpack symbolic links must not write
  /// through them.
  ///
  /// Names that Mac and Linux allow are accepted, even if Windows gives them another meaning. It drops dots and spaces at
  /// the end of components. A colon separates a file from its stream, and names such as `CON` are reserved. Callers that
  /// unpack to Windows must reject these.
  /// - Parameter maximumDepth: The maximum number of components.
  /// - Returns: The components, at least one.
  /// - Throws: ``ZipError`` with code `unsafeName`.
  package func safePath(maximumDepth: Int = ZipLimits.default.maximumDepth) throws(ZipError) -> [String] {
    try ZipPath.components(of: name, maximumDepth: maximumDepth)
  }

  /// Whether the entry is metadata of Apple's Finder: everything in `__MACOSX/`, and files named `.DS_Store`.
  package var isFinderMetadata: Bool {
    let components = name.utf8.split(separator: UInt8(ascii: "/"))
    guard let first = components.first, let last = components.last else { return false }
    return first.elementsEqual("__MACOSX".utf8) || last.elementsEqual(".DS_Store".utf8)
  }
}
