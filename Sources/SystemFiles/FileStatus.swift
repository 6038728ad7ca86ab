// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What is under a name in a folder.
package struct FileStatus: Hashable, Sendable {
  /// Kinds of entries.
  package enum Kind: Sendable {
    case file, folder, link, other
  }

  /// What tells a file from all others that are there at the same time.
  package struct Identity: Hashable, Sendable {
    package var device: UInt64
    package var number: UInt64
  }

  /// A moment, as file systems keep it: since 1970.
  package struct Moment: Hashable, Sendable {
    package var seconds: Int64
    package var nanoseconds: Int64

    package init(seconds: Int64, nanoseconds: Int64) {
      self.seconds = seconds
      self.nanoseconds = nanoseconds
    }
  }

  package var kind: Kind
  package var byteCount: Int
  /// When its content was changed last.
  package var modified: Moment
  /// When anything about it was changed last, its permissions and names too.
  package var changed: Moment
  package var identity: Identity
  package var permissions: UInt32
  package var owner: UInt32
  package var group: UInt32
  /// How many names it has.
  package var nameCount: Int

  /// Whether a file is the same as when this was asked for, and was not changed meanwhile.
  package func isSame(as other: Self) -> Bool {
    kind == other.kind && identity == other.identity && byteCount == other.byteCount && modified == other.modified
  }
}
