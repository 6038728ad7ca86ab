// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// A primitive of an archive: a string, number, Boolean or data, which has no class record.
public enum ArchivePrimitive: Hashable, Sendable {
  /// A string.
  case string(String)
  /// A number or Boolean.
  case number(ArchiveNumber)
  /// Bytes.
  case data(Data)

  /// Returns whether two values have the same kind and value. Strings are compared by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether the values are equal.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.string(let a), .string(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    default: false
    }
  }

  /// Hashes the value.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .string(let text): hasher.combine(text)
    case .number(let number): hasher.combine(number)
    case .data(let bytes): hasher.combine(FullyHashedData(bytes))
    }
  }
}

/// An object that is archived as a primitive with identity, and never merged with an equal one.
package protocol IdentifiedPrimitive: AnyObject, SpeciallyArchived {
  /// The value.
  var value: ArchivePrimitive { get }
  /// The archive that it was decoded from.
  var origin: SourceArchive? { get }
  /// The row in that archive's object table.
  var row: UInt32 { get }
}

/// A value type whose copies are archived as one object until one of them changes.
///
/// A decoded collection may be shared by many others, and so are its copies in memory. Without identity, it would be
/// archived once for each of them, and its contents once for each of these. A few collections that each share the next
/// one twice would become millions.
package protocol IdentifiedValue: SecureKeyedCoding {
  /// The type of the content.
  associatedtype Content
  /// The content, which copies share.
  var storage: IdentifiedStorage<Self> { get }
  /// Creates a value with a storage.
  init(storage: IdentifiedStorage<Self>)
}

/// The content of an ``IdentifiedValue``, and its identity.
package final class IdentifiedStorage<Value: IdentifiedValue> {
  package var content: Value.Content

  package init(_ content: Value.Content) { self.content = content }
}

/// A class whose instances are the storage of values, and are archived as these. Delegates receive the values, and
/// class names are theirs.
package protocol ValueStorage: AnyObject, SpeciallyArchived {
  /// The value.
  var value: any KeyedCoding { get }
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
  /// Copies a shared storage before the value changes.
  package static func makeUnique(_ storage: inout IdentifiedStorage<Self>) {
    if !isKnownUniquelyReferenced(&storage) { storage = IdentifiedStorage(storage.content) }
  }
}

extension UnarchiverState {
  /// Caches the current object's value at its first decode, because later requests must return the same one.
  mutating func cacheImmediately() { scopes[innermost].isLarge = true }
}
