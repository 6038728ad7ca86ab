// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// Decoding of collections. Their elements are an array of references for the key `NS.objects`, or single references for
// `NS.object.0`, `NS.object.1` and so on. Both forms are decoded; the first is encoded.
extension KeyedUnarchiver {
  package enum ElementKind {
    case objects, keys

    package var arrayKey: String { self == .keys ? "NS.keys" : "NS.objects" }
    package var numberedKey: String { self == .keys ? "NS.key." : "NS.object." }
  }

  /// Decodes the elements of the current collection, each with `make`.
  func elements<Element>(
    _ kind: ElementKind, path: UnarchiverState.Scope.Kind, _ make: (UInt32) throws -> Element?
  ) throws -> [Element] {
    guard let item = try storage.state.value(forKey: kind.arrayKey) else { return try numbered(kind, path, make) }
    let count = try storage.state.openElements(item, path, key: kind.arrayKey)
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      let uid = try storage.state.element(index)
      guard let element = try make(uid) else { throw nilElement() }
      elements.append(element)
    }
    storage.state.closeElements()
    return elements
  }

  @inline(never)
  private func numbered<Element>(
    _ kind: ElementKind, _ path: UnarchiverState.Scope.Kind, _ make: (UInt32) throws -> Element?
  ) throws -> [Element] {
    var elements: [Element] = []
    while let item = try storage.state.value(forKey: kind.numberedKey + "\(elements.count)") {
      guard let element = try make(storage.state.source.uid(item)) else { throw nilElement() }
      elements.append(element)
    }
    let count = storage.state.countKeys(withPrefix: kind.numberedKey)
    guard count == elements.count else {
      throw malformed(
        "inconsistent elements of a collection: found \(count) keys with the prefix '\(kind.numberedKey)'; expected "
          + "consecutive numbers up to \(count - 1)")
    }
    if elements.isEmpty, !storage.state.scopeIsEmpty {
      throw malformed("missing elements of a collection: expected '\(kind.arrayKey)' or '\(kind.numberedKey)0'")
    }
    return elements
  }

  /// Decodes the pairs of the current dictionary, whose keys will be hashed.
  @inline(__always)
  func hashedPairs<Key: Hashable, Value>(
    _ makeKey: (UInt32) throws -> Key?, _ makeValue: (UInt32) throws -> Value?
  ) throws -> (keys: [Key], values: [Value]) {
    let keys = try hashing { try elements(.keys, path: .keys, makeKey) }
    return try matched(keys, elements(.objects, path: .values, makeValue))
  }

  /// Decodes the pairs of the current dictionary.
  @inline(__always)
  func pairs<Key, Value>(
    _ makeKey: (UInt32) throws -> Key?, _ makeValue: (UInt32) throws -> Value?
  ) throws -> (keys: [Key], values: [Value]) {
    let keys = try elements(.keys, path: .keys, makeKey)
    return try matched(keys, elements(.objects, path: .values, makeValue))
  }

  @inline(__always)
  private func matched<Key, Value>(_ keys: [Key], _ values: [Value]) throws -> (keys: [Key], values: [Value]) {
    guard keys.count == values.count else {
      throw malformed(
        "inconsistent dictionary: found \(keys.count) keys and \(values.count) values; expected equal numbers")
    }
    return (keys, values)
  }

  @usableFromInline @inline(never)
  func nilElement() -> any Error {
    KeyedArchiveError(
      .valueNotFound, "nil element of a collection", at: storage.state.place(),
      remedy: "If elements may be nil, request a collection of optionals")
  }

  // Values of the current object.

  /// Decodes a required primitive.
  package func needed<Value: PrimitiveValue>(_ type: Value.Type, _ key: String) throws -> Value {
    guard let value = try primitive(type, key) else { throw absent(key, type) }
    return value
  }

  /// Decodes required bytes.
  package func needed(_ type: [UInt8].Type, _ key: String) throws -> [UInt8] {
    guard let item = try storage.state.number(forKey: key) else { throw absent(key, type) }
    guard item.kind == .data else {
      throw malformed("invalid '\(key)': found a value of kind \(item.kind.name); expected data")
    }
    try storage.state.charge(reading: item)
    return Array(storage.state.source.bytes[item.content..<item.content + item.count])
  }

  func absent(_ key: String, _ type: Any.Type) -> KeyedArchiveError {
    KeyedArchiveError(
      .valueNotFound, "missing value for '\(key)'; expected \(type)", at: storage.state.place(to: key))
  }

  /// Returns the error for stored values that form no valid object.
  @inline(never)
  package func malformed(_ detail: String) -> KeyedArchiveError {
    KeyedArchiveError(.malformedValue, detail, at: storage.state.place())
  }
}

extension UnarchiverState {
  /// Begins a scope for the elements of an array of references. Returns their number.
  @inline(__always)
  mutating func openElements(
    _ item: BinaryItem, _ kind: Scope.Kind, key: String
  ) throws(KeyedArchiveError) -> Int {
    guard item.kind == .array else { throw noArray(item, key) }
    // Charged each time, because collections can share their elements.
    try charge(item.weight)
    if item.count >= 64 { scopes[innermost].isLarge = true }
    scopes.append(Scope(kind: kind, uid: 0, layout: -1, item: item))
    return item.count
  }

  @inline(never)
  private mutating func noArray(_ item: BinaryItem, _ key: String) -> KeyedArchiveError {
    KeyedArchiveError(
      .malformedValue,
      "invalid '\(key)' of a collection: found a value of kind \(item.kind.name); expected an array of references",
      at: place(), byteOffset: item.content - 1)
  }

  /// Returns the UID of element `index` of the current scope.
  @inline(__always)
  mutating func element(_ index: Int) throws(KeyedArchiveError) -> UInt32 {
    scopes[innermost].current = index
    return try source.uid(source.element(index, of: scopes[innermost].item))
  }

  mutating func closeElements() { scopes.removeLast() }

  /// Returns the number of the current object's keys that have a prefix.
  mutating func countKeys(withPrefix prefix: String) -> Int {
    keyLayouts.countKeys(withPrefix: prefix, in: scopes[innermost].layout)
  }

  /// Whether the current object has no values except its class.
  var scopeIsEmpty: Bool { scopes[innermost].item.count <= 1 }

  /// Marks a primitive as decoded. Returns whether it was decoded before.
  mutating func markDecoded(_ uid: UInt32) -> Bool {
    // A primitive is never an instance of a class, so it has no other flags to preserve.
    let wasDecoded = objectStates[Int(uid)].flags.contains(.decodedOnce)
    objectStates[Int(uid)].flags = wasDecoded ? [.decodedOnce, .cached] : .decodedOnce
    return wasDecoded
  }
}

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
  /// - Throws: No error.
  public func encode(with coder: KeyedArchiver) throws {
    let elements = Array(self)
    if let places = PlainValueOrder.places(elements) {
      coder.encodeReferences(to: places.lazy.map { elements[$0] }, forKey: "NS.objects")
    } else {
      coder.encodeReferences(to: elements, forKey: "NS.objects", order: .any)
    }
  }

  /// Decodes the elements. Two elements that are equal in Swift are an error, because one of them would be lost.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, a nonoptional element is nil, or two elements are equal.
  ///   Also any error that decoding an element throws.
  public init?(coder: KeyedUnarchiver) throws {
    let elements: [Element] = try coder.hashing {
      try coder.elements(.objects, path: .elements) { try Element.decode(ArchiveUID(rawValue: $0), in: coder) }
    }
    try coder.checkHashes(of: elements)
    self = Set(elements)
    guard count == elements.count else {
      throw coder.malformed("duplicate elements of a set: found \(elements.count), of which only \(count) differ")
    }
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
  /// - Throws: No error.
  public func encode(with coder: KeyedArchiver) throws {
    let (keys, values) = (Array(keys), Array(values))
    if let places = PlainValueOrder.places(keys) {
      coder.encodeReferences(to: places.lazy.map { keys[$0] }, forKey: "NS.keys")
      coder.encodeReferences(to: places.lazy.map { values[$0] }, forKey: "NS.objects")
    } else {
      coder.encodeReferences(to: keys, forKey: "NS.keys", order: .anyWithNext)
      coder.encodeReferences(to: values, forKey: "NS.objects")
    }
  }

  /// Decodes the keys and values. Two keys that are equal in Swift are an error, because one value would be lost.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, a nonoptional key or value is nil, or two keys are
  ///   equal. Also any error that decoding a key or value throws.
  public init?(coder: KeyedUnarchiver) throws {
    let (keys, values) = try coder.hashedPairs(
      { try Key.decode(ArchiveUID(rawValue: $0), in: coder) },
      { try Value.decode(ArchiveUID(rawValue: $0), in: coder) })
    try coder.checkHashes(of: keys)
    self.init(minimumCapacity: keys.count)
    for (key, value) in zip(keys, values) {
      guard updateValue(value, forKey: key) == nil else {
        throw coder.malformed("duplicate key '\(key)' of a dictionary")
      }
    }
  }
}

extension Optional: KeyedCoding where Wrapped: KeyedCoding {
  /// The archived class name of the wrapped type.
  public static var archiveClassName: String { Wrapped.archiveClassName }

  /// The other names or the subclasses of the wrapped type.
  public static var archiveClassAliases: [String] { Wrapped.archiveClassAliases }

  /// The other names or the subclasses of the wrapped type.
  public static var archiveSubclasses: [any KeyedCoding.Type] { Wrapped.archiveSubclasses }

  /// The archived class name of the wrapped type.
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

extension KeyedUnarchiver {
  func isNullObject(_ uid: UInt32) throws -> Bool {
    guard uid != 0, let classUID = try storage.state.classUID(of: uid) else { return false }
    return try classRecord(classUID).name == ArchiveNull.archiveClassName
  }
}

/// An optional type. It allows decoding an optional inline number, and an optional as its wrapped type on an allow
/// list.
protocol AnyOptional {
  static var wrappedType: (any PrimitiveValue.Type)? { get }
  static var wrapped: (any KeyedCoding.Type)? { get }
}

extension Optional: AnyOptional {
  static var wrappedType: (any PrimitiveValue.Type)? { Wrapped.self as? any PrimitiveValue.Type }
  static var wrapped: (any KeyedCoding.Type)? { Wrapped.self as? any KeyedCoding.Type }
}
