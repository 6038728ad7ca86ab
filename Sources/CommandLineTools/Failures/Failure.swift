// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
package import KeyedArchiving
package import PropertyListFormat

/// An error that concerns one input, in the terms of a tool.
package struct Failure: Error {
  package var exit: ExitCode
  /// The stable, machine-readable name of the error.
  package var code: String
  /// The description: what was found and what was expected.
  package var detail: String
  /// The location in the input: key path, object, line, byte.
  package var place: [String]
  /// How to mend it.
  package var remedy: String?

  package init(_ exit: ExitCode, _ code: String, _ detail: String, place: [String] = [], remedy: String? = nil) {
    self.exit = exit
    self.code = code
    self.detail = detail
    self.place = place
    self.remedy = remedy
  }

  /// The detail, the location and the remedy, in one line.
  package var line: String {
    var text = detail
    if !place.isEmpty { text += " (\(place.joined(separator: ", ")))" }
    if let remedy { text += ". \(remedy)" }
    return text
  }
}

// All tools map the libraries' errors to the same exit codes.
extension Failure {
  package init(_ error: PropertyListError) {
    let exit: ExitCode =
      switch error.code {
      case .fileAccess: .unreadable
      case .limitReached: .limitReached
      case .notRepresentable: .notWritten
      default: .notAnArchive
      }
    self.init(exit, error.code.name, error.detail, remedy: Self.remedy(error.remedy, error.limitRemedy))
    if let line = error.line { place.append("line \(line)") }
    if let byte = error.byteOffset { place.append("byte \(byte)") }
  }

  /// Returns the result of a call, whose error becomes a failure.
  package static func convertingListError<Result>(
    _ call: @autoclosure () throws(PropertyListError) -> Result
  ) throws(Failure) -> Result {
    do { return try call() } catch { throw Failure(error) }
  }

  /// Returns the result of a call, whose error becomes a failure.
  package static func convertingArchiveError<Result>(
    _ call: @autoclosure () throws(KeyedArchiveError) -> Result
  ) throws(Failure) -> Result {
    do { return try call() } catch { throw Failure(error) }
  }

  /// Returns the failure to read a file.
  package static func unreadable(_ reason: String) -> Failure {
    Failure(
      .unreadable, "fileAccess", "cannot be read: \(reason)",
      remedy: "Check the permissions of the file and its folders")
  }

  /// Replaces a library's remedy to raise a limit, which the user of a tool cannot raise.
  static let fixedLimits =
    "The limits of this tool are fixed; if you trust the file, read it with a program that raises ReadLimits"

  private static func remedy(_ remedy: String?, _ kind: LimitRemedy?) -> String? {
    kind == .raiseLimit ? fixedLimits : remedy
  }

  package init(_ error: KeyedArchiveError) {
    let exit: ExitCode =
      switch error.code {
      case .fileAccess: .unreadable
      case .limitReached: .limitReached
      case .classNotAllowed, .classNotSecure: .classNotAllowed
      case .notEncodable, .fileNotWritten: .notWritten
      case .notMigratable, .notProved: .negative
      case .invalidRules: .usage
      default: .notAnArchive
      }
    self.init(
      exit, error.code.name, MessageText.shortened(error.detail, to: 480),
      remedy: Self.remedy(error.remedy, error.limitRemedy))
    // The file is sound; only the format cannot hold its values.
    if let cause = error.underlying as? PropertyListError, cause.code == .notRepresentable {
      (self.exit, code) = (.notWritten, cause.code.name)
    }
    if let path = error.keyPath { place.append("at \(MessageText.shortened(path))") }
    if let uid = error.uid { place.append("object \(uid)") }
    if let line = error.line { place.append("line \(line)") }
    if let byte = error.byteOffset { place.append("byte \(byte)") }
  }
}
