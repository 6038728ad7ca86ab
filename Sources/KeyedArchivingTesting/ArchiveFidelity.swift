// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// How exactly a decoded value must come back when it is archived again.
public enum ArchiveFidelity: Sendable, Hashable {
  /// Every key is read, and the new archive has the same bytes as the fixture.
  case sameBytes
  /// Every key is read, and the new archive has the same contents as the fixture. This is the default.
  case sameContents
  /// The keys that are not read, and the differences of the new archive, are exactly those in the fixture's text. This is
  /// for fixtures by other programs and by former versions.
  case listedDifferences
}
