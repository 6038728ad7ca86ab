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
