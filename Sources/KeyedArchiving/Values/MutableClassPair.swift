// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A value whose class has a mutable subclass, and that may be archived as either.
package protocol MutableClassPair: DynamicArchiveClass {
  /// Whether the value is archived as the mutable class.
  var isMutable: Bool { get }
  /// The name of the mutable class.
  static var mutableName: String { get }
}

extension MutableClassPair {
  /// The class and its superclass chain, which starts with the mutable class for a mutable value.
  package var archivedClass: ClassDescription {
    isMutable
      ? ClassDescription(name: Self.mutableName, chain: [Self.mutableName] + Self.archiveClassChain)
      : ClassDescription(name: Self.archiveClassName, chain: Self.archiveClassChain)
  }

  /// The variant: 1 for mutable values, 0 for others.
  package var classVariant: ClassVariant { .number(isMutable ? 1 : 0) }
}

extension KeyedUnarchiver {
  /// The archived class name of the current object; empty if no object is being decoded.
  package var classNameOfObject: String { get throws { try recordOfObject()?.name ?? "" } }

  /// The archived class of the current object.
  package var classOfObject: ClassDescription {
    get throws {
      guard let record = try recordOfObject() else { throw malformed("no object is being decoded") }
      return record.description
    }
  }

  private func recordOfObject() throws -> ClassRecord? {
    guard let uid = storage.state.objectUID, let classUID = try storage.state.classUID(of: uid) else { return nil }
    return try classRecord(classUID)
  }
}

extension UnarchiverState {
  /// The UID of the object whose initializer is running.
  package var objectUID: UInt32? {
    for index in stride(from: innermost, through: 0, by: -1) where scopes[index].kind == .object {
      return scopes[index].uid
    }
    return nil
  }
}
