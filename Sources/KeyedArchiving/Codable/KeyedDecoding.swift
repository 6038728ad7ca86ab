// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The keyed container of the current object.
struct ScopeDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let coder: KeyedUnarchiver
  let scope: ScopeID

  var codingPath: [any CodingKey] { coder.storage.state.codingPath(withLastKey: false) }

  var allKeys: [Key] { isCurrent ? coder.storage.state.keys.compactMap(Key.init(archived:)) : [] }

  func contains(_ key: Key) -> Bool {
    guard isCurrent else { return false }
    do {
      return try coder.storage.state.value(forKey: key.stringValue) != nil
    } catch {
      // Otherwise a program would take the default for a damaged value.
      coder.fail(error)
      return false
    }
  }

  /// Whether the object is the current one. Otherwise the decoding of the current one fails, because a call that cannot
  /// throw would return a wrong answer.
  private var isCurrent: Bool {
    guard !coder.storage.state.isCurrent(scope) else { return true }
    coder.fail(coder.notCurrent())
    return false
  }

  @inline(__always)
  private func check() throws {
    guard coder.storage.state.isCurrent(scope) else { throw coder.notCurrent() }
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    do {
      try check()
      guard let location = try coder.storage.state.location(forKey: key.stringValue) else {
        throw missing(key, Any?.self)
      }
      return try coder.isNil(location)
    } catch {
      throw coder.codingError(error, Any?.self)
    }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let value: Value?
    do {
      try check()
      guard let location = try coder.storage.state.location(forKey: key.stringValue) else { throw missing(key, type) }
      value = try coder.strategy(for: type).make(location, in: coder)
    } catch {
      throw coder.codingError(error, type)
    }
    guard let value else { throw coder.foundNil(type) }
    return value
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    do {
      try check()
      guard let location = try coder.storage.state.location(forKey: key.stringValue), try !coder.isNil(location) else {
        return nil
      }
      return try coder.strategy(for: type).make(location, in: coder)
    } catch {
      throw coder.codingError(error, type)
    }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    if let value = try optional(type, key) { return value }
    throw absent(key, type)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }

  @inline(__always)
  private func optional(_ type: String.Type, _ key: Key) throws -> String? {
    do {
      try check()
      return try coder.object(type, key.stringValue)
    } catch {
      if storesNull(key) { return nil }
      throw coder.codingError(error, type)
    }
  }

  /// Returns whether a key stores a null object, which a string or number cannot be.
  @inline(never)
  private func storesNull(_ key: Key) -> Bool {
    do {
      try check()
      guard let location = try coder.storage.state.location(forKey: key.stringValue) else { return false }
      return try coder.isNil(location)
    } catch {
      return false
    }
  }

  @inline(__always)
  private func number<Value: PrimitiveValue>(_ type: Value.Type, _ key: Key) throws -> Value {
    do {
      try check()
      if let value = try coder.primitive(type, key.stringValue) { return value }
    } catch {
      throw coder.codingError(error, type)
    }
    throw absent(key, type)
  }

  @inline(__always)
  private func optional<Value: PrimitiveValue>(_ type: Value.Type, _ key: Key) throws -> Value? {
    do {
      try check()
      return try coder.primitive(type, key.stringValue)
    } catch {
      if storesNull(key) { return nil }
      throw coder.codingError(error, type)
    }
  }

  /// Returns the error for a key that is absent or stores nil.
  private func absent(_ key: Key, _ type: Any.Type) -> any Error {
    contains(key) ? coder.foundNil(type) : missing(key, type)
  }

  @inline(never)
  private func missing(_ key: Key, _ type: Any.Type) -> DecodingError {
    let cause = KeyedArchiveError(
      .valueNotFound, "missing value for '\(key.stringValue)'; expected \(type)",
      at: coder.storage.state.place(to: key.stringValue))
    return .keyNotFound(
      key, DecodingError.Context(codingPath: codingPath, debugDescription: cause.detail, underlyingError: cause))
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try number(type, key) }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try number(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try number(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try number(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try number(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try number(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try number(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try number(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try number(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try number(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try number(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try number(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try number(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try needed(key, [String: Any].self).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try needed(key, [Any].self).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try superDecoder(forKey: "super") }

  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(forKey: key.stringValue) }

  private func superDecoder(forKey key: String) throws -> ArchiveDecoder {
    try decoder(forKey: key) ?? ArchiveDecoder(coder: coder, location: .null, wanted: nil)
  }

  private func needed(_ key: Key, _ type: Any.Type) throws -> ArchiveDecoder {
    guard let decoder = try decoder(forKey: key.stringValue) else { throw missing(key, type) }
    return decoder
  }

  private func decoder(forKey key: String) throws -> ArchiveDecoder? {
    do {
      try check()
      guard let location = try coder.storage.state.location(forKey: key) else { return nil }
      let position = coder.storage.state.scopes[coder.storage.state.innermost].current
      return ArchiveDecoder(coder: coder, location: location, wanted: nil, member: (scope, position))
    } catch {
      throw coder.codingError(error, Any.self)
    }
  }
}

extension CodingKey {
  /// Creates the coding key for an archived key. A type that only supports integers gets an integer.
  init?(archived text: String) {
    if let key = Self(stringValue: text) {
      self = key
    } else if let number = Int(text), let key = Self(intValue: number) {
      self = key
    } else {
      return nil
    }
  }
}

/// A nested keyed container: a dictionary object.
struct DictionaryDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let coder: KeyedUnarchiver
  let node: DecodingNode

  var codingPath: [any CodingKey] { coder.codingPath(in: node) }

  var allKeys: [Key] { node.keys.compactMap(Key.init(archived:)) }

  func contains(_ key: Key) -> Bool { node.index(ofKey: key.stringValue, coder) != nil }

  private func index(_ key: Key, _ type: Any.Type) throws -> Int {
    if let index = node.index(ofKey: key.stringValue, coder) { return index }
    let cause = coder.located(
      KeyedArchiveError(.valueNotFound, "missing value for '\(key.stringValue)'; expected \(type)"))
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: codingPath, debugDescription: cause.detail, underlyingError: cause))
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let index = try index(key, Any?.self)
    return try node.within(index, coder, Any?.self) { try coder.isNil(node.location(index)) }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let index = try index(key, type)
    return try node.within(index, coder, type) {
      guard let value = try coder.strategy(for: type).make(node.location(index), in: coder) else {
        throw coder.foundNil(type)
      }
      return value
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let index = try index(key, [String: Any].self)
    return try node.within(index, coder, [String: Any].self) { try decoder(at: index).container(keyedBy: type) }
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    let index = try index(key, [Any].self)
    return try node.within(index, coder, [Any].self) { try decoder(at: index).unkeyedContainer() }
  }

  func superDecoder() throws -> any Decoder { superDecoder(forKey: "super") }

  func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(forKey: key.stringValue) }

  private func superDecoder(forKey key: String) -> ArchiveDecoder {
    let index = node.index(ofKey: key, coder)
    return ArchiveDecoder(
      coder: coder, location: index.map { node.location($0) } ?? .null, wanted: nil, node: node, element: index)
  }

  private func decoder(at index: Int) -> ArchiveDecoder {
    ArchiveDecoder(coder: coder, location: node.location(index), wanted: nil, node: node)
  }
}
