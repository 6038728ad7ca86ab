// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What an archiver needs to know of a type whose values it archives, found out once.
struct ArchivedType {
  /// The name in the class record.
  var name: String
  /// The names in the class record's list; empty if a name was set for the class, for then Apple's archiver writes none.
  var chain: [String]
  /// Names that a decoder falls back on; the record has no list of them if it is empty.
  var hints: [String] = []
  /// For a class record that was read: where its name, then the names in its lists came from. Many types may have one
  /// class with many superclasses.
  var names = NamesOfClass()
  var isSecure: Bool
  /// Whether values may put others in their place.
  var replaces: Bool
  /// Whether values of the type say themselves under which class they are archived, or are bare values with identity.
  var varies: Bool
  /// Whether its instances are the storage of values, and archived as these.
  var holdsValue: Bool
  /// Where the sequences of its objects' keys start.
  var keys: Int32 = -1
  /// The number of the class record, once it is archived.
  var uid: UInt32 = 0

  init(_ type: any KeyedCoding.Type, mappedName: String?) {
    name = mappedName ?? type.archiveClassName
    chain = mappedName == nil ? type.archiveClassChain : []
    assert(type._hasDynamicClass == (type is any DynamicArchiveClass.Type), "\(type) must say which it is")
    isSecure = SecureCoding.isAdopted(by: type)
    replaces = type is any ArchiveReplacing.Type
    holdsValue = type is any ValueStorage.Type
    varies =
      (mappedName == nil && type._hasDynamicClass)
      || type is any IdentifiedPrimitive.Type
  }

  /// The same type under the class that one of its values names.
  init(_ type: ArchivedType, as description: ClassDescription) {
    self = type
    name = description.name
    chain = description.chain
    hints = description.hints
    varies = false
    holdsValue = false
    keys = -1
    uid = 0
  }
}

/// The rows of an archive that the names in a class record were read from.
struct NamesOfClass {
  /// The rows of the class's name, its superclasses' and its hints'; empty if the record was not read.
  var rows: [UInt32] = []
  /// The number of the archive, in the upper half.
  var origin: UInt64 = 0

  /// A number for the row of a name; nil if it was not read.
  func identity(_ place: Int) -> UInt64? { place < rows.count ? origin | UInt64(rows[place]) : nil }
}
