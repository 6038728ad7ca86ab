// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving
import PropertyListFormat

// The errors that several readers of an archive's graph report.
extension KeyedArchiveError {
  /// The error for a reference to an object that does not exist.
  package static func dangling(_ uid: ArchiveUID, objectCount: Int) -> Self {
    Self(.damagedArchive, danglingDetail(uid, objectCount: objectCount), uid: uid)
  }

  static func danglingDetail(_ uid: ArchiveUID, objectCount: Int) -> String {
    let existing =
      switch objectCount {
      case 0: "is empty"
      case 1: "has only object #0"
      default: "has only objects #0 to #\(objectCount - 1)"
      }
    return "dangling reference to object \(uid); '$objects' \(existing)"
  }

  /// The error for values that are shared so often that visiting each would exceed the budget.
  package static func expansionLimit(_ detail: String) -> Self {
    Self(.limitReached, detail).advising(
      .raiseLimit, "If you trust the archive, raise ReadLimits.maximumExpansion")
  }
}
