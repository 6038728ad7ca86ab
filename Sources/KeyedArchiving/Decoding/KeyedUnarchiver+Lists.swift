// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
@_spi(Archiving) public import PropertyListFormat

// Objects of one of several types, under a flat list as on Apple's systems.
extension KeyedUnarchiver {
  /// The object for a key, of one of several types; nil if there is none.
  ///
  /// The list is flat: it also governs the elements of ``ArchivedArray``, ``ArchivedDictionary`` and ``ArchivedSet``, if
  /// they are on it. Strings, numbers and data must be on it as well.
  public func decodeObject(of types: [any KeyedCoding.Type], forKey key: String) -> (any KeyedCoding)? {
    kept(nil) { try object(types, key) }
  }

  /// Hands over the object for a key, of one of several types, when it is complete: as
  /// ``decodeObject(of:forKey:then:)-(Value.Type,_,_)`` does with one of one type.
  ///
  /// The class is checked when the object is handed over.
  /// - Returns: whether there is an object for the key.
  @discardableResult
  public func decodeObject(
    of types: [any KeyedCoding.Type], forKey key: String, then deliver: @escaping (any KeyedCoding) -> Void
  ) -> Bool {
    kept(false) {
      guard storage.state.frame > 0, case .object(let uid) = try storage.state.reference(forKey: key) else {
        guard let value = try object(types, key) else { return false }
        deliver(value)
        return true
      }
      let list = list(of: types)
      // A type that the delegate chooses is not known before the object is made.
      let type = try storage.state.classUID(of: uid).flatMap { try listedType(classRecord($0), list) }
      return try later(uid, as: type) { coder in
        let value = try coder.withAllowList(list) { try coder.decodeAllowed(uid) }
        if let value { deliver(value) }
      }
    }
  }

  /// The next object that was encoded without a key, of one of several types; nil if nil was.
  public func decodeObject(of types: [any KeyedCoding.Type]) -> (any KeyedCoding)? {
    kept(nil) {
      guard let uid = try storage.state.nextUnkeyedUID() else { return nil }
      return try complete { try withAllowList(list(of: types)) { try decodeAllowed(uid) } }
    }
  }

  /// The object for a top-level key, of one of several types; nil if there is none.
  /// - Throws: ``KeyedArchiveError`` if there is one that is not as it should be.
  public func decodeTopLevelObject(of types: [any KeyedCoding.Type], forKey key: String) throws -> (any KeyedCoding)? {
    try throwing { try object(types, key) }
  }

  /// The array for a key, each of whose elements is of one of several types; nil if there is none.
  public func decodeArrayOfObjects(ofClasses types: [any KeyedCoding.Type], forKey key: String) -> [any KeyedCoding]? {
    kept(nil) { try array(types, key) }
  }

  /// The dictionary for a key, each of whose keys is of one of several types, and each value of one of several others;
  /// nil if there is none.
  public func decodeDictionary(
    withKeysOfClasses keyTypes: [any KeyedCoding.Type], objectsOfClasses valueTypes: [any KeyedCoding.Type],
    forKey key: String
  ) -> ArchivedDictionary? {
    kept(nil) { try dictionary(keyTypes, valueTypes, key) }
  }

  private func array(_ types: [any KeyedCoding.Type], _ key: String) throws -> [any KeyedCoding]? {
    guard let found = try object([ArchivedArray.self] + types, key) else { return nil }
    guard let array = found as? ArchivedArray else {
      throw KeyedArchiveError(.classNotAllowed, "expected an array, found \(type(of: found))")
    }
    return array.elements
  }

  private func dictionary(
    _ keyTypes: [any KeyedCoding.Type], _ valueTypes: [any KeyedCoding.Type], _ key: String
  ) throws -> ArchivedDictionary? {
    guard let uid = try storage.state.uid(forKey: key) else { return nil }
    let former = listsOfPairs
    listsOfPairs = (list(of: keyTypes), list(of: valueTypes))
    defer { listsOfPairs = former }
    // One list stands for both, so that what is kept under them is not taken for what others admit.
    let both = list(of: keyTypes + [PairsUnderLists.self] + valueTypes)
    return try complete { try withAllowList(both) { try make(value: PairsUnderLists.self, from: uid)?.dictionary } }
  }

  package func object(_ types: [any KeyedCoding.Type], _ key: String) throws -> (any KeyedCoding)? {
    switch try storage.state.reference(forKey: key) {
    case .none: return nil
    case .object(let uid): return try complete { try withAllowList(list(of: types)) { try decodeAllowed(uid) } }
    case .inline(let item):
      for case let bare as any PrimitiveValue.Type in types + plainTypes where bare.accepts(item, storage.state.source)
      {
        return try content(bare, item)
      }
      _ = try storage.state.source.uid(item)
      return nil
    }
  }

  /// What comes out under any list.
  private var plainTypes: [any KeyedCoding.Type] {
    primitiveValuePolicy == .alwaysAllowed ? [String.self, ArchiveNumber.self, Data.self] : []
  }

  /// The list of some types: the same each time, so that what was kept under it is found again.
  package func list(of types: [any KeyedCoding.Type]) -> AllowList {
    let key = types.map { ObjectIdentifier($0) }
    if let known = classLists[key] { return known }
    let list = AllowList(types)
    classLists[key] = list
    return list
  }

  /// Runs a step of decoding with a list in force.
  package func withAllowList<Value>(_ list: AllowList?, _ body: () throws -> Value) rethrows -> Value {
    let former = allowedClasses
    allowedClasses = list
    defer { allowedClasses = former }
    return try body()
  }

  /// Makes an object that the list in force allows.
  package func decodeAllowed(_ uid: UInt32) throws -> (any KeyedCoding)? {
    guard let list = allowedClasses else { throw withoutList(uid) }
    guard uid != 0 else { return nil }
    let id = ArchiveUID(rawValue: uid)
    guard let classUID = try storage.state.classUID(of: uid) else {
      let entry = try storage.state.source.entry(uid)
      if storage.state.source.isNull(entry) { return nil }
      for type in primitiveValuePolicy == .mustBeListed ? list.types : list.types + plainTypes {
        if let bare = type as? any PrimitiveValue.Type, bare.accepts(entry, storage.state.source) {
          return try type._decode(from: id, self)
        }
      }
      guard let name = PrimitiveValueClass.name(of: entry.kind) else { throw noObject(entry, uid) }
      throw notListed(name, list, uid)
    }
    let record = try classRecord(classUID)
    if let type = listedType(record, list) { return try type._decode(from: id, self) }
    // The delegate may know a type for the name; it must be on the list as well.
    guard let answer = delegateType(for: record) else { throw notListed(record.name, list, uid) }
    guard list.admits(answer) else {
      throw notListed(record.name, list, uid, "the delegate offered \(answer), which is not on the list")
    }
    return try answer._decode(from: id, self)
  }

  /// The type to make of an object under a list: the one set for its class's name, else the first that answers to it.
  private func listedType(_ record: ClassRecord, _ list: AllowList) -> (any KeyedCoding.Type)? {
    if let set = setClass(for: record), list.admits(set) { return set }
    return list.type(for: record)
  }

  // Errors are made out of line: what they take on the stack would be taken for each level of what is decoded.

  @inline(never)
  private func withoutList(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .classNotAllowed, "an untyped collection was asked for where no list of types is in force",
      keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid),
      remedy: "Name it and the types of its elements in a list, as in unarchivedObject(ofClasses:from:) and "
        + "decodeObject(of: [types], forKey:), or ask for a typed collection")
  }

  @inline(never)
  private func noObject(_ item: BinaryItem, _ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .classNotAllowed, "the archive has a value of kind \(item.kind.name) where an object should be",
      keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid), byteOffset: item.content - 1)
  }

  @inline(never)
  private func notListed(
    _ name: String, _ list: AllowList, _ uid: UInt32, _ reason: String? = nil
  ) -> KeyedArchiveError {
    var names: [String] = []
    for name in list.types.map({ "\($0)" }) where !names.contains(name) { names.append(name) }
    let allowed = names.isEmpty ? "nothing" : names.joined(separator: ", ")
    let why = reason.map { "; \($0)" } ?? ""
    return KeyedArchiveError(
      .classNotAllowed, "class '\(name)' is not allowed here; allowed: \(allowed)\(why)",
      keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid), className: name,
      remedy: name.hasSameBytes(as: ArchiveNull.archiveClassName)
        ? "If an element may be nil, add ArchiveNull to the list" : "If you trust it, add its type to the list")
  }
}

// The calls most programs need.
extension KeyedUnarchiver {
  /// The object under the key `root`; nil if nil was archived.
  /// - Throws: ``KeyedArchiveError``: for data that is no keyed archive, and for anything in it that is not `type`.
  @inlinable
  public static func unarchivedObject<Value: KeyedCoding>(
    ofClass type: Value.Type, from data: Data, limits: ReadLimits = .default
  ) throws -> Value? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    let value = try unarchiver.decodeIfPresent(type, forKey: unarchiver.existingRootKey())
    unarchiver.finishDecoding()
    return value
  }

  /// The object under the key `root`, of one of several types; nil if nil was archived.
  /// - Throws: ``KeyedArchiveError``: for data that is no keyed archive, and for anything in it that is not on the list.
  public static func unarchivedObject(
    ofClasses types: [any KeyedCoding.Type], from data: Data, limits: ReadLimits = .default
  ) throws -> (any KeyedCoding)? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    return try unarchiver.rootObject { try unarchiver.decodeTopLevelObject(of: types, forKey: $0) }
  }

  /// The array under the key `root`, each of whose elements is of a type; nil if nil was archived.
  /// - Throws: as ``unarchivedObject(ofClass:from:limits:)``.
  public static func unarchivedArrayOfObjects<Element: KeyedCoding>(
    ofClass type: Element.Type, from data: Data, limits: ReadLimits = .default
  ) throws -> [Element]? {
    try unarchivedObject(ofClass: [Element].self, from: data, limits: limits)
  }

  /// The array under the key `root`, each of whose elements is of one of several types; nil if nil was archived.
  /// - Throws: as ``unarchivedObject(ofClasses:from:limits:)``.
  public static func unarchivedArrayOfObjects(
    ofClasses types: [any KeyedCoding.Type], from data: Data, limits: ReadLimits = .default
  ) throws -> [any KeyedCoding]? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    return try unarchiver.rootObject { key in try unarchiver.throwing { try unarchiver.array(types, key) } }
  }

  /// The dictionary under the key `root`, each of whose keys is of one of several types, and each value of one of several
  /// others; nil if nil was archived.
  /// - Throws: as ``unarchivedObject(ofClasses:from:limits:)``.
  public static func unarchivedDictionary(
    ofKeyClasses keyTypes: [any KeyedCoding.Type], objectClasses valueTypes: [any KeyedCoding.Type], from data: Data,
    limits: ReadLimits = .default
  ) throws -> ArchivedDictionary? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    return try unarchiver.rootObject { key in
      try unarchiver.throwing { try unarchiver.dictionary(keyTypes, valueTypes, key) }
    }
  }

  /// The dictionary under the key `root`, all of whose keys and values are of a type each; nil if nil was archived.
  /// - Throws: as ``unarchivedObject(ofClass:from:limits:)``.
  public static func unarchivedDictionary<Key: KeyedCoding & Hashable, Value: KeyedCoding>(
    ofKeyClass keyType: Key.Type, objectClass valueType: Value.Type, from data: Data, limits: ReadLimits = .default
  ) throws -> [Key: Value]? {
    try unarchivedObject(ofClass: [Key: Value].self, from: data, limits: limits)
  }

  /// The object under the key `root`, of one of several types, without asking that they adopt secure coding.
  ///
  /// For archives and types that predate secure coding. Even so only the types that are named come out.
  /// - Throws: ``KeyedArchiveError``.
  public static func unarchiveTopLevelObjectWithData(
    _ data: Data, classes types: [any KeyedCoding.Type], limits: ReadLimits = .default
  ) throws -> (any KeyedCoding)? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    unarchiver.requiresSecureCoding = false
    return try unarchiver.rootObject { try unarchiver.decodeTopLevelObject(of: types, forKey: $0) }
  }

  private func rootObject<Value>(_ decode: (String) throws -> Value?) throws -> Value? {
    let value = try decode(existingRootKey())
    finishDecoding()
    return value
  }

  /// The key of the root object, which there must be.
  @usableFromInline
  func existingRootKey() throws -> String {
    guard try throwing({ try storage.state.contains(KeyedArchiver.rootKey) }) else {
      let keys = storage.state.topLevelKeys
      throw KeyedArchiveError(
        .valueNotFound, "the archive has no top-level key '\(KeyedArchiver.rootKey)'", keyPath: "$top",
        remedy: keys.isEmpty
          ? "It has no keys at all: encode a value before you take the archiver's data"
          : "Open it with KeyedUnarchiver(forReadingFrom:) and ask for one of the keys it has: "
            + keys.joined(separator: ", "))
    }
    return KeyedArchiver.rootKey
  }
}

/// A dictionary whose keys and whose values are each made under a list of their own.
private struct PairsUnderLists: SecureKeyedCoding, ListGoverned {
  let dictionary: ArchivedDictionary

  static var archiveClassName: String { ArchivedDictionary.archiveClassName }
  static var archiveClassAliases: [String] { ArchivedDictionary.archiveClassAliases }

  func encode(with coder: KeyedArchiver) throws { try dictionary.encode(with: coder) }

  init(coder: KeyedUnarchiver) throws {
    guard let lists = coder.listsOfPairs else { throw coder.malformed("no lists are in force") }
    // Collections within have no such lists.
    coder.listsOfPairs = nil
    let (keys, values) = try coder.pairs(
      { uid in try coder.withAllowList(lists.keys) { try coder.decodeAllowed(uid) } },
      { uid in try coder.withAllowList(lists.values) { try coder.decodeAllowed(uid) } })
    dictionary = ArchivedDictionary(zip(keys, values).map { ($0, $1) })
  }
}
