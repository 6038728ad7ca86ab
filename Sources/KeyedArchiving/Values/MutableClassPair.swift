// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A value whose class has a mutable subclass, under which it may be archived as well.
package protocol MutableClassPair: DynamicArchiveClass {
  /// Whether it is archived under the mutable class.
  var isMutable: Bool { get }
  /// The name of the mutable class.
  static var mutableName: String { get }
}

extension MutableClassPair {
  /// The class's chain, with the mutable class in front for a mutable value.
  package var archivedClass: ClassDescription {
    isMutable
      ? ClassDescription(name: Self.mutableName, chain: [Self.mutableName] + Self.archiveClassChain)
      : ClassDescription(name: Self.archiveClassName, chain: Self.archiveClassChain)
  }

  /// One of two.
  package var classVariant: ClassVariant { .number(isMutable ? 1 : 0) }
}

extension KeyedUnarchiver {
  /// The name of the class, as the archive has it, of the object that is being decoded.
  package var classNameOfObject: String {
    get throws {
      guard let uid = storage.state.objectUID, let classUID = try storage.state.classUID(of: uid) else { return "" }
      return try classRecord(classUID).name
    }
  }
}

extension UnarchiverState {
  /// The number of the object whose initialiser is running.
  package var objectUID: UInt32? {
    for place in stride(from: innermost, through: 0, by: -1) where scopes[place].kind == .object {
      return scopes[place].uid
    }
    return nil
  }
}

extension KeyedUnarchiver {
  /// The class, as the archive names it, of the object that is being decoded.
  package var classOfObject: ClassDescription {
    get throws {
      guard let uid = storage.state.objectUID, let classUID = try storage.state.classUID(of: uid) else {
        throw malformed("no object is being decoded")
      }
      return try classRecord(classUID).description
    }
  }
}
