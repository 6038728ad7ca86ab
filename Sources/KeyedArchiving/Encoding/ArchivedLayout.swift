// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An archive that objects were read from: what its rows were, they are again when they are archived anew.
package final class SourceArchive {
  package init() {}
}

/// How objects that were read have their keys: in which order they are written, and in which they were encoded, which is
/// not the same.
package final class ArchivedLayout {
  /// The keys as they are written, `$class` among them.
  package let writtenKeys: [String]
  /// The places among the entries in the order in which they were encoded.
  package let encodingOrder: [Int]
  package let origin: SourceArchive
  /// The rows of the strings in their class record: the name, then those in its lists.
  package let nameRows: [UInt32]
  /// The rows of the keys, in the order of ``writtenKeys``.
  package let keyRows: [UInt32]

  package init(
    writtenKeys: [String], encodingOrder: [Int], origin: SourceArchive, nameRows: [UInt32], keyRows: [UInt32]
  ) {
    self.writtenKeys = writtenKeys
    self.encodingOrder = encodingOrder
    self.origin = origin
    self.nameRows = nameRows
    self.keyRows = keyRows
  }
}
