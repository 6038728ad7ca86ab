// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import PropertyListFormat

/// File formats that are often mistaken for keyed archives.
package enum ForeignFormat {
  /// The name of JSON.
  package static let json = "JSON"

  /// Bytes that files of a format have at an offset.
  private struct Signature {
    let bytes: [UInt8]
    let offset: Int
    let name: String

    init(_ bytes: [UInt8], at offset: Int = 0, _ name: String) {
      self.bytes = bytes
      self.offset = offset
      self.name = name
    }

    init(_ text: String, at offset: Int = 0, _ name: String) { self.init(Array(text.utf8), at: offset, name) }

    func matches(_ start: [UInt8]) -> Bool { start.dropFirst(offset).starts(with: bytes) }
  }

  /// The formats that their first bytes identify.
  private static let signatures = [
    // Apple's other formats of objects.
    Signature("streamtyped", at: 2, "a typedstream, which the unkeyed NSArchiver writes"),
    Signature("NIBArchive", "a compiled nib file of Interface Builder"),
    Signature("bplist", "a binary property list of another version than 00"),
    Signature("// !$*UTF8*$!", "an OpenStep property list"),
    Signature([0x00, 0x05, 0x16, 0x07], "an AppleDouble file, which has a file's attributes in place of its data"),
    Signature([0x00, 0x05, 0x16, 0x00], "an AppleSingle file"),
    // An archive as text.
    Signature("YnBsaXN0", "a binary property list in Base64"), Signature("PD94bWwg", "an XML document in Base64"),
    Signature("62706c697374", "a binary property list in hexadecimal"),
    Signature("62706C697374", "a binary property list in hexadecimal"),
    // Pictures, documents and media.
    Signature([0x89, 0x50, 0x4E, 0x47], "a PNG image"), Signature([0xFF, 0xD8, 0xFF], "a JPEG image"),
    Signature("GIF8", "a GIF image"), Signature([0x4D, 0x4D, 0x00, 0x2A], "a TIFF image"),
    Signature([0x49, 0x49, 0x2A, 0x00], "a TIFF image"), Signature("WEBP", at: 8, "a WebP image"),
    Signature("icns", "an icon file"), Signature("ftyp", at: 4, "an image or film such as HEIC or MP4"),
    Signature("%PDF-", "a PDF document"), Signature("{\\rtf", "an RTF document"), Signature("ID3", "an MP3 file"),
    // Compressed and packed files.
    Signature([0x1F, 0x8B], "gzip-compressed data"), Signature("BZh", "bzip2-compressed data"),
    Signature([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz-compressed data"),
    Signature([0x28, 0xB5, 0x2F, 0xFD], "zstd-compressed data"),
    Signature([0x04, 0x22, 0x4D, 0x18], "LZ4-compressed data"), Signature("bvx", "LZFSE-compressed data"),
    Signature([0x50, 0x4B, 3, 4], "a ZIP archive"), Signature([0x50, 0x4B, 5, 6], "a ZIP archive"),
    Signature([0x37, 0x7A, 0xBC, 0xAF, 0x27], "a 7-Zip archive"), Signature("xar!", "a xar archive"),
    Signature("ustar", at: 257, "a tar archive"),
    // Databases and programs.
    Signature("SQLite format 3", "a SQLite database"), Signature("T-DB", at: 16, "a Realm database"),
    Signature([0x7F, 0x45, 0x4C, 0x46], "an executable"), Signature([0xCF, 0xFA, 0xED, 0xFE], "an executable"),
    Signature([0xCE, 0xFA, 0xED, 0xFE], "an executable"), Signature([0xCA, 0xFE, 0xBA, 0xBE], "an executable"),
    Signature("MZ", "an executable"),
    // What a server or a tool put in place of a file.
    Signature("version https://git-lfs", "a pointer of Git LFS, whose file was not fetched"),
    Signature("HTTP/1.", "an answer of a web server"),
  ]

  /// Returns the name of the format that bytes begin like, or nil for property lists and unknown formats.
  package static func name(of data: Data) -> String? {
    let start = [UInt8](data.prefix(1024))
    if start.isEmpty { return "empty data" }
    if start.allSatisfy({ $0 == 0 }) { return "zeros" }
    if let found = signatures.first(where: { $0.matches(start) }), !start.starts(with: "bplist00".utf8) {
      return found.name
    }
    let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    let text = start.drop(while: isSpace)
    let next = text.dropFirst().drop(while: isSpace)
    switch (text.first, next.first) {
    case (UInt8(ascii: "{"), UInt8(ascii: "\"")?):
      // In an OpenStep list, quotes begin keys too.
      return next.dropFirst().drop { $0 != UInt8(ascii: "\"") }.dropFirst().first { !isSpace($0) } == UInt8(ascii: "=")
        ? "an OpenStep property list" : json
    case (UInt8(ascii: "{"), UInt8(ascii: "}")?), (UInt8(ascii: "{"), nil), (UInt8(ascii: "["), _?): return json
    case (UInt8(ascii: "{"), _), (UInt8(ascii: "("), _): return "an OpenStep property list"
    case (UInt8(ascii: "<"), _): return markup(text)
    default: return nil
    }
  }

  /// Returns the name of a document in HTML, or in XML with another root element than that of property lists.
  private static func markup(_ text: ArraySlice<UInt8>) -> String? {
    var rest = text
    while let begin = rest.firstIndex(of: UInt8(ascii: "<")) {
      let tag = rest[begin...].dropFirst()
      guard let first = tag.first else { return nil }
      if first == UInt8(ascii: "?") || first == UInt8(ascii: "!") {
        if lowercased(tag.prefix(13)).elementsEqual("!doctype html".utf8) { return "an HTML page" }
        // A comment may contain tags.
        let isComment = tag.starts(with: "!--".utf8)
        let end: [UInt8] = isComment ? Array("-->".utf8) : [UInt8(ascii: ">")]
        guard let close = tag.indices.first(where: { tag[$0...].starts(with: end) }) else { return nil }
        rest = tag[close...].dropFirst(end.count)
        continue
      }
      let name = tag.prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || (0x30...0x39).contains($0) || $0 == 0x3A }
      if lowercased(name).elementsEqual("html".utf8) { return "an HTML page" }
      guard !name.isEmpty, !name.elementsEqual("plist".utf8) else { return nil }
      return "an XML document with the root element '\(String(decoding: name.prefix(40), as: UTF8.self))'"
    }
    return nil
  }

  private static func lowercased(_ text: ArraySlice<UInt8>) -> [UInt8] {
    text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}

extension KeyedArchiveError {
  /// Converts an error of the property-list layer, and names the format of the bytes if it is known.
  package init(_ error: PropertyListError, reading data: Data) {
    guard error.code != .limitReached, error.code != .fileAccess, let format = ForeignFormat.name(of: data) else {
      self.init(error)
      return
    }
    self.init(
      .notAnArchive, "not a keyed archive: found \(format); expected a binary or XML property list",
      remedy: "Check that the right file was opened", underlying: error)
  }
}

/// The `$archiver` names that a reader accepts.
///
/// The name is that of the class that wrote the archive. A subclass of Apple's archiver writes its own name.
public enum AcceptedArchivers: Sendable, Hashable {
  /// The names known from real files: `MSArchiver` and all names that end in `KeyedArchiver`, such as `NSKeyedArchiver`
  /// and `SCNKeyedArchiver`.
  case known
  /// Any name.
  case any
  /// The names in the set.
  case only(Set<String>)

  /// Returns whether a name is accepted.
  /// - Parameter name: The archive's `$archiver`.
  /// - Returns: `true` if a reader accepts the name.
  public func contains(_ name: String) -> Bool {
    switch self {
    // The comparison with the most frequent name is faster than the search for the suffix.
    case .known: name == "NSKeyedArchiver" || name.hasSuffix("KeyedArchiver") || name == "MSArchiver"
    case .any: true
    // A set lookup would hash a name from the file by Swift's rules. The caller's names are few.
    case .only(let names): names.contains { $0 == name }
    }
  }

  package func check(_ name: String) throws(KeyedArchiveError) {
    guard !contains(name) else { return }
    throw KeyedArchiveError(
      .unknownArchiver, "unknown archiver '\(MessageText.plain(MessageText.shortened(name, to: 80)))'",
      remedy: "If you trust the file, pass archivers: .any")
  }
}
