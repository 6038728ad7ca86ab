// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries

extension Failure {
  /// Anything that a library throws.
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
      case .notFound, .notADocument, .deleted: .negative
      case .invalidValue: .usage
      case .missingDataFile, .unreadableArchive: .notAnArchive
      case .wrongClass: .classNotAllowed
      case .limitReached: .limitReached
      case .cannotRead, .notAnImage, .badContainer, .displaced: .unreadable
      default: .notWritten
      }
    self.init(exit, error.code.name, error.detail, place: [error.path], remedy: error.remedy)
  }
}

/// Does what throws anything, and throws what the tool says of it.
func failing<Result>(_ body: () throws -> Result) throws(Failure) -> Result {
  do {
    return try body()
  } catch {
    throw Failure(any: error)
  }
}

/// Does a command's work and reports what stops it.
func reporting(on console: Console, json: Bool = false, _ body: () throws(Failure) -> ExitCode) -> ExitCode {
  do {
    return try body()
  } catch {
    console.report(error, file: nil, json: json)
    return error.exit
  }
}
