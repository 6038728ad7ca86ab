// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
package import KeyedArchiving
package import PropertyListFormat

// Both tools read and write archives, so the way from the library's errors to exit codes is one.
extension Failure {
  /// What went wrong with a property list.
  package init(_ error: PropertyListError) {
    let exit: ExitCode =
      switch error.code {
      case .fileAccess: .unreadable
      case .limitReached: .limitReached
      case .notRepresentable: .notWritten
      default: .notAnArchive
      }
    self.init(exit, error.code.name, error.detail, remedy: error.code == .limitReached ? Self.fixedLimits : nil)
    if let line = error.line { place.append("line \(line)") }
    if let byte = error.byteOffset { place.append("byte \(byte)") }
  }

  /// What the library says of its limits is for those who write programs.
  private static let fixedLimits =
    "This tool's limits are fixed; a program that trusts the file may read it with others"

  /// What went wrong with an archive.
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
      remedy: error.code == .limitReached ? Self.fixedLimits : error.remedy)
    if let path = error.keyPath { place.append("at \(MessageText.shortened(path))") }
    if let uid = error.uid { place.append("object \(uid)") }
    if let line = (error.underlying as? PropertyListError)?.line { place.append("line \(line)") }
    if let byte = error.byteOffset { place.append("byte \(byte)") }
  }
}
