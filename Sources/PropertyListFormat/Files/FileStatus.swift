// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The name of a file or folder, which is bytes: a disk may hold names that are no text.
package struct FileName: Hashable, Sendable, Comparable {
  /// The bytes, without a terminating zero.
  package let bytes: [UInt8]

  /// Makes a name from its bytes.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Makes a name from a text.
  package init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether it names an entry of the folder it stands in: not empty, no separator, neither `.` nor `..`.
  package var isPlain: Bool {
    !bytes.isEmpty && bytes != [0x2E] && bytes != [0x2E, 0x2E] && !bytes.contains { $0 == 0x2F || $0 == 0 }
  }

  /// The name as text; bytes that are no text are shown as the replacement character.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// By their bytes.
  package static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

/// What is under a name in a folder.
package struct FileStatus: Sendable {
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
  }

  package var kind = Kind.other
  package var byteCount = 0
  package var modified = Moment(seconds: 0, nanoseconds: 0)
  package var identity = Identity(device: 0, number: 0)
  package var permissions: UInt32 = 0
  package var owner: UInt32 = 0
  package var group: UInt32 = 0
  /// How many names it has.
  package var nameCount = 0

  /// Whether a file is the same as when this was asked for, and was not changed meanwhile.
  package func isSame(as other: Self) -> Bool {
    kind == other.kind && identity == other.identity && byteCount == other.byteCount && modified == other.modified
  }
}
