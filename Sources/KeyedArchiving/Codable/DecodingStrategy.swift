// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// How values of one Codable type are made; found out once for each type.
class DecodingStrategy<Value> {
  /// The value of an object; nil if it turns out to be nil.
  func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Value? { nil }

  /// The value of what is stored inline.
  func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Value? { nil }

  /// The value of nil; nil if the type has none.
  func makeFromNull(in coder: KeyedUnarchiver) throws -> Value? { nil }

  /// The value at a place; nil if there is nil and the type has no value for it.
  @inline(__always)
  final func make(_ place: ValueLocation, in coder: KeyedUnarchiver) throws -> Value? {
    switch place {
    case .object(let uid):
      if let value = try make(uid, in: coder) { return value }
      return try makeFromNull(in: coder)
    case .inline(let item): return try make(inline: item, in: coder)
    case .null: return try makeFromNull(in: coder)
    }
  }
}

/// A type that is made from an archive by itself.
final class KeyedDecodingWay<Value: KeyedCoding>: DecodingStrategy<Value> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Value? {
    try Value._decode(from: ArchiveUID(rawValue: uid), coder)
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Value? {
    try coder.inline(Value.self, item)
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> Value? {
    if let type = Value.self as? any KeyedCodable.Type, !(type is AnyClass) {
      return try coder.makeFromNull(type) as? Value
    }
    return try Value._decode(from: .null, coder)
  }
}

/// A struct or enum that is Codable only.
final class CodableValueDecodingWay<Value: Decodable>: DecodingStrategy<Value> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Value? {
    try coder.makeCodable(DecodableValue<Value>.self, Value.self, uid) { try coder.make(value: $0, from: $1)?.value }
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Value? {
    try coder.single(Value.self, .inline(item), Value.self)
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> Value? { try coder.makeFromNull(Value.self) }
}

/// A class that is Codable only.
final class CodableObjectDecodingWay<Value: Decodable>: DecodingStrategy<Value> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Value? {
    try coder.make(DecodableObject<Value>.self, from: uid)?.value
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Value? {
    _ = try coder.storage.state.source.uid(item)
    return nil
  }
}

extension KeyedUnarchiver {
  /// How values of a type are made.
  func way<Value: Decodable>(of type: Value.Type) -> DecodingStrategy<Value> {
    let id = ObjectIdentifier(type)
    if let known = decodingWays[id] as? DecodingStrategy<Value> { return known }
    let way = makeWay(of: type)
    decodingWays[id] = way
    return way
  }

  private func makeWay<Value: Decodable>(of type: Value.Type) -> DecodingStrategy<Value> {
    func keyed<Keyed: KeyedCoding>(_ type: Keyed.Type) -> AnyObject { KeyedDecodingWay<Keyed>() }
    var found: AnyObject?
    if let type = type as? any KeyedCoding.Type {
      found = keyed(type)
    } else if let type = type as? any CollectionDecodable.Type {
      found = type.decodingWay(in: self)
    }
    if let way = found as? DecodingStrategy<Value> { return way }
    return type is AnyClass ? CodableObjectDecodingWay() : CodableValueDecodingWay()
  }

  /// Makes a struct or enum that conforms to KeyedCodable.
  func makeCodable<Value: KeyedCodable>(_ type: Value.Type, from uid: UInt32) throws -> Value? {
    try makeCodable(type, type, uid) { try make(value: $0, from: $1) }
  }

  /// Makes a struct or enum from an object of its class; from anything else, if it was archived as a single value.
  ///
  /// In the latter case its `init(from:)` gets a decoder that gives out a single value only, which in turn is admitted by
  /// the type that is asked for.
  func makeCodable<Keyed: KeyedCoding, Value: Decodable>(
    _ keyed: Keyed.Type, _ type: Value.Type, _ uid: UInt32, _ make: (Keyed.Type, UInt32) throws -> Value?
  ) throws -> Value? {
    guard uid != 0 else { return nil }
    if let classUID = try storage.state.classUID(of: uid) {
      if try mayStand(classUID, for: keyed) { return try make(keyed, uid) }
    } else if try storage.state.source.isNull(storage.state.source.entry(uid)) {
      return nil
    }
    return try single(type, .object(uid), keyed)
  }

  /// Makes a value of what stands at a place. The caller's list is not for what the value asks for.
  func single<Value: Decodable>(_ type: Value.Type, _ place: ValueLocation, _ wanted: Any.Type) throws -> Value {
    guard allowedClasses != nil else {
      return try Value(from: ArchiveDecoder(coder: self, place: place, wanted: wanted))
    }
    return try withAllowList(nil) { try Value(from: ArchiveDecoder(coder: self, place: place, wanted: wanted)) }
  }

  /// The value of a struct or enum for nil: one that encodes itself as a single value may have one.
  func makeFromNull<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    try single(type, .null, type)
  }

  /// Whether an object with a class record may stand where a type is asked for.
  private func mayStand<Keyed: KeyedCoding>(_ classUID: UInt32, for type: Keyed.Type) throws -> Bool {
    let key = AllowListCache.Key(classUID: classUID, request: ObjectIdentifier(type))
    if storage.state.allowListCache.contains(key) { return true }
    if rejectedPairs.contains(key) { return false }
    do {
      try checkAllowed(classUID, for: type)
      return true
    } catch let error as KeyedArchiveError where error.code == .classNotAllowed {
      rejectedPairs.insert(key)
      return false
    }
  }
}

/// A struct or enum that is Codable only, as what is made from an object of its class.
struct DecodableValue<Value: Decodable>: SecureKeyedCoding {
  let value: Value

  static var archiveClassName: String { TypeName.archived(Value.self) }

  init(coder: KeyedUnarchiver) throws { value = try Value(from: ArchiveDecoder(coder: coder)) }

  func encode(with coder: KeyedArchiver) {}
}

/// An instance of a class that is Codable only, as what is made from an object of its class, once.
final class DecodableObject<Value: Decodable>: SecureKeyedCoding {
  let value: Value

  static var archiveClassName: String { TypeName.archived(Value.self) }

  init(coder: KeyedUnarchiver) throws { value = try Value(from: ArchiveDecoder(coder: coder)) }

  func encode(with coder: KeyedArchiver) {}
}
