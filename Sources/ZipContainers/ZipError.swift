// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why bytes could not be read as a ZIP file, or an entry could not be read or written.
///
/// Two errors are equal when their codes, places and entries are; ``detail`` is for people and is not compared.
package struct ZipError: Error, Sendable {
  /// What went wrong. New codes may be added, so a `switch` over codes needs a `default`.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code, as machine-readable output prints it.
    package let name: String

    init(_ name: String) { self.name = name }

    /// The stable name of the code.
    package var description: String { name }

    /// The bytes are no ZIP file: there is no end record.
    package static let notZip = Code("notZip")
    /// The bytes end before what they announce.
    package static let truncated = Code("truncated")
    /// A record says something that the format does not allow or that cannot be.
    package static let badRecord = Code("badRecord")
    /// Two records that describe the same thing differ: an entry's own header and its directory record, or the two end
    /// records.
    package static let disagreement = Code("disagreement")
    /// Entries share bytes with each other or with the directory.
    package static let overlap = Code("overlap")
    /// A name is empty, too long, or not in the encoding that its record claims.
    package static let badName = Code("badName")
    /// A name is there twice, or is that of a file and at the same time of a folder that others lie in.
    package static let duplicateName = Code("duplicateName")
    /// A name would lead outside the folder it is unpacked to, or means different things on different systems.
    package static let unsafeName = Code("unsafeName")
    /// The CRC-32 of an entry is not that of its bytes.
    package static let checksumMismatch = Code("checksumMismatch")
    /// The compressed bytes break the rules of deflate, or end before or behind the end of their entry.
    package static let badCompressedData = Code("badCompressedData")
    /// An entry gives more or fewer bytes than it announces.
    package static let wrongSize = Code("wrongSize")
    /// The entry is encrypted.
    package static let encrypted = Code("encrypted")
    /// The entry is compressed in another way than deflate.
    package static let unsupportedMethod = Code("unsupportedMethod")
    /// The file is one part of several, or needs another feature that is not read here.
    package static let unsupportedFeature = Code("unsupportedFeature")
    /// A limit of ``ZipLimits`` was reached.
    package static let limitReached = Code("limitReached")
    /// The closure that reads the file failed or returned another number of bytes than asked for.
    package static let readFailed = Code("readFailed")
    /// A writer was used again after its sink had failed.
    package static let writerFailed = Code("writerFailed")
  }

  /// What went wrong.
  package var code: Code
  /// Where in the file, counted from 0, when known.
  package var byteOffset: Int?
  /// The name of the entry, when it is about one.
  package var entry: String?
  /// What was expected, what was found and what may help, for people.
  package var detail: String

  /// Makes an error.
  package init(_ code: Code, at byteOffset: Int? = nil, entry: String? = nil, _ detail: String) {
    self.code = code
    self.byteOffset = byteOffset
    self.entry = entry
    self.detail = detail
  }
}

extension ZipError: Equatable {
  /// Equal when code, place and entry are; the detail is not compared.
  package static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.byteOffset == b.byteOffset
      && a.entry.map { Array($0.utf8) } == b.entry.map { Array($0.utf8) }
  }
}

extension ZipError: CustomStringConvertible, LocalizedError {
  /// The detail, with the entry and the place.
  package var description: String {
    var places: [String] = []
    // A name from a file may hold anything: quoted, with control characters spelled out.
    if let entry { places.append("entry \(entry.debugDescription)") }
    if let byteOffset { places.append("byte \(byteOffset)") }
    return places.isEmpty ? detail : "\(detail) (\(places.joined(separator: ", ")))"
  }

  /// The same text as ``description``.
  package var errorDescription: String? { description }
}
