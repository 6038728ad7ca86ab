// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// The limit on the names of classes and keys in generated source. In a file, any number of classes can share a long one.
/// Source repeats it, with up to ten bytes for each of its bytes.
struct TextLimit {
  private var bytesLeft: Int64
  /// The bytes of a name that are not counted.
  private static let shortLength = 32

  init(_ audit: ArchiveAudit) { bytesLeft = (1 << 16) + 4 * audit.byteCount }

  /// Counts the names of a class. Returns `false`, and counts none, if they exceed the limit.
  mutating func admits(_ use: ArchiveAudit.ClassUse) -> Bool {
    admits([use.name] + (use.descriptions.first?.chain ?? []) + use.keys.map(\.key))
  }

  /// Counts names. Returns `false`, and counts none, if they exceed the limit.
  mutating func admits(_ names: [String]) -> Bool {
    let count = names.reduce(0) { $0 + Int64(max(0, $1.utf8.count - Self.shortLength)) }
    guard count <= bytesLeft else { return false }
    bytesLeft -= count
    return true
  }
}
