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

  /// Begins the scope of the elements and returns their number, or nil if each element has its own key.
  @usableFromInline
  func beginElements() throws -> Int? { try beginElements(.objects, path: .elements) }

  private func beginElements(_ kind: ElementKind, path: UnarchiverState.Scope.Kind) throws -> Int? {
    guard let item = try storage.state.value(forKey: kind.arrayKey) else { return nil }
    return try storage.state.openElements(item, path, key: kind.arrayKey)
  }

  @usableFromInline
  func elementUID(_ index: Int) throws -> UInt32 { try storage.state.element(index) }

  @usableFromInline
  func endElements() { storage.state.closeElements() }

  /// Ends the scope of the elements after an error, to which it adds the place: the initializer that decodes them can
  /// continue.
  @usableFromInline @inline(never)
  func abandonElements(_ error: any Error) -> any Error {
    var error = located(KeyedArchiveError(wrapping: error))
    if error.objectPlace == nil { error.objectPlace = storage.state.place() }
    storage.state.closeElements()
    return error
  }

  /// Returns the UID of the element that has its own key and a number, or nil after the last one.
  @inline(never)
  private func numberedUID(_ kind: ElementKind, _ found: Int) throws -> UInt32? {
    if let item = try storage.state.value(forKey: kind.numberedKey + "\(found)") {
      return try storage.state.source.uid(item)
    }
    let count = storage.state.countKeys(withPrefix: kind.numberedKey)
    guard count == found else {
      throw malformed(
        "inconsistent elements of a collection: found \(count) keys with the prefix '\(kind.numberedKey)'; expected "
          + "consecutive numbers up to \(count - 1)")
    }
    if found == 0, !storage.state.scopeIsEmpty {
      throw malformed("missing elements of a collection: expected '\(kind.arrayKey)' or '\(kind.numberedKey)0'")
    }
    return nil
  }

  /// Decodes the elements of the current collection, each with `make`.
  func elements<Element>(
    _ kind: ElementKind, path: UnarchiverState.Scope.Kind, _ make: (UInt32) throws -> Element?
  ) throws -> [Element] {
    var elements: [Element] = []
    func append(_ uid: UInt32) throws {
      guard let element = try make(uid) else { throw nilElement(Element.self) }
      elements.append(element)
    }
    if let count = try beginElements(kind, path: path) {
      elements.reserveCapacity(count)
      do {
        for index in 0..<count { try append(elementUID(index)) }
      } catch {
        throw abandonElements(error)
      }
      endElements()
    } else {
      while let uid = try numberedUID(kind, elements.count) { try append(uid) }
    }
    return elements
  }

  /// Decodes the pairs of the current dictionary, whose keys will be hashed.
  @inline(__always)
  func hashedPairs<Key: Hashable, Value>(
    _ makeKey: (UInt32) throws -> Key?, _ makeValue: (UInt32) throws -> Value?
  ) throws -> (keys: [Key], values: [Value]) {
    try pairs(keys: hashing { try elements(.keys, path: .keys, makeKey) }, makeValue)
  }

  /// Decodes the pairs of the current dictionary.
  @inline(__always)
  func pairs<Key, Value>(
    _ makeKey: (UInt32) throws -> Key?, _ makeValue: (UInt32) throws -> Value?
  ) throws -> (keys: [Key], values: [Value]) {
    try pairs(keys: elements(.keys, path: .keys, makeKey), makeValue)
  }

  private func pairs<Key, Value>(
    keys: [Key], _ makeValue: (UInt32) throws -> Value?
  ) throws -> (keys: [Key], values: [Value]) {
    let values = try elements(.objects, path: .values, makeValue)
    guard keys.count == values.count else {
      throw malformed(
        "inconsistent dictionary: found \(keys.count) keys and \(values.count) values; expected equal numbers")
    }
    return (keys, values)
  }

  /// Returns the set of decoded elements. Two that are equal in Swift are an error, because one of them would be lost.
  func set<Element: Hashable>(of elements: [Element]) throws -> Set<Element> {
    try checkHashes(of: elements)
    let set = Set(elements)
    guard set.count == elements.count else {
      throw malformed("duplicate elements of a set: found \(elements.count), of which only \(set.count) differ")
    }
    return set
  }

  /// Returns the dictionary of decoded pairs. Two keys that are equal in Swift are an error, because one value would be
  /// lost.
  func dictionary<Key: Hashable, Value>(of keys: [Key], _ values: [Value]) throws -> [Key: Value] {
    try checkHashes(of: keys)
    var dictionary = [Key: Value](minimumCapacity: keys.count)
    for (key, value) in zip(keys, values) {
      guard dictionary.updateValue(value, forKey: key) == nil else {
        throw malformed("duplicate key '\(key)' of a dictionary")
      }
    }
    return dictionary
  }

  @usableFromInline @inline(never)
  func nilElement(_ type: Any.Type) -> any Error {
    KeyedArchiveError(
      .valueNotFound, "nil element of a collection", at: storage.state.place(),
      remedy: "If elements may be nil, request a collection of optionals"
    ).requesting(type)
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
      at: place(), byteOffset: source.offset(of: item))
  }

  /// Returns the UID of element `index` of the current scope.
  @inline(__always)
  mutating func element(_ index: Int) throws(KeyedArchiveError) -> UInt32 {
    scopes[innermost].current = index
    return try source.uid(at: index, of: scopes[innermost].item)
  }

  mutating func closeElements() { scopes.removeLast() }

  /// Returns the number of the current object's keys that have a prefix; 0 between the elements of a collection, where
  /// delegates and closures run.
  mutating func countKeys(withPrefix prefix: String) -> Int {
    scopes[innermost].layout < 0
      ? 0
      : keyLayouts.countKeys(withPrefix: prefix, in: scopes[innermost].layout)
  }

  /// Whether the current object has no values except its class.
  var scopeIsEmpty: Bool { scopes[innermost].layout >= 0 && scopes[innermost].item.count <= 1 }

  /// Marks a primitive as decoded. Returns whether it was decoded before.
  mutating func markDecoded(_ uid: UInt32) -> Bool {
    // A primitive is never an instance of a class, so it has no other flags to preserve.
    let wasDecoded = objects[uid].flags.contains(.decodedOnce)
    objects[uid].flags = wasDecoded ? [.decodedOnce, .cached] : .decodedOnce
    return wasDecoded
  }
}

// Elements of a known type. As with single objects, only type-dependent code is compiled in the module of the type.
extension KeyedUnarchiver {
  /// Decodes the elements of the current collection.
  @inlinable
  func typedElements<Element: KeyedCoding>() throws -> [Element] {
    guard let count = try beginElements() else { return try numberedElements() }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    do {
      for index in 0..<count {
        guard let element = try Element.decode(ArchiveUID(rawValue: elementUID(index)), in: self) else {
          throw nilElement(Element.self)
        }
        elements.append(element)
      }
    } catch {
      throw abandonElements(error)
    }
    endElements()
    return elements
  }

  @usableFromInline
  func numberedElements<Element: KeyedCoding>() throws -> [Element] {
    try elements(.objects, path: .elements) { try Element.decode(ArchiveUID(rawValue: $0), in: self) }
  }
}

// Swift dictionaries and sets hash strings by Unicode rules, which take too long for a long run of combining marks.
// Therefore each string decoded as part of a key or an element is checked.
extension KeyedUnarchiver {
  /// Runs a step that decodes keys of a dictionary or elements of a set.
  func hashing<Value>(_ body: () throws -> Value) rethrows -> Value {
    guard !storage.state.isHashing else { return try body() }
    storage.state.isHashing = true
    swap(&valueCache, &hashedValueCache)
    defer {
      storage.state.isHashing = false
      swap(&valueCache, &hashedValueCache)
    }
    return try body()
  }

  /// Checks a decoded primitive that may be a string and may be hashed now or later.
  @inline(__always)
  func checkHashed<Value>(_ value: Value, _ item: BinaryItem) throws {
    if item.kind == .utf16, item.count > MarkRun.longest { try checkText(value, item) }
  }

  @inline(never)
  private func checkText<Value>(_ value: Value, _ item: BinaryItem) throws {
    guard storage.state.isHashing else { return storage.state.note(unchecked: item) }
    if let text = value as? String { try checkHashed(text) }
  }

  /// Checks a string that may be hashed now or later.
  func checkHashed(_ text: String) throws {
    guard storage.state.isHashing else { return storage.state.note(unchecked: text) }
    guard MarkRun.isBounded(text) else { throw unhashable(text) }
  }

  /// Returns the error for a string that would take too long to hash.
  func unhashable(_ text: String) -> KeyedArchiveError { storage.state.unhashable(text) }
}

extension KeyedUnarchiver {
  /// Checks that different values can be inserted into a set or dictionary in linear time.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/limitReached``, or
  ///   ``KeyedArchiveError/Code/malformedValue`` for an instance that is there twice.
  func checkHashes<Value: Hashable>(of values: [Value]) throws {
    try checkInstances(in: values)
    guard !EqualHashes.areFew(in: values) else { return }
    throw KeyedArchiveError(
      .limitReached,
      "too many values of type \(Value.self) have the same hash: found more than \(EqualHashes.maximum)",
      at: storage.state.place(),
      remedy: "Request ArchivedDictionary or an array, which hash no elements, or read the file as a KeyedArchive")
  }

  /// Checks that no instance is there twice, before its hash is computed as often. A reference to it can have one byte.
  private func checkInstances<Value>(in values: [Value]) throws {
    guard values.count > EqualHashes.maximum, Value.self is AnyClass else { return }
    var known = Set<ObjectIdentifier>(minimumCapacity: values.count)
    for value in values where !known.insert(ObjectIdentifier(value as AnyObject)).inserted {
      throw malformed("duplicate element of a set, or key of a dictionary: found the same \(Value.self) twice")
    }
  }
}
