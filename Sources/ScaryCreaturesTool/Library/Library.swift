// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

/// The library that a command works on, and what is said when something goes wrong with it.
struct Library {
  static let variable = "SCARYCREATURES_LIBRARY"
  static let option = Option(
    "library", short: "l", value: "DIR", kind: .folder,
    "the library; if not given, $\(variable) or the folder that 'path' prints")

  let folder: URL

  init(_ arguments: Arguments, on console: Console) {
    let named = arguments.value("library") ?? console.environment[Self.variable]
    if let named, !named.isEmpty {
      folder = URL(filePath: named, directoryHint: .isDirectory)
    } else {
      folder = ScaryCreatureDatabase.privateDocsDir(in: console.environment)
    }
  }

  /// Opens it; a command that only reads does not make it.
  ///
  /// Commands that only read sweep as well, for it is one's own library: a creature that a crash took out of its place must
  /// be listed, shown and in the backup. Only `verify` does not, which tells of what is left and changes nothing.
  func open(creating: Bool = false, sweeping: Bool = true) throws(Failure) -> ScaryCreatureDatabase {
    do {
      return try ScaryCreatureDatabase(at: folder, creating: creating, sweeping: sweeping)
    } catch {
      var failure = Failure(error)
      if error.code == .notFound {
        failure.detail = "there is no library"
        failure.remedy =
          "Add a creature with 'add', or the seven samples with 'samples', or name another with --library"
      }
      throw failure
    }
  }
}
