// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What an archiver needs to know of a type whose values it archives, found out once.
struct ArchivedType {
  /// The name in the class record.
  var name: String
  /// The names in the class record's list; empty if a name was set for the class, for then Apple's archiver writes none.
  var chain: [String]
  var isSecure: Bool
  /// Whether values may put others in their place.
  var replaces: Bool
  /// Where the sequences of its objects' keys start.
  var keys: Int32 = -1
  /// The number of the class record, once it is archived.
  var uid: UInt32 = 0

  init(_ type: any KeyedCoding.Type, mappedName: String?) {
    name = mappedName ?? type.archiveClassName
    chain = mappedName == nil ? type.archiveClassChain : []
    isSecure = (type as? any SecureKeyedCoding.Type)?.supportsSecureCoding ?? false
    replaces = type is any ArchiveReplacing.Type
  }
}
