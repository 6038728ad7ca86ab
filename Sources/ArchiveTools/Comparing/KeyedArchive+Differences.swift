// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving

extension KeyedArchive {
  /// Returns the differences from an older archive.
  ///
  /// The archives are compared as graphs, from their top-level values. UIDs, the order of keys and the file format do
  /// not count.
  ///
  /// ```swift
  /// for difference in try edited.differences(from: original) { print(difference) }
  /// // changed root.creatures[3].Title: "Ghost" #7 -> "Yeti" #7
  /// ```
  ///
  /// - Values at the same keys are compared. Array elements are matched if they are equal or most similar, so an
  ///   insertion is one difference. Elements of sets are matched by content, and values of dictionaries by their keys.
  /// - Two objects that were compared stay counterparts. A reference that leads to another object is a difference of
  ///   kind ``ArchiveDifference/Kind/sharing``. Primitives have no identity, because archivers share equal ones freely.
  /// - Numbers are compared bit for bit: a NaN equals itself, and -0 differs from 0. Integers, reals and Booleans
  ///   differ from each other. An equal number of another width, or boxed instead of inline, is a difference of kind
  ///   ``ArchiveDifference/Kind/form``.
  /// - Only the topmost of nested added or removed values is reported. Unreachable objects are ignored.
  ///
  /// If the result is empty, both archives have equal contents. The converse has one exception. Equal members of a set, and
  /// equal objects as keys of a dictionary, are matched in the order in which they are stored. In another order they differ if
  /// other objects refer to some of them. Keys also differ if their values do.
  ///
  /// Time and memory are proportional to the sizes of the archives, however their objects refer to each other.
  /// - Parameters:
  ///   - old: The archive to compare with.
  ///   - ignored: The kinds of differences to ignore. Without ``ArchiveDifference/Kind/sharing``, only values count.
  /// - Returns: The differences in the order of a depth-first traversal of this archive.
  /// - Throws: `KeyedArchiveError` if an object is damaged. The code is `KeyedArchiveError.Code.limitReached` if the
  ///   archives are expansion bombs.
  public func differences(
    from old: KeyedArchive, ignoring ignored: Set<ArchiveDifference.Kind> = []
  ) throws(KeyedArchiveError) -> [ArchiveDifference] {
    var comparison = try GraphComparison(old, self, ignoring: ignored)
    return try comparison.run()
  }
}
