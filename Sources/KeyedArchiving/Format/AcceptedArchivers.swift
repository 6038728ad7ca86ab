// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Which `$archiver` names a reader accepts.
///
/// The name is that of the class that wrote the archive, so subclasses of Apple's archiver leave their own.
public enum AcceptedArchivers: Sendable, Hashable {
  /// The names that are known from real files: `MSArchiver`, and whatever ends in `KeyedArchiver`, such as
  /// `NSKeyedArchiver` and `SCNKeyedArchiver`.
  case known
  /// Any name.
  case any
  /// These names.
  case only(Set<String>)

  /// Whether a name is among them.
  public func contains(_ name: String) -> Bool {
    // Nearly all files have the first name, and to look for an ending takes a while.
    switch self {
    case .known: name == "NSKeyedArchiver" || name.hasSuffix("KeyedArchiver") || name == "MSArchiver"
    case .any: true
    // The caller's own names are few; looking one up in the set would hash what a file says.
    case .only(let names): names.contains { $0 == name }
    }
  }

  package func check(_ name: String) throws(KeyedArchiveError) {
    guard !contains(name) else { return }
    throw KeyedArchiveError(
      .unknownArchiver, "'$archiver' is '\(name)', which is not the name of a keyed archiver that is known",
      remedy: "If the file is a keyed archive all the same, read it with archivers: .any")
  }
}
