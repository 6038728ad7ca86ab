// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

@_spi(Archiving) import PropertyListFormat

/// What bytes may be, as far as their beginning tells.
package enum ArchiveBytes {
  /// Whether bytes begin like a property list, binary or XML; if not, they are no archive.
  package static func mayBePropertyList(_ data: Data) -> Bool {
    if data.starts(with: "bplist".utf8) { return true }
    // Marks of byte order, and white space that somebody put in front.
    let start = data.prefix(beginning).drop { [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return start.starts(with: "<".utf8)
  }

  /// How many bytes are the beginning.
  package static let beginning = 4096
  /// How many bytes at the end of a binary property list tell where its parts are.
  package static let end = BinaryLayout.trailerLength

  /// Whether the beginning of a file, of ``beginning`` bytes or the whole file, is that of a file that may be or hold an
  /// archive: a property list which, unless the archives in its data count as well, has an archive's keys. XML names the
  /// document or its outermost element there.
  package static func mayBeArchiveFile(_ data: Data, orHoldOne: Bool = false) -> Bool {
    guard mayBePropertyList(data) else { return false }
    guard data.starts(with: "bplist".utf8) || contains("plist", in: data.prefix(beginning)) else { return false }
    return orHoldOne || mayBeArchive(data)
  }

  /// Whether one of an archive's outermost keys stands in the beginning of bytes that are a property list: binary files have
  /// all of them there, XML files the first.
  package static func mayBeArchive(_ data: Data) -> Bool {
    let start = data.prefix(beginning)
    return ["$archiver", "$objects", "$top", "$version"].contains { contains($0, in: start) }
  }

  /// Whether the last bytes of a file that begins like a binary property list are those of one of its length.
  package static func isSound(end: Data, ofByteCount count: Int) -> Bool {
    let bytes = end.span
    guard bytes.count == Self.end else { return false }
    let (offsetWidth, referenceWidth) = (Int(bytes[6]), Int(bytes[7]))
    let objects = bytes.bigEndian(at: 8, width: 8), top = bytes.bigEndian(at: 16, width: 8)
    let table = bytes.bigEndian(at: 24, width: 8)
    guard 1...8 ~= offsetWidth, 1...8 ~= referenceWidth, top < objects else { return false }
    return objects <= UInt64(count) / UInt64(offsetWidth) && table <= UInt64(count) - objects * UInt64(offsetWidth)
  }

  /// Whether a word of ASCII stands in bytes, in one byte for each letter, in two or in four.
  static func contains(_ word: String, in data: Data) -> Bool {
    let bytes = data.span
    let word = Array(word.utf8)
    guard let first = word.first else { return true }
    for start in bytes.indices where bytes[start] == first {
      for step in [1, 2, 4] where stands(word, at: start, step: step, in: bytes) { return true }
    }
    return false
  }

  private static func stands(_ word: [UInt8], at start: Int, step: Int, in bytes: Span<UInt8>) -> Bool {
    guard start <= bytes.count - (word.count - 1) * step - 1 else { return false }
    return word.indices.allSatisfy { bytes[start + $0 * step] == word[$0] }
  }
}
