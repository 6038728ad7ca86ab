// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// What went wrong with one file, in the words of the tool.
struct Failure: Error {
  /// The exit code it leads to.
  var exit: ExitCode
  /// A stable name for machines.
  var code: String
  /// What was expected and what was found.
  var detail: String
  /// Where in the file: key path, object, line, byte.
  var place: [String] = []
  /// What to do about it.
  var remedy: String?

  init(_ exit: ExitCode, _ code: String, _ detail: String, place: [String] = [], remedy: String? = nil) {
    self.exit = exit
    self.code = code
    self.detail = detail
    self.place = place
    self.remedy = remedy
  }

  init(_ error: PropertyListError) {
    let exit: ExitCode =
      switch error.code {
      case .fileAccess: .unreadable
      case .limitReached: .limitReached
      case .notRepresentable: .notWritten
      default: .notAnArchive
      }
    self.init(exit, error.code.name, error.detail)
    if let line = error.line { place.append("line \(line)") }
    if let byte = error.byteOffset { place.append("byte \(byte)") }
  }

  init(_ error: KeyedArchiveError) {
    let exit: ExitCode =
      switch error.code {
      case .fileAccess: .unreadable
      case .limitReached: .limitReached
      case .classNotAllowed, .classNotSecure: .classNotAllowed
      case .notEncodable: .notWritten
      default: .notAnArchive
      }
    self.init(exit, error.code.name, error.detail, remedy: error.remedy)
    if error.code == .unknownArchiver { remedy = "If the file is a keyed archive all the same, say --any-archiver" }
    if let path = error.keyPath { place.append("at \(path)") }
    if let uid = error.uid { place.append("object \(uid)") }
    if let line = (error.underlying as? PropertyListError)?.line { place.append("line \(line)") }
    if let byte = error.byteOffset { place.append("byte \(byte)") }
  }

  /// What, where and what to do, in a line.
  var line: String {
    var text = detail
    if !place.isEmpty { text += " (\(place.joined(separator: ", ")))" }
    if let remedy { text += ". \(remedy)" }
    return text
  }
}

/// A command line that is not understood.
struct UsageError: Error {
  /// What is wrong with it.
  var detail: String
  /// What to do about it.
  var remedy: String?

  init(_ detail: String, remedy: String? = nil) {
    self.detail = detail
    self.remedy = remedy
  }
}
