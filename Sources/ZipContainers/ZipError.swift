// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An error of reading or writing a ZIP file.
///
/// Two errors are equal if their codes, offsets and entries are equal. ``detail`` is for people and is not compared.
package struct ZipError: Error, Sendable {
  /// The kind of an error. A `switch` over codes needs a `default`, because new codes may be added.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable, machine-readable name of the code.
    package let name: String

    init(_ name: String) { self.name = name }

    /// The stable name of the code.
    package var description: String { name }

    /// The file has no end record, so it is not a ZIP file.
    package static let notZip = Code("notZip")
    /// The file is shorter than its records state.
    package static let truncated = Code("truncated")
    /// A record violates the format.
    package static let badRecord = Code("badRecord")
    /// Two records that describe the same thing differ: a local header and its directory record, or the two end
    /// records.
    package static let disagreement = Code("disagreement")
    /// Entries overlap each other or the directory.
    package static let overlap = Code("overlap")
    /// A name is empty, too long or not in its stated encoding.
    package static let badName = Code("badName")
    /// Two entries have the same name, or an entry is a file and a folder.
    package static let duplicateName = Code("duplicateName")
    /// A name leads out of the folder, or has different meanings on different systems.
    package static let unsafeName = Code("unsafeName")
    /// The CRC-32 of an entry does not match its content.
    package static let checksumMismatch = Code("checksumMismatch")
    /// The compressed data are invalid, or end before or after their entry.
    package static let badCompressedData = Code("badCompressedData")
    /// The content of an entry is longer or shorter than stated.
    package static let wrongSize = Code("wrongSize")
    package static let encrypted = Code("encrypted")
    /// The compression method is not deflate.
    package static let unsupportedMethod = Code("unsupportedMethod")
    /// The file is part of a multipart archive, or needs another unsupported feature.
    package static let unsupportedFeature = Code("unsupportedFeature")
    /// A limit of ``ZipLimits`` is reached.
    package static let limitReached = Code("limitReached")
    /// The closure that reads the file failed, or returned a wrong number of bytes.
    package static let readFailed = Code("readFailed")
    /// The writer was used after its sink had failed.
    package static let writerFailed = Code("writerFailed")

    /// The remedy for errors with this code that are created without one.
    var remedy: String? {
      switch self {
      case .notZip: "Check that this is the right file"
      case .truncated: "The file may be truncated; compare its size with the original"
      case .badRecord, .badName, .duplicateName, .checksumMismatch, .badCompressedData, .wrongSize:
        "Use another copy of the file, or correct the program that wrote it"
      case .disagreement, .overlap: "Do not trust the file"
      case .unsafeName: "Rename the entry, or skip it"
      case .encrypted: "Unpack it with a tool and its password"
      case .unsupportedMethod: "Compress it again"
      case .unsupportedFeature: "Join the parts with the tool that made them"
      case .limitReached: "If you trust the file, raise ZipLimits"
      case .readFailed: "Check that the file exists and that no other program changes it"
      case .writerFailed: "Begin a new file"
      default: nil
      }
    }
  }

  package var code: Code
  /// The byte offset in the file, if known.
  package var byteOffset: Int?
  /// The name of the entry, if the error concerns one.
  package var entry: String?
  /// The human-readable description: what was found and what was expected.
  package var detail: String
  /// How to mend it.
  package var remedy: String?

  /// Creates an error. Without a remedy, it has the one that is right for all errors with the code.
  package init(
    _ code: Code, at byteOffset: Int? = nil, entry: String? = nil, _ detail: String, remedy: String? = nil
  ) {
    self.code = code
    self.byteOffset = byteOffset
    self.entry = entry
    self.detail = detail
    self.remedy = remedy ?? code.remedy
  }
}

extension ZipError: Equatable {
  /// Compares the code, the offset and the entry.
  package static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.byteOffset == b.byteOffset
      && a.entry.map { Array($0.utf8) } == b.entry.map { Array($0.utf8) }
  }
}

extension ZipError: CustomStringConvertible, LocalizedError {
  /// The detail, the entry, the byte offset and the remedy.
  package var description: String { located + (remedy.map { ". \($0)" } ?? "") }

  /// The detail, the entry and the byte offset.
  package var located: String {
    var locations: [String] = []
    // Quoted, because a name from a file can contain control characters.
    if let entry { locations.append("entry \(entry.debugDescription)") }
    if let byteOffset { locations.append("byte \(byteOffset)") }
    return locations.isEmpty ? detail : "\(detail) (\(locations.joined(separator: ", ")))"
  }

  package var errorDescription: String? { description }
}
