// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving

extension KeyedArchive {
  /// What is different in this archive from an older one, compared as graphs from their tops: not by the numbers of
  /// objects, the order of keys, or the format of the file.
  ///
  /// ```swift
  /// for difference in try edited.differences(from: original) { print(difference) }
  /// // changed root.creatures[3].Title: "Ghost" #7 -> "Yeti" #7
  /// ```
  ///
  /// - Values belong together that are reached by the same keys. Elements of an array belong together that are the same or
  ///   most alike, so that one that was put between others is one difference; elements of a set that hold the same; values of
  ///   a dictionary whose keys do. Two objects stay together wherever they are met; that a reference leads to another one is a
  ///   difference of kind ``ArchiveDifference/Kind/sharing``. Strings, numbers and data have no such identity, for
  ///   archivers make one object of equal ones as it suits them.
  /// - Numbers are the same if they are bit for bit: no NaN differs from itself, and -0 does from 0. An integer is not a
  ///   real, nor a boolean. The same number in another width, or inside its object instead of as an object of its own, is a
  ///   difference of kind ``ArchiveDifference/Kind/form``.
  /// - Of what was added or removed only the uppermost value is told. What nothing on top leads to is not looked at.
  ///
  /// There is no difference if and only if both archives hold the same, whatever is matched with what. Time and memory
  /// grow with the archives' sizes, however their objects refer to each other.
  /// - Parameters:
  ///   - old: the archive to compare with.
  ///   - ignored: kinds that are no differences. Without ``ArchiveDifference/Kind/sharing``, values alone count.
  /// - Returns: the differences in the order in which a tree of this archive would show them.
  /// - Throws: `KeyedArchiveError`: for an object of either that is damaged, and with code
  ///   `KeyedArchiveError.Code.limitReached` for archives whose parts are shared many times over.
  public func differences(
    from old: KeyedArchive, ignoring ignored: Set<ArchiveDifference.Kind> = []
  ) throws(KeyedArchiveError) -> [ArchiveDifference] {
    var comparison = try GraphComparison(old, self, ignoring: ignored)
    return try comparison.run()
  }
}
