// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The facts about an archived type that an archiver computes once.
struct ArchivedType {
  /// The type itself.
  private(set) var type: any KeyedCoding.Type
  /// The archived class name, and its text if it is short.
  private(set) var name: String
  private(set) var taggedName: TaggedString?
  /// The superclass chain; empty if a name was set for the class, because Apple's archiver then writes none.
  var chain: [String]
  /// The class hints. Without hints, the class record has no key for them.
  var hints: [String] = []
  /// For a decoded class record: the origin of its names. Many types can share a class with a long superclass chain.
  var names = NamesOfClass()
  var isSecure: Bool
  /// Whether a name was set for the class.
  private(set) var isMapped: Bool
  /// Whether values can be replaced by others when they are archived.
  var replaces: Bool
  /// Whether the class depends on the value, or values are boxed primitives with identity.
  var varies: Bool
  /// Whether instances are the storage of values, and are archived as these.
  var holdsValue: Bool
  /// The root of its objects' keys in the key trie.
  var keys: Int32 = -1
  /// The UID of the class record; 0 until it is archived.
  var uid: UInt32 = 0
  /// Whether this archive's objects have asked for the type. An earlier archive's description can be out of date, because
  /// a type may compute its names.
  var isCurrent = true

  /// Creates the description of a type by what the type computes, or by the name that was set for it.
  init(_ type: any KeyedCoding.Type, _ name: String, _ chain: [String], isSecure: Bool, isMapped: Bool) {
    self.type = type
    self.name = name
    taggedName = SharedStrings.tagged(name)
    self.chain = chain
    self.isSecure = isSecure
    self.isMapped = isMapped
    let facts = TypeFacts.of(type)
    replaces = facts.contains(.replaces)
    holdsValue = facts.contains(.holdsValue)
    varies = holdsValue || facts.contains(.isIdentifiedPrimitive) || (!isMapped && facts.contains(.isDynamic))
  }

  /// Creates the description of a type for a class that one of its values names.
  init(_ type: ArchivedType, as description: ClassDescription) {
    self = type
    name = description.name
    taggedName = SharedStrings.tagged(name)
    chain = description.chain
    hints = description.hints
    varies = false
    holdsValue = false
    keys = -1
    uid = 0
  }
}

/// The rows from which the names of a class record were decoded.
struct NamesOfClass {
  /// The rows of the class's name, its superclasses' and its hints'; empty if the record was not decoded.
  var rows: [UInt32] = []
  /// The archive's number, in the upper half.
  var origin: UInt64 = 0

  /// Returns the identity of the name at a position, or nil if it was not decoded.
  func identity(_ index: Int) -> UInt64? { index < rows.count ? origin | UInt64(rows[index]) : nil }
}

/// The identity of an archive that objects were decoded from. Values of one of its rows are one object again when they
/// are archived.
package final class SourceArchive {
  package init() {}
}

/// The order of a decoded object's keys, both as written and as encoded. The two differ.
package final class ArchivedLayout {
  /// The keys in the order of the file, including `$class`.
  package let writtenKeys: [String]
  /// The positions of the entries in the order in which they were encoded.
  package let encodingOrder: [Int]
  package let origin: SourceArchive
  /// The rows of the names in the class record: the class's name, then those in its lists.
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

extension ArchivedLayout: Hashable {
  package static func == (a: ArchivedLayout, b: ArchivedLayout) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
