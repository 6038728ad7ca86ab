// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The way in which an unarchiver decodes values of one Codable type. It is determined once for each type.
class DecodingStrategy<Value> {
  /// Decodes an object. Returns nil if it represents nil.
  func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Value? { nil }

  /// Decodes an inline value.
  func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Value? { nil }

  /// Decodes nil. Returns nil if the type has no value for it.
  func makeFromNull(in coder: KeyedUnarchiver) throws -> Value? { nil }

  /// Decodes the value at a location. Returns nil if it is nil and the type has no value for nil.
  @inline(__always)
  final func make(_ location: ValueLocation, in coder: KeyedUnarchiver) throws -> Value? {
    switch location {
    case .object(let uid):
      if let value = try make(uid, in: coder) { return value }
      return try makeFromNull(in: coder)
    case .inline(let item): return try make(inline: item, in: coder)
    case .null: return try makeFromNull(in: coder)
    }
  }
}

/// The strategy of types that conform to `KeyedCoding`.
final class KeyedDecodingStrategy<Value: KeyedCoding>: DecodingStrategy<Value> {
  /// The type, if its values can be archived as a single value.
  private let codable = Value.self is AnyClass ? nil : Value.self as? any KeyedCodable.Type

  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Value? {
    try Value.decode(ArchiveUID(rawValue: uid), in: coder)
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Value? {
    guard let codable else { return try coder.inline(Value.self, item).flatMap { $0 as? Value } }
    try coder.checkSecureCoding(of: codable, nil)
    return try coder.single(codable, .inline(item), codable) as? Value
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> Value? {
    guard let codable else { return try Value.decode(.null, in: coder) }
    try coder.checkSecureCoding(of: codable, nil)
    return try coder.makeFromNull(codable) as? Value
  }
}

/// The strategy of structs and enums that are only Codable.
final class CodableValueDecodingStrategy<Value: Decodable>: DecodingStrategy<Value> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Value? {
    try coder.makeCodable(DecodableValue<Value>.self, Value.self, uid) { try coder.make(value: $0, from: $1)?.value }
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Value? {
    try coder.single(Value.self, .inline(item), Value.self)
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> Value? { try coder.makeFromNull(Value.self) }
}

/// The strategy of classes that are only Codable.
final class CodableObjectDecodingStrategy<Value: Decodable>: DecodingStrategy<Value> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Value? {
    try coder.make(DecodableObject<Value>.self, from: uid)?.value
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Value? {
    _ = try coder.storage.state.source.uid(item)
    return nil
  }
}

extension KeyedUnarchiver {
  /// Returns the decoding strategy of a type.
  func strategy<Value: Decodable>(for type: Value.Type) -> DecodingStrategy<Value> {
    let id = ObjectIdentifier(type)
    if let known = decodingStrategies[id] as? DecodingStrategy<Value> { return known }
    let strategy = makeStrategy(for: type)
    decodingStrategies[id] = strategy
    return strategy
  }

  private func makeStrategy<Value: Decodable>(for type: Value.Type) -> DecodingStrategy<Value> {
    func keyed<Keyed: KeyedCoding>(_ type: Keyed.Type) -> AnyObject { KeyedDecodingStrategy<Keyed>() }
    var found: AnyObject?
    if let type = type as? any KeyedCoding.Type {
      found = keyed(type)
    } else if let type = type as? any CollectionDecodable.Type {
      found = type.decodingStrategy(in: self)
    }
    if let strategy = found as? DecodingStrategy<Value> { return strategy }
    return type is AnyClass ? CodableObjectDecodingStrategy() : CodableValueDecodingStrategy()
  }

  /// Decodes a struct or enum that conforms to `KeyedCodable`.
  func makeCodable<Value: KeyedCodable>(_ type: Value.Type, from uid: UInt32) throws -> Value? {
    try makeCodable(type, type, uid) { try make(value: $0, from: $1) }
  }

  /// Decodes a struct or enum from an object of its class, or from the single value as which it was archived.
  ///
  /// In the latter case, its `init(from:)` gets a decoder that provides only a single value, whose requested type is
  /// the allow list.
  func makeCodable<Keyed: KeyedCoding, Value: Decodable>(
    _ keyed: Keyed.Type, _ type: Value.Type, _ uid: UInt32, _ make: (Keyed.Type, UInt32) throws -> Value?
  ) throws -> Value? {
    guard uid != 0 else { return nil }
    if let classUID = try storage.state.classUID(of: uid) {
      if try isAllowed(classUID, for: keyed) { return try make(keyed, uid) }
    } else if try storage.state.source.isNull(storage.state.source.entry(uid)) {
      return nil
    }
    try checkSecureCoding(of: keyed, nil)
    return try single(type, .object(uid), keyed)
  }

  /// Decodes a value from a location. The current allow list does not govern the types that the value requests.
  func single<Value: Decodable>(_ type: Value.Type, _ location: ValueLocation, _ wanted: Any.Type) throws -> Value {
    guard currentAllowList != nil else {
      return try Value(from: ArchiveDecoder(coder: self, location: location, wanted: wanted))
    }
    return try withAllowList(nil) { try Value(from: ArchiveDecoder(coder: self, location: location, wanted: wanted)) }
  }

  /// Decodes a struct or enum from nil, which a type that encodes itself as a single value can support.
  func makeFromNull<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    try single(type, .null, type)
  }

  /// Returns whether an object with a class record may be decoded as a type.
  private func isAllowed<Keyed: KeyedCoding>(_ classUID: UInt32, for type: Keyed.Type) throws -> Bool {
    let key = AllowListCache.Key(classUID: classUID, request: ObjectIdentifier(type))
    if storage.state.allowListCache.contains(key) { return true }
    if rejections[key] != nil { return false }
    do {
      try checkAllowed(classUID, for: type)
      return true
    } catch let error as KeyedArchiveError where error.code == .classNotAllowed {
      return false
    }
  }
}

extension KeyedUnarchiver: SingleValueDecoding {
  func single(_ type: any KeyedCoding.Type, _ item: BinaryItem) throws -> Any? {
    guard let codable = type as? any KeyedCodable.Type, !(type is AnyClass) else { return nil }
    try checkSecureCoding(of: codable, nil)
    return try single(codable, .inline(item), codable)
  }
}

/// A wrapper that decodes an object of a struct or enum that is only Codable.
struct DecodableValue<Value: Decodable>: SecureKeyedCoding, DecodableWrapper {
  let value: Value

  static var wrappedType: Any.Type { Value.self }

  static var archiveClassName: String { TypeName.archived(Value.self) }

  init(coder: KeyedUnarchiver) throws { value = try Value(from: ArchiveDecoder(coder: coder)) }

  func encode(with coder: KeyedArchiver) {}
}

/// A wrapper that decodes an instance of a class that is only Codable, once for each object.
final class DecodableObject<Value: Decodable>: SecureKeyedCoding, DecodableWrapper {
  let value: Value

  static var wrappedType: Any.Type { Value.self }

  static var archiveClassName: String { TypeName.archived(Value.self) }

  init(coder: KeyedUnarchiver) throws { value = try Value(from: ArchiveDecoder(coder: coder)) }

  func encode(with coder: KeyedArchiver) {}
}
