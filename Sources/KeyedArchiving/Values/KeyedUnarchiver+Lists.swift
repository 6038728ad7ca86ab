// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

// Objects of one of several types, under a flat allow list as on Apple's systems.
extension KeyedUnarchiver {
  /// Decodes the object for a key, which has one of several types.
  ///
  /// The list is flat: it also governs the elements of ``ArchivedArray``, ``ArchivedDictionary`` and ``ArchivedSet``,
  /// if it contains these types. Whether it must contain strings, numbers and data depends on ``primitiveValuePolicy``.
  /// - Parameters:
  ///   - types: The allow list.
  ///   - key: The key of the object.
  /// - Returns: The object, or nil if the key is absent, stores nil, or the call fails.
  public func decodeObject(of types: [any KeyedCoding.Type], forKey key: String) -> (any KeyedCoding)? {
    recordingErrors(nil) { try object(types, key) } ?? fallback(nil, for: key)
  }

  /// Decodes the object for a key, which has one of several types, and passes it to a closure after it is complete.
  ///
  /// The closure runs as in ``decodeObject(of:forKey:then:)-(Value.Type,_,_)``, but the class is checked only
  /// when the object is decoded for the closure.
  /// - Parameters:
  ///   - types: The allow list.
  ///   - key: The key of the object.
  ///   - deliver: A closure that receives the object.
  /// - Returns: `false` if the key is absent, stores nil, or the call fails.
  @discardableResult
  public func decodeObject(
    of types: [any KeyedCoding.Type], forKey key: String, then deliver: @escaping (any KeyedCoding) -> Void
  ) -> Bool {
    recordingErrors(false) {
      guard storage.state.frame > 0, case .object(let uid) = try storage.state.reference(forKey: key) else {
        guard let value = try object(types, key) else { return fallback(false, for: key) }
        deliver(value)
        return true
      }
      let classUID = try storage.state.classUID(of: uid)
      if classUID == nil, try storage.state.source.isNull(storage.state.source.entry(uid)) {
        return fallback(false, for: key)
      }
      let list = list(of: types)
      // A type that the delegate chooses is unknown until the object is decoded.
      let type = try classUID.flatMap { try listedType(classRecord($0), list) }
      return try later(uid, as: type) { coder in
        let value = try coder.withAllowList(list) { try coder.decodeAllowed(uid) }
        if let value { deliver(value) }
      }
    }
  }

  /// Decodes the next unkeyed object, which has one of several types.
  /// - Parameter types: The allow list.
  /// - Returns: The object, or nil if the archive stores nil or the call fails.
  public func decodeObject(of types: [any KeyedCoding.Type]) -> (any KeyedCoding)? {
    recordingErrors(nil) { try nextObject(types) }
  }

  package func nextObject(_ types: [any KeyedCoding.Type]) throws -> (any KeyedCoding)? {
    guard let uid = try storage.state.nextUnkeyedUID() else { return nil }
    return try complete { try withAllowList(list(of: types)) { try decodeAllowed(uid) } }
  }

  /// Decodes the object for a top-level key, which has one of several types.
  /// - Parameters:
  ///   - types: The allow list.
  ///   - key: The top-level key.
  /// - Returns: The object, or nil if the key is absent or stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged or its class is not allowed.
  public func decodeTopLevelObject(of types: [any KeyedCoding.Type], forKey key: String) throws -> (any KeyedCoding)? {
    try throwing { try object(types, key) }
  }

  /// Decodes the array for a key.
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - key: The key of the array.
  /// - Returns: The array, or nil if the key is absent, stores nil, or the call fails.
  @inlinable
  public func decodeArrayOfObjects<Element: KeyedCoding>(ofClass type: Element.Type, forKey key: String) -> [Element]? {
    decodeObject(of: [Element].self, forKey: key)
  }

  /// Decodes the dictionary for a key.
  /// - Parameters:
  ///   - keyType: The type of the dictionary's keys.
  ///   - valueType: The type of the dictionary's values.
  ///   - key: The key of the dictionary.
  /// - Returns: The dictionary, or nil if the key is absent, stores nil, or the call fails.
  public func decodeDictionary<Key: KeyedCoding & Hashable, Value: KeyedCoding>(
    withKeyClass keyType: Key.Type, objectClass valueType: Value.Type, forKey key: String
  ) -> [Key: Value]? {
    decodeObject(of: [Key: Value].self, forKey: key)
  }

  /// Decodes the array for a key, whose elements have one of several types.
  /// - Parameters:
  ///   - types: The allow list for the elements. It must contain ``ArchivedArray`` if an element may be an array.
  ///   - key: The key of the array.
  /// - Returns: The elements, or nil if the key is absent, stores nil, or the call fails.
  public func decodeArrayOfObjects(ofClasses types: [any KeyedCoding.Type], forKey key: String) -> [any KeyedCoding]? {
    recordingErrors(nil) { try array(types, key) } ?? fallback(nil, for: key)
  }

  /// Decodes the dictionary for a key, with one allow list for its keys and one for its values.
  /// - Parameters:
  ///   - keyTypes: The allow list for the dictionary's keys.
  ///   - valueTypes: The allow list for the dictionary's values.
  ///   - key: The key of the dictionary.
  /// - Returns: The dictionary, or nil if the key is absent, stores nil, or the call fails.
  public func decodeDictionary(
    withKeysOfClasses keyTypes: [any KeyedCoding.Type], objectsOfClasses valueTypes: [any KeyedCoding.Type],
    forKey key: String
  ) -> ArchivedDictionary? {
    recordingErrors(nil) { try dictionary(keyTypes, valueTypes, key) } ?? fallback(nil, for: key)
  }

  func array(_ types: [any KeyedCoding.Type], _ key: String) throws -> [any KeyedCoding]? {
    guard let uid = try storage.state.uid(forKey: key) else { return nil }
    let isOutermost = storage.state.depth == 0 && !storage.state.isInOutermostCall
    return try complete {
      if isOutermost { outermostTypes = types }
      return try withAllowList(list(of: types)) { try make(value: ListedArray.self, from: uid)?.collection.elements }
    }
  }

  func dictionary(
    _ keyTypes: [any KeyedCoding.Type], _ valueTypes: [any KeyedCoding.Type], _ key: String
  ) throws -> ArchivedDictionary? {
    guard let uid = try storage.state.uid(forKey: key) else { return nil }
    let former = dictionaryLists
    dictionaryLists = (list(of: keyTypes), list(of: valueTypes))
    defer { dictionaryLists = former }
    // One combined list is the cache key, so that a value cached for this pair of lists is never returned for another.
    let both = list(of: keyTypes + [ListedDictionary.self] + valueTypes)
    return try complete { try withAllowList(both) { try make(value: ListedDictionary.self, from: uid)?.collection } }
  }

  package func object(_ types: [any KeyedCoding.Type], _ key: String) throws -> (any KeyedCoding)? {
    switch try storage.state.reference(forKey: key) {
    case .null: return nil
    case .object(let uid):
      let isOutermost = storage.state.depth == 0 && !storage.state.isInOutermostCall
      return try complete {
        if isOutermost { outermostTypes = types }
        return try withAllowList(list(of: types)) { try decodeAllowed(uid) }
      }
    case .inline(let item):
      if let type = primitiveType(of: item, in: list(of: types).primitiveTypes + primitiveTypes) {
        return try cachedContent(type, item)
      }
      _ = try storage.state.source.uid(item)
      return nil
    }
  }

  /// The types that every list allows.
  private var primitiveTypes: [any PrimitiveValue.Type] {
    primitiveValuePolicy == .alwaysAllowed ? [String.self, ArchiveNumber.self, Data.self] : []
  }

  /// Returns the first type that represents a primitive exactly, or else the first that accepts it.
  private func primitiveType(
    of item: BinaryItem, in types: [any PrimitiveValue.Type]
  ) -> (any PrimitiveValue.Type)? {
    var rounding: (any PrimitiveValue.Type)?
    for type in types where type.accepts(item, storage.state.source) {
      guard type == Float.self, item.kind == .double else { return type }
      rounding = rounding ?? type
    }
    return rounding
  }

  /// Decodes an object under the current allow list.
  package func decodeAllowed(_ uid: UInt32) throws -> (any KeyedCoding)? {
    guard let list = currentAllowList else { throw withoutList(uid) }
    guard uid != 0 else { return nil }
    let id = ArchiveUID(rawValue: uid)
    guard let classUID = try storage.state.classUID(of: uid) else {
      let entry = try storage.state.source.entry(uid)
      if storage.state.source.isNull(entry) { return nil }
      let types = primitiveValuePolicy == .mustBeListed ? list.primitiveTypes : list.primitiveTypes + primitiveTypes
      if let type = primitiveType(of: entry, in: types) { return try type.decode(id, in: self) }
      guard let name = PrimitiveValueClass.name(of: entry.kind) else { throw noObject(entry, uid) }
      throw notListed(name, list, uid)
    }
    let record = try classRecord(classUID)
    if let type = try listedType(record, list) { return try decodeListed(type, record, list, uid) }
    // The delegate can choose a type for the name, which the list must allow too.
    guard let answer = delegateType(for: record) else { throw notListed(record.name, list, uid) }
    guard list.admits(answer) else {
      throw notListed(record.name, list, uid, "the delegate returned \(answer), which is not on the list")
    }
    return try answer.decode(id, in: self)
  }

  /// Returns the type to decode under a list: the one mapped to the class name, else the first that matches it.
  private func listedType(_ record: ClassRecord, _ list: AllowList) throws -> (any KeyedCoding.Type)? {
    if let set = setClass(for: record), list.admits(set) { return set }
    // As in a request for a single type, an accepted name precedes hints and patterns.
    if let accepted = acceptedTypes(of: record.name).first(where: { list.admits($0) }),
      !list.hasType(named: record.name)
    {
      return accepted
    }
    return try list.type(for: record)
  }

  // Errors are created out of line, because their stack space would otherwise be used at each level of decoding.

  @inline(never)
  private func withoutList(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .classNotAllowed, "missing allow list: an untyped collection was requested without a list of types",
      at: storage.state.place(), uid: ArchiveUID(rawValue: uid),
      remedy: "Name it and the types of its elements in a list, as in unarchivedObject(ofClasses:from:) and "
        + "decodeObject(of: [types], forKey:), or request a typed collection")
  }

  @inline(never)
  private func noObject(_ item: BinaryItem, _ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .classNotAllowed, "invalid object: found a value of kind \(item.kind.name); expected a dictionary or a primitive",
      at: storage.state.place(), uid: ArchiveUID(rawValue: uid), byteOffset: storage.state.source.offset(of: item))
  }
}

/// An array whose elements, but not the array itself, the current allow list governs.
private struct ListedArray: SecureKeyedCoding, ListGoverned, ListedCollection {
  var collection: ArchivedArray

  static var archiveClassName: String { ArchivedArray.archiveClassName }
  static var archiveClassAliases: [String] { ArchivedArray.archiveClassAliases }

  func encode(with coder: KeyedArchiver) { collection.encode(with: coder) }

  init(coder: KeyedUnarchiver) throws { collection = try ArchivedArray.made(by: coder) }
}

/// A dictionary with one allow list for its keys and one for its values.
private struct ListedDictionary: SecureKeyedCoding, ListGoverned, ListedCollection {
  var collection: ArchivedDictionary

  static var archiveClassName: String { ArchivedDictionary.archiveClassName }
  static var archiveClassAliases: [String] { ArchivedDictionary.archiveClassAliases }

  func encode(with coder: KeyedArchiver) throws { try collection.encode(with: coder) }

  init(coder: KeyedUnarchiver) throws {
    guard let lists = coder.dictionaryLists else { throw coder.malformed("missing allow lists") }
    coder.cacheImmediately()
    let isMutable = try coder.classNameOfObject == ArchivedDictionary.mutableName
    // The lists do not govern nested dictionaries.
    coder.dictionaryLists = nil
    let (keys, values) = try coder.pairs(
      { uid in try coder.withAllowList(lists.keys) { try coder.decodeAllowed(uid) } },
      { uid in try coder.withAllowList(lists.values) { try coder.decodeAllowed(uid) } })
    collection = ArchivedDictionary(zip(keys, values).map { ($0, $1) }, isMutable: isMutable)
  }
}
