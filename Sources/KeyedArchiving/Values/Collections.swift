// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Array: KeyedCoding, SecureKeyedCoding where Element: KeyedCoding {
  /// The archived class name, `NSArray`.
  public static var archiveClassName: String { "NSArray" }

  /// The archived class name of mutable arrays, `NSMutableArray`.
  public static var archiveClassAliases: [String] { ["NSMutableArray"] }

  /// Encodes references to the elements for the key `NS.objects`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encodeReferences(to: self, forKey: "NS.objects") }

  /// Records an array together with its elements.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  @inlinable
  public func record(in coder: KeyedArchiver) -> RecordedValue { coder.recorded(array: self) }

  /// Decodes the elements.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged or a nonoptional element is nil, and any error that
  ///   decoding an element throws.
  @inlinable
  public init?(coder: KeyedUnarchiver) throws { self = try coder.typedElements() }
}

extension Set: KeyedCoding, SecureKeyedCoding where Element: KeyedCoding {
  /// The archived class name, `NSSet`.
  public static var archiveClassName: String { "NSSet" }

  /// The archived class name of mutable sets, `NSMutableSet`.
  public static var archiveClassAliases: [String] { ["NSMutableSet"] }

  /// Encodes references to the elements for the key `NS.objects`, in an order that does not depend on hash seeds.
  /// - Parameter coder: The archiver.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/notEncodable`` if more than 128 elements have the
  ///   same hash, as data with the same first 80 bytes has. A decoder would reject the set.
  public func encode(with coder: KeyedArchiver) throws {
    try coder.encodeSet(Array(self)) { $0.record(in: coder) }
  }

  /// Decodes the elements. Two elements that are equal in Swift are an error, because one of them would be lost.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, a nonoptional element is nil, or two elements are equal.
  ///   Also any error that decoding an element throws.
  public init?(coder: KeyedUnarchiver) throws {
    let elements: [Element] = try coder.hashing {
      try coder.elements(.objects, path: .elements) { try Element.decode(ArchiveUID(rawValue: $0), in: coder) }
    }
    self = try coder.set(of: elements)
  }
}

extension Dictionary: KeyedCoding, SecureKeyedCoding where Key: KeyedCoding, Value: KeyedCoding {
  /// The archived class name, `NSDictionary`.
  public static var archiveClassName: String { "NSDictionary" }

  /// The archived class name of mutable dictionaries, `NSMutableDictionary`.
  public static var archiveClassAliases: [String] { ["NSMutableDictionary"] }

  /// Encodes references to the keys and values for the keys `NS.keys` and `NS.objects`, in an order that does not
  /// depend on hash seeds.
  /// - Parameter coder: The archiver.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/notEncodable`` if more than 128 keys have the same
  ///   hash. A decoder would reject the dictionary.
  public func encode(with coder: KeyedArchiver) throws {
    try coder.encodeDictionary(self, key: { $0.record(in: coder) }, value: { $0.record(in: coder) })
  }

  /// Decodes the keys and values. Two keys that are equal in Swift are an error, because one value would be lost.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, a nonoptional key or value is nil, or two keys are
  ///   equal. Also any error that decoding a key or value throws.
  public init?(coder: KeyedUnarchiver) throws {
    let (keys, values) = try coder.hashedPairs(
      { try Key.decode(ArchiveUID(rawValue: $0), in: coder) },
      { try Value.decode(ArchiveUID(rawValue: $0), in: coder) })
    self = try coder.dictionary(of: keys, values)
  }
}

extension Optional: KeyedCoding where Wrapped: KeyedCoding {
  /// The archived class name of the wrapped type.
  public static var archiveClassName: String { Wrapped.archiveClassName }

  /// The other names of the wrapped type's class.
  public static var archiveClassAliases: [String] { Wrapped.archiveClassAliases }

  /// The subclasses of the wrapped type.
  public static var archiveSubclasses: [any KeyedCoding.Type] { Wrapped.archiveSubclasses }

  /// The superclass chain of the wrapped type.
  public static var archiveClassChain: [String] { Wrapped.archiveClassChain }

  /// Encodes the wrapped value, if it is not nil.
  /// - Parameter coder: The archiver.
  /// - Throws: Any error that the wrapped value throws.
  public func encode(with coder: KeyedArchiver) throws { try self?.encode(with: coder) }

  /// Decodes a wrapped value.
  /// - Parameter coder: The unarchiver.
  /// - Throws: Any error that the initializer of the wrapped type throws.
  public init?(coder: KeyedUnarchiver) throws { self = try Wrapped(coder: coder) }

  /// Records the wrapped value, or nil, which is archived as ``ArchiveNull`` inside a collection.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue { self?.record(in: coder) ?? RecordedValue(.null) }

  /// Decodes a wrapped value. A reference to nil and ``ArchiveNull`` decode as nil.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver.
  /// - Returns: The wrapped value, or `.some(nil)` for a reference to nil or a null object.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, and any error that decoding the wrapped value throws.
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Wrapped?? {
    if let value = try coder.isNullObject(uid.rawValue) ? nil : Wrapped.decode(uid, in: coder) {
      return .some(value)
    }
    return .some(nil)
  }
}

extension Optional: SecureKeyedCoding where Wrapped: SecureKeyedCoding {
  /// A Boolean value that indicates whether the wrapped type supports secure coding.
  public static var supportsSecureCoding: Bool { Wrapped.supportsSecureCoding }
}

// Typed collections, which can contain untyped ones.
extension Array: ListGoverned {}
extension Set: ListGoverned {}
extension Dictionary: ListGoverned {}
extension Optional: ListGoverned {}

extension KeyedArchiver {
  /// Records an array by its elements, if possible.
  @inlinable
  package func recorded<Element: KeyedCoding>(array: [Element]) -> RecordedValue {
    guard
      case .begun(let number, let start) = beginCollection(
        [Element].self, ObjectIdentifier([Element].self), array.count)
    else { return recorded(value: array) }
    if Element.self is AnyClass {
      reserveReferences(array.count)
    } else if Element.self == String.self {
      reserveStrings(array.count)
    }
    for index in array.indices { setCollected(start &+ index, array[index].record(in: self)) }
    return recordedCollection(number)
  }
}
