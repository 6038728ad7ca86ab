// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Reads the archives that arguments name.
enum Input {
  /// Reads the archive in a file.
  static func archive(_ path: String, _ arguments: Arguments, on console: Console) throws(Failure) -> KeyedArchive {
    try archive(InputFile.read(path, on: console), arguments)
  }

  /// Reads the archive in some bytes.
  static func archive(_ data: Data, _ arguments: Arguments) throws(Failure) -> KeyedArchive {
    try archive(list(data), arguments)
  }

  /// Reads the property list in some bytes.
  /// - Throws: ``Failure``; other known formats are named as in the library's errors.
  static func list(_ data: Data) throws(Failure) -> PropertyList {
    do {
      return try PropertyList(data)
    } catch {
      let named = KeyedArchiveError(error, reading: data)
      throw named.code == .notAnArchive ? Failure(named) : Failure(error)
    }
  }

  /// Opens a property list as an archive.
  static func archive(_ list: PropertyList, _ arguments: Arguments) throws(Failure) -> KeyedArchive {
    do {
      return try KeyedArchive(list, archivers: archivers(arguments))
    } catch {
      var error = error
      // The offset is one in the binary form of the XML file.
      if list.format == .xml { error.byteOffset = nil }
      var failure = Failure(error)
      if error.code == .unknownArchiver { failure.remedy = unknownArchiverRemedy }
      if error.code == .notAnArchive {
        failure.remedy =
          "Check that the right file was opened. To find archives stored as data in this file, use 'scan --nested'"
      }
      throw failure
    }
  }

  /// The remedy for an unknown archiver.
  static let unknownArchiverRemedy = "If you trust the file, add --any-archiver"

  /// Returns the archivers to accept.
  static func archivers(_ arguments: Arguments) -> AcceptedArchivers {
    arguments.has(.anyArchiver) ? .any : .known
  }
}

/// The limit of the output for an archive, whose parts may be shared a million times.
struct OutputLimit {
  /// The maximum number of bytes: the archive's size, at least 256 KiB, times the default expansion limit.
  let byteCount: Int

  init(archiveOf byteCount: Int) {
    let size = min(max(Int64(byteCount), 1 << 18), 1 << 40) * Int64(ReadLimits.default.maximumExpansion)
    // With 32 bits, what is written can exceed the limit without an overflow.
    self.byteCount = min(Int(clamping: size), .max / 2)
  }

  init(_ archive: KeyedArchive) { self.init(archiveOf: archive.propertyList.bytes.count) }

  /// Returns the error for a larger output; `form` names it.
  func failure(_ form: String, remedy: String) -> Failure {
    Failure(
      .limitReached, "limitReached",
      "output limit reached: because parts of the archive are shared, \(form) would have more than \(byteCount) bytes",
      remedy: remedy)
  }
}
