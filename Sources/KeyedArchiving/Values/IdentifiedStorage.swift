// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A value type whose copies are archived as one object, until one of them is changed.
///
/// A collection of an archive may be shared by any number of others, and its copies in memory are. Without an identity it
/// would be archived once for each of them, and what it holds once for each of these: a few collections that share the
/// next one twice would become millions.
package protocol IdentifiedValue: SecureKeyedCoding {
  /// What the value holds.
  associatedtype Content
  /// The content, which copies share.
  var storage: IdentifiedStorage<Self> { get }
  /// Makes a value with a storage.
  init(storage: IdentifiedStorage<Self>)
}

/// The content of an ``IdentifiedValue``, and its identity.
package final class IdentifiedStorage<Value: IdentifiedValue> {
  package var content: Value.Content

  package init(_ content: Value.Content) { self.content = content }
}

/// A class whose instances are archived as the values that they are the storage of: delegates and class names are those of
/// the values.
package protocol ValueStorage: AnyObject, KeyedCoding {
  /// The value.
  var value: any KeyedCoding { get }
}

extension IdentifiedStorage: SecureKeyedCoding, DynamicArchiveClass, ValueStorage {
  package var value: any KeyedCoding { Value(storage: self) }

  package static var archiveClassName: String { Value.archiveClassName }
  package static var _hasDynamicClass: Bool { true }

  package var archivedClass: ClassDescription {
    (value as? any DynamicArchiveClass)?.archivedClass
      ?? ClassDescription(name: Value.archiveClassName, chain: Value.archiveClassChain)
  }

  package func encode(with coder: KeyedArchiver) throws { try value.encode(with: coder) }

  package convenience init?(coder: KeyedUnarchiver) throws {
    throw coder.malformed("a storage is made with its value only")
  }
}

extension IdentifiedValue {
  /// Gives a value that is about to be changed a content of its own.
  package static func makeUnique(_ storage: inout IdentifiedStorage<Self>) {
    if !isKnownUniquelyReferenced(&storage) { storage = IdentifiedStorage(storage.content) }
  }
}

extension UnarchiverState {
  /// Has the value that the innermost object becomes kept at once: what is asked for again must be the same one.
  mutating func keepIdentity() { scopes[innermost].isLarge = true }
}
