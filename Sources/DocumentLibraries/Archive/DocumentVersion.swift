// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving

/// The version of a document's archive: an integer in `$top`, beside `root`.
///
/// It is not a key of the root object, because a model may have a key of any name. In `$top`, every program finds the
/// version without the model's classes. An archive without the key has version 1, as all archives of the first programs.
enum DocumentVersion {
  static let key = "documentVersion"

  /// Returns the version of an archive.
  static func number(of archive: KeyedArchive) throws(KeyedArchiveError) -> Int {
    let node = archive[key]
    guard node.exists else { return 1 }
    guard let number = node.number?.integer, number > 0 else {
      throw KeyedArchiveError(
        .malformedValue, "invalid version: expected an integer of at least 1", keyPath: "$top.\(key)")
    }
    return number
  }
}
