// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// What the collections share. Their elements are stored as an array of references under `NS.objects`, or one reference
// each under `NS.object.0`, `NS.object.1` and so on; both are read, the former is written.
extension KeyedUnarchiver {
  enum ElementKind {
    case objects, keys

    var arrayKey: String { self == .keys ? "NS.keys" : "NS.objects" }
    var numberedKey: String { self == .keys ? "NS.key." : "NS.object." }
  }

  /// Decodes the elements of the collection that is being decoded, each with `make`.
  func elements<Element>(
    _ kind: ElementKind, path: UnarchiverState.Scope.Kind, _ make: (UInt32) throws -> Element?
  ) throws -> [Element] {
    guard let item = try storage.state.value(forKey: kind.arrayKey) else { return try numbered(kind, path, make) }
    let count = try storage.state.openElements(item, path, key: kind.arrayKey)
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for place in 0..<count {
      let uid = try storage.state.element(place)
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
        "a collection has \(count) elements of which '\(kind.numberedKey)\(elements.count)' is missing, or has one twice"
      )
    }
    if elements.isEmpty, !storage.state.scopeIsEmpty {
      throw malformed("a collection has neither '\(kind.arrayKey)' nor '\(kind.numberedKey)0'")
    }
    return elements
  }

  /// Decodes the pairs of the dictionary that is being decoded, whose keys will be hashed.
  @inline(__always)
  func hashedPairs<Key: Hashable, Value>(
    _ makeKey: (UInt32) throws -> Key?, _ makeValue: (UInt32) throws -> Value?
  ) throws -> (keys: [Key], values: [Value]) {
    let keys = try hashing { try elements(.keys, path: .keys, makeKey) }
    return try matched(keys, elements(.objects, path: .values, makeValue))
  }

  /// Decodes the pairs of the dictionary that is being decoded.
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
        "a dictionary must have as many keys as values, it has \(keys.count) keys and \(values.count) values")
    }
    return (keys, values)
  }

  @usableFromInline @inline(never)
  func nilElement() -> any Error {
    KeyedArchiveError(
      .valueNotFound, "an element of a collection is nil", keyPath: storage.state.keyPath(),
      remedy: "Ask for a collection of optionals, if elements may be missing")
  }

  // What built-in values need beyond what is public.

  /// The value for a key, which must be there.
  package func needed<Value: PrimitiveValue>(_ type: Value.Type, _ key: String) throws -> Value {
    guard let value = try bare(type, key) else { throw absent(key, type) }
    return value
  }

  /// The bytes for a key, which must be there.
  package func needed(_ type: [UInt8].Type, _ key: String) throws -> [UInt8] {
    guard let item = try storage.state.number(forKey: key) else { throw absent(key, type) }
    guard item.kind == .data else {
      throw malformed("'\(key)' must be data, it is of kind \(item.kind.name)")
    }
    try storage.state.spend(reading: item)
    return Array(storage.state.source.bytes[item.content..<item.content + item.count])
  }

  private func absent(_ key: String, _ type: Any.Type) -> KeyedArchiveError {
    KeyedArchiveError(
      .valueNotFound, "there is no value for '\(key)', where \(type) is needed",
      keyPath: storage.state.keyPath(to: key))
  }

  /// The error for stored values that make no valid object.
  @inline(never)
  package func malformed(_ detail: String) -> KeyedArchiveError {
    KeyedArchiveError(.malformedValue, detail, keyPath: storage.state.keyPath())
  }
}

extension UnarchiverState {
  /// Makes the elements of an array of references the innermost scope; returns how many there are.
  @inline(__always)
  mutating func openElements(
    _ item: BinaryItem, _ kind: Scope.Kind, key: String
  ) throws(KeyedArchiveError) -> Int {
    guard item.kind == .array else { throw noArray(item, key) }
    // Collections may share their elements.
    try spend(item.weight)
    if item.count >= 64 { scopes[innermost].isLarge = true }
    scopes.append(Scope(kind: kind, uid: 0, shape: -1, item: item))
    return item.count
  }

  @inline(never)
  private mutating func noArray(_ item: BinaryItem, _ key: String) -> KeyedArchiveError {
    KeyedArchiveError(
      .malformedValue, "'\(key)' of a collection must be an array of references, it is of kind \(item.kind.name)",
      keyPath: keyPath(), byteOffset: item.content - 1)
  }

  /// The object that element `place` of the innermost scope refers to.
  @inline(__always)
  mutating func element(_ place: Int) throws(KeyedArchiveError) -> UInt32 {
    scopes[innermost].current = place
    return try source.uid(source.element(place, of: scopes[innermost].item))
  }

  mutating func closeElements() { scopes.removeLast() }

  /// How many keys of the object that is being decoded begin with a text.
  mutating func countKeys(withPrefix prefix: String) -> Int {
    shapes.countKeys(withPrefix: prefix, in: scopes[innermost].shape)
  }

  /// Whether the object that is being decoded has no values but its class.
  var scopeIsEmpty: Bool { scopes[innermost].item.count <= 1 }

  /// Marks that a bare value was made; returns whether one was made before.
  mutating func markDecoded(_ uid: UInt32) -> Bool {
    // No instance of a class is made of a bare value, so there are no other marks to keep.
    let wasDecoded = slots[Int(uid)].marks.contains(.decodedOnce)
    slots[Int(uid)].marks = wasDecoded ? [.decodedOnce, .kept] : .decodedOnce
    return wasDecoded
  }
}
