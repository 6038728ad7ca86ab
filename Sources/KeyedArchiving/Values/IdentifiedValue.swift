// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A value type whose copies are archived as one object until one of them changes.
///
/// A decoded collection may be shared by many others, and so are its copies in memory. Without identity, it would be
/// archived once for each of them, and its contents once for each of these. A few collections that each share the next
/// one twice would become millions.
package protocol IdentifiedValue: SecureKeyedCoding {
  /// The type of the content.
  associatedtype Content
  /// The content, which copies share.
  var storage: IdentifiedStorage<Self> { get set }
  /// Creates a value with a storage.
  init(storage: IdentifiedStorage<Self>)
}

/// The content of an ``IdentifiedValue``, and its identity.
package final class IdentifiedStorage<Value: IdentifiedValue> {
  package var content: Value.Content

  package init(_ content: Value.Content) { self.content = content }
}

extension IdentifiedStorage: SecureKeyedCoding, DynamicArchiveClass, ValueStorage {
  package var value: any KeyedCoding { Value(storage: self) }

  package static var archiveClassName: String { Value.archiveClassName }
  package var archivedClass: ClassDescription {
    (value as? any DynamicArchiveClass)?.archivedClass
      ?? ClassDescription(name: Value.archiveClassName, chain: Value.archiveClassChain)
  }

  package func encode(with coder: KeyedArchiver) throws { try value.encode(with: coder) }

  package convenience init?(coder: KeyedUnarchiver) throws {
    throw coder.malformed("invalid request: a storage is decoded only with its value")
  }
}

extension IdentifiedValue {
  /// The content. A change of it copies it first if other values share it.
  package var content: Content {
    get { storage.content }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = IdentifiedStorage(storage.content) }
      yield &storage.content
    }
  }

  /// Records the content, which copies share.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue { coder.recorded(storage, conditional: false) }
}

extension UnarchiverState {
  /// Caches the current object's value at its first decode, because later requests must return the same one.
  mutating func cacheImmediately() { scopes[innermost].isLarge = true }
}

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

  /// Returns whether the array for a key is an `NSMutableArray`; nil if the value is inline, null or absent.
  package func isArrayMutable(forKey key: String) throws -> Bool? {
    guard let uid = try uidOfObject(forKey: key), let classUID = try storage.state.classUID(of: uid) else { return nil }
    return try classRecord(classUID).name == ArchivedArray.mutableName
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
