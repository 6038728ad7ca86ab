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

/// Reading archives from what a file argument names.
enum Input {
  /// The archive in a file.
  static func archive(_ path: String, _ arguments: Arguments, on console: Console) throws(Failure) -> KeyedArchive {
    try archive(InputFile.read(path, on: console), arguments)
  }

  /// The archive that bytes are.
  static func archive(_ data: Data, _ arguments: Arguments) throws(Failure) -> KeyedArchive {
    try archive(list(data), arguments)
  }

  /// The property list that bytes are.
  static func list(_ data: Data) throws(Failure) -> PropertyList {
    do {
      return try PropertyList(data)
    } catch {
      throw Failure(error)
    }
  }

  /// The archive that a property list is.
  static func archive(_ list: PropertyList, _ arguments: Arguments) throws(Failure) -> KeyedArchive {
    do {
      return try KeyedArchive(list, archivers: archivers(arguments))
    } catch {
      var error = error
      // An XML file is held in binary form; a place in that is none in the file.
      if list.format == .xml { error.byteOffset = nil }
      var failure = Failure(error)
      if error.code == .unknownArchiver {
        failure.remedy = "If the file is a keyed archive all the same, say --any-archiver"
      }
      throw failure
    }
  }

  /// The names of archivers to accept.
  static func archivers(_ arguments: Arguments) -> AcceptedArchivers {
    arguments.has(.anyArchiver) ? .any : .known
  }
}
