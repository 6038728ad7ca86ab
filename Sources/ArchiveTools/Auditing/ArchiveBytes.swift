// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

@_spi(Archiving) import PropertyListFormat

/// Quick tests whether bytes can be an archive.
package enum ArchiveBytes {
  /// Returns whether bytes begin like a binary or XML property list. Other bytes are not an archive.
  package static func mayBePropertyList(_ data: Data) -> Bool {
    if data.starts(with: "bplist".utf8) { return true }
    // Skip byte order marks and leading white space.
    let start = data.prefix(beginning).drop { [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return start.starts(with: "<".utf8)
  }

  /// The number of bytes at the beginning of a file that the tests inspect.
  package static let beginning = 4096
  /// The length of the trailer of a binary property list, in bytes.
  package static let end = BinaryLayout.trailerLength

  /// Returns whether a file with this beginning can be an archive, or can contain one.
  ///
  /// The beginning is a property list that has an archive's keys. With `orHoldOne`, any property list counts, because
  /// its data can contain archives. An XML file names its document type or its top-level element in the beginning.
  /// - Parameters:
  ///   - data: The first ``beginning`` bytes of the file, or the entire file.
  ///   - orHoldOne: Whether files that can contain archives in data count too.
  /// - Returns: `false` if the file is certainly not an archive.
  package static func mayBeArchiveFile(_ data: Data, orHoldOne: Bool = false) -> Bool {
    guard mayBePropertyList(data) else { return false }
    guard data.starts(with: "bplist".utf8) || contains("plist", in: data.prefix(beginning)) else { return false }
    return orHoldOne || mayBeArchive(data)
  }

  /// Returns whether the beginning of a property list contains a key of the envelope. A binary archive has all of them
  /// there, and an XML archive the first.
  package static func mayBeArchive(_ data: Data) -> Bool {
    let start = data.prefix(beginning)
    return ["$archiver", "$objects", "$top", "$version"].contains { contains($0, in: start) }
  }

  /// Returns whether the last bytes of a file are a valid trailer of a binary property list of this length.
  package static func isSound(end: Data, ofByteCount count: Int) -> Bool {
    let bytes = end.span
    guard bytes.count == Self.end else { return false }
    let (offsetWidth, referenceWidth) = (Int(bytes[6]), Int(bytes[7]))
    let objects = bytes.bigEndian(at: 8, width: 8), top = bytes.bigEndian(at: 16, width: 8)
    let table = bytes.bigEndian(at: 24, width: 8)
    guard 1...8 ~= offsetWidth, 1...8 ~= referenceWidth, top < objects else { return false }
    return objects <= UInt64(count) / UInt64(offsetWidth) && table <= UInt64(count) - objects * UInt64(offsetWidth)
  }

  /// Returns whether bytes contain an ASCII word with one, two or four bytes per letter.
  static func contains(_ word: String, in data: Data) -> Bool {
    let bytes = data.span
    let word = Array(word.utf8)
    guard let first = word.first else { return true }
    for start in bytes.indices where bytes[start] == first {
      for step in [1, 2, 4] where matches(word, at: start, step: step, in: bytes) { return true }
    }
    return false
  }

  private static func matches(_ word: [UInt8], at start: Int, step: Int, in bytes: Span<UInt8>) -> Bool {
    guard start <= bytes.count - (word.count - 1) * step - 1 else { return false }
    return word.indices.allSatisfy { bytes[start + $0 * step] == word[$0] }
  }
}
