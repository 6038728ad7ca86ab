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

struct Library {
  static let variable = "SCARYCREATURES_LIBRARY"
  static let option = Option(
    "library", short: "l", value: "DIR", kind: .folder,
    "the library (default: $\(variable), or the folder that 'path' prints)", exitCodes: [.negative, .unreadable])

  let folder: URL

  /// Finds the library. An empty variable counts as unset; an empty option is an error of the command line.
  init(_ arguments: Arguments, on console: Console) throws(Failure) {
    let named = arguments.value("library") ?? console.environment[Self.variable]
    if let named, !named.isEmpty {
      folder = try URL(argument: named, isFolder: true)
    } else if let usual = ScaryCreatureDatabase.privateDocsDir(in: console.environment) {
      folder = usual
    } else {
      throw Failure(
        .negative, "notFound", "no library: HOME is not an absolute path",
        remedy: "Set HOME, or pass a library with --library")
    }
  }

  /// Opens the library, without creating it for a command that only reads.
  ///
  /// Reading commands also clean up, because a creature that a crash displaced must be listed, shown and exported. Only
  /// `verify` does not: it reports leftovers and changes nothing.
  func open(creating: Bool = false, sweeping: Bool = true) throws(Failure) -> ScaryCreatureDatabase {
    do {
      return try ScaryCreatureDatabase(at: folder, creating: creating, sweeping: sweeping)
    } catch {
      var failure = Failure(error)
      if error.code == .notFound {
        failure.detail = "the library does not exist"
        failure.remedy = "Add a creature with 'add' or 'samples', or pass another library with --library"
      } else if !creating, error.code == .cannotCreate {
        failure.exit = .unreadable
      }
      throw failure
    }
  }
}

extension Failure {
  /// Creates a failure from any error of a library.
  init(any error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as LibraryError: self.init(error)
    default: self.init(.unreadable, "other", "\(error)")
    }
  }

  init(_ error: LibraryError) {
    let exit: ExitCode =
      switch error.code {
      case .notFound, .notADocument, .deleted, .noFormerSave: .negative
      case .invalidValue: .usage
      case .missingDataFile, .unreadableArchive: .notAnArchive
      case .wrongClass: .classNotAllowed
      case .limitReached: .limitReached
      case .cannotRead, .notAnImage, .badContainer, .displaced, .newerVersion, .migrationFailed: .unreadable
      case .noPermission where Self.isReading(error): .unreadable
      default: .notWritten
      }
    self.init(exit, error.code.name, error.detail, place: [error.path], remedy: error.remedy)
  }

  /// Returns whether an error is of a call that commands without changes make, too.
  private static func isReading(_ error: LibraryError) -> Bool {
    guard let call = (error.underlying as? StorageError)?.call else { return false }
    return [.list, .status, .open, .read, .lock].contains(call)
  }
}

/// Performs an operation, and converts its errors to failures.
func failing<Result>(_ body: () throws -> Result) throws(Failure) -> Result {
  do {
    return try body()
  } catch {
    throw Failure(any: error)
  }
}

/// A command whose failure is reported.
protocol LibraryCommand: Command {
  var arguments: Arguments { get }
  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode
}

extension LibraryCommand {
  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    do {
      return try perform(json: json, on: console)
    } catch {
      console.report(error, file: nil, json: json)
      return error.exit
    }
  }
}
