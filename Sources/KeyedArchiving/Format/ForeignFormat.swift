// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import PropertyListFormat

/// Formats that are often passed for keyed archives by mistake.
enum ForeignFormat {
  /// The name of the format that bytes begin like; nil for property lists and for formats that are not known.
  static func name(of data: Data) -> String? {
    let start = [UInt8](data.prefix(64))
    func begins(_ bytes: [UInt8], at place: Int = 0) -> Bool { start.dropFirst(place).starts(with: bytes) }
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
  /// The archive's view of why bytes are no property list: the name of the format that they are in, if it is known.
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
