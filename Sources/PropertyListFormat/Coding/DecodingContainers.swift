// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The keyed container of a decoder.
struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let node: ValueDecodingNode
  let entries: PropertyListDictionary

  var codingPath: [any CodingKey] { node.codingPath }

  var allKeys: [Key] { entries.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { entries[key.stringValue] != nil }

  @inline(__always)
  private func value(_ key: Key) throws -> PropertyListValue {
    guard let value = entries[key.stringValue] else { throw node.keyNotFound(key) }
    return value
  }

  func decodeNil(forKey key: Key) throws -> Bool { NilMarker.isMarker(try value(key), node.context.options) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try node.context.decode(type, from: value(key), in: node, at: key)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try node.decode(type, value(key), key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try node.decode(type, value(key), key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try node.decode(type, value(key), key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try node.decode(type, value(key), key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try node.decode(type, value(key), key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try node.decode(type, value(key), key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try node.decode(type, value(key), key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try node.decode(type, value(key), key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try node.decode(type, value(key), key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try node.decode(type, value(key), key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try node.decode(type, value(key), key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try node.decode(type, value(key), key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try node.decode(type, value(key), key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try node.decode(type, value(key), key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try node.nested(value(key), key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try node.nested(value(key), key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    try superDecoder(CodingSteps.Step.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(key) }

  private func superDecoder(_ key: some CodingKey) throws -> any Decoder {
    if let value = entries[key.stringValue] { return node.nested(value, key) }
    // Foundation's decoder is then one of nil, which a superclass that decodes nothing does not notice.
    guard node.context.options.followsFoundation else { throw node.keyNotFound(key) }
    return node.nested(.string(NilMarker.text), key)
  }
}

/// The unkeyed container of a decoder.
struct UnkeyedValues: UnkeyedDecodingContainer {
  let node: ValueDecodingNode
  let elements: [PropertyListValue]
  private(set) var currentIndex = 0

  init(node: ValueDecodingNode, elements: [PropertyListValue]) {
    self.node = node
    self.elements = elements
  }

  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Decodes the next element. If that throws, the element stays the next one.
  private mutating func next<Value>(
    _ type: Value.Type, _ decode: (PropertyListValue, CodingSteps.Step, ValueDecodingNode) throws -> Value
  ) throws -> Value {
    guard !isAtEnd else { throw missingElement(type) }
    let value = try decode(elements[currentIndex], CodingSteps.Step.index(currentIndex), node)
    currentIndex += 1
    return value
  }

  @inline(never)
  private func missingElement(_ type: Any.Type) -> DecodingError {
    .valueNotFound(
      type,
      DecodingError.Context(
        codingPath: codingPath + [CodingSteps.Step.index(currentIndex)],
        debugDescription: "missing element: the array has only \(elements.count) elements"))
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd else { throw missingElement(Any?.self) }
    guard NilMarker.isMarker(elements[currentIndex], node.context.options) else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next(type) { try $2.context.decode(type, from: $0, in: $2, at: $1) }
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $2.decode(type, $0, $1) } }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next(KeyedDecodingContainer<NestedKey>.self) { try $2.nested($0, $1).container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next((any UnkeyedDecodingContainer).self) { try $2.nested($0, $1).unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $2.nested($0, $1) } }
}

/// The single-value container of a decoder.
struct SingleValue: SingleValueDecodingContainer {
  let node: ValueDecodingNode

  var codingPath: [any CodingKey] { node.codingPath }

  func decodeNil() -> Bool { NilMarker.isMarker(node.value, node.context.options) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try node.context.decode(type, from: node.value, in: node, at: nil)
  }

  func decode(_ type: Bool.Type) throws -> Bool { try node.decode(type, node.value, nil) }
  func decode(_ type: String.Type) throws -> String { try node.decode(type, node.value, nil) }
  func decode(_ type: Double.Type) throws -> Double { try node.decode(type, node.value, nil) }
  func decode(_ type: Float.Type) throws -> Float { try node.decode(type, node.value, nil) }
  func decode(_ type: Int.Type) throws -> Int { try node.decode(type, node.value, nil) }
  func decode(_ type: Int8.Type) throws -> Int8 { try node.decode(type, node.value, nil) }
  func decode(_ type: Int16.Type) throws -> Int16 { try node.decode(type, node.value, nil) }
  func decode(_ type: Int32.Type) throws -> Int32 { try node.decode(type, node.value, nil) }
  func decode(_ type: Int64.Type) throws -> Int64 { try node.decode(type, node.value, nil) }
  func decode(_ type: UInt.Type) throws -> UInt { try node.decode(type, node.value, nil) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try node.decode(type, node.value, nil) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try node.decode(type, node.value, nil) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try node.decode(type, node.value, nil) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try node.decode(type, node.value, nil) }
}

// The integers of 128 bits, which the protocols also require.

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension KeyedValues {
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try node.decode(type, value(key), key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try node.decode(type, value(key), key) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UnkeyedValues {
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) { try $2.decode(type, $0, $1) } }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type) { try $2.decode(type, $0, $1) } }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SingleValue {
  func decode(_ type: Int128.Type) throws -> Int128 { try node.decode(type, node.value, nil) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try node.decode(type, node.value, nil) }
}
