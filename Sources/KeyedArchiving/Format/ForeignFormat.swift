// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import PropertyListFormat

/// File formats that are often mistaken for keyed archives.
enum ForeignFormat {
  /// Returns the name of the format that bytes begin like, or nil for property lists and unknown formats.
  static func name(of data: Data) -> String? {
    let start = [UInt8](data.prefix(64))
    func begins(_ bytes: [UInt8], at offset: Int = 0) -> Bool { start.dropFirst(offset).starts(with: bytes) }
    if start.isEmpty { return "empty data" }
    if begins(Array("streamtyped".utf8), at: 2) { return "a typedstream, which the unkeyed NSArchiver writes" }
    let known: [([UInt8], String)] = [
      ([0x89, 0x50, 0x4E, 0x47], "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
      (Array("GIF8".utf8), "a GIF image"),
      ([0x1F, 0x8B], "gzip-compressed data"), ([0x50, 0x4B, 3, 4], "a ZIP archive"),
      ([0x50, 0x4B, 5, 6], "a ZIP archive"),
      (Array("SQLite format 3".utf8), "a SQLite database"), (Array("%PDF-".utf8), "a PDF document"),
      (Array("BZh".utf8), "bzip2-compressed data"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz-compressed data"),
      ([0x7F, 0x45, 0x4C, 0x46], "an executable"), ([0xCF, 0xFA, 0xED, 0xFE], "an executable"),
    ]
    if let found = known.first(where: { begins($0.0) }) { return found.1 }
    let text = start.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let second = text.dropFirst().first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    switch (text.first, second) {
    case (UInt8(ascii: "{"), UInt8(ascii: "\"")?), (UInt8(ascii: "{"), UInt8(ascii: "}")?): return "JSON"
    case (UInt8(ascii: "["), _?): return "JSON"
    default: return nil
    }
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
      .unknownArchiver, "unknown archiver '\(name)'",
      remedy: "If you trust the file, pass archivers: .any")
  }
}
