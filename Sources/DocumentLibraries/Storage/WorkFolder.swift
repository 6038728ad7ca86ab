// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The hidden folder where files and folders are written before they are renamed into place, and removed.
///
/// Each process that uses it holds a shared lock. The holder of the exclusive lock therefore knows that a crash left
/// all its entries.
enum WorkFolder {
  static let path: StoragePath = ".work"

  /// The file with the ``NumberHint`` of all processes.
  static let numberPath: StoragePath = path / "last-number"

  /// Whether an entry is neither a leftover nor of a change.
  static func isLasting(_ name: StorageName) -> Bool { name == numberPath.names.last }

  static func newName() -> StoragePath { path / StorageName("new-\(UUID().uuidString)") }

  /// The name of a document while a new version replaces it in two steps.
  static func name(replacing document: StorageName) -> StoragePath {
    path / StorageName(bytes: Array("replaced-".utf8) + document.bytes)
  }

  /// The original name for a name of ``name(replacing:)``.
  static func replacedName(_ name: StorageName) -> StorageName? {
    guard name.bytes.starts(with: "replaced-".utf8) else { return nil }
    let original = StorageName(bytes: Array(name.bytes.dropFirst(9)))
    return original.isPlain && !original.isHidden ? original : nil
  }
}
