// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The protocols require a function for each primitive type. Without them, the coder would encode each number through a
// single-value container.

/// The keyed container of an encoder.
struct KeyedNode<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: ValueEncodingNode

  var codingPath: [any CodingKey] { node.codingPath }

  mutating func encodeNil(forKey key: Key) throws {
    if let null = try node.null(in: .keyed) { node.set(key, null) }
  }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    // A dictionary can omit an optional without a value.
    if node.context.options.nils == .omitted, let optional = value as? any OptionalValue, optional.isNil { return }
    node.set(key, try node.encode(value, at: key))
  }

  mutating func encode(_ value: Bool, forKey key: Key) throws { try node.set(key, value, .init(value)) }
  mutating func encode(_ value: String, forKey key: Key) throws { try node.set(key, value, node.context.add(value)) }
  mutating func encode(_ value: Double, forKey key: Key) throws { try node.set(key, value, .init(value)) }
  mutating func encode(_ value: Float, forKey key: Key) throws { try node.set(key, value, .init(value)) }
  mutating func encode(_ value: Int, forKey key: Key) throws { try node.set(key, value, .init(Int64(value))) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { try node.set(key, value, .init(Int64(value))) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { try node.set(key, value, .init(Int64(value))) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { try node.set(key, value, .init(Int64(value))) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { try node.set(key, value, .init(Int64(value))) }
  mutating func encode(_ value: UInt, forKey key: Key) throws {
    try node.set(key, value, node.context.unsigned(UInt64(value)))
  }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { try node.set(key, value, .init(Int64(value))) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { try node.set(key, value, .init(Int64(value))) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { try node.set(key, value, .init(Int64(value))) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws {
    try node.set(key, value, node.context.unsigned(UInt64(value)))
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedNode<NestedKey>(node: node.nestedNode(.keyed, key)))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedNode(node: node.nestedNode(.unkeyed, key))
  }

  mutating func superEncoder() -> any Encoder { node.nestedNode(.undecided, CodingSteps.Step.super) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { node.nestedNode(.undecided, key) }
}

/// The unkeyed container of an encoder.
struct UnkeyedNode: UnkeyedEncodingContainer {
  let node: ValueEncodingNode

  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int { node.count }
  private var step: CodingSteps.Step { CodingSteps.Step.index(count) }

  mutating func encodeNil() throws {
    if let null = try node.null(in: .unkeyed) { node.append(null) }
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    guard !node.isReplaced else { return }
    node.append(try node.encodeNext(value))
  }

  mutating func encode(_ value: Bool) throws { try node.append(value, .init(value)) }
  mutating func encode(_ value: String) throws { try node.append(value, node.context.add(value)) }
  mutating func encode(_ value: Double) throws { try node.append(value, .init(value)) }
  mutating func encode(_ value: Float) throws { try node.append(value, .init(value)) }
  mutating func encode(_ value: Int) throws { try node.append(value, .init(Int64(value))) }
  mutating func encode(_ value: Int8) throws { try node.append(value, .init(Int64(value))) }
  mutating func encode(_ value: Int16) throws { try node.append(value, .init(Int64(value))) }
  mutating func encode(_ value: Int32) throws { try node.append(value, .init(Int64(value))) }
  mutating func encode(_ value: Int64) throws { try node.append(value, .init(Int64(value))) }
  mutating func encode(_ value: UInt) throws { try node.append(value, node.context.unsigned(UInt64(value))) }
  mutating func encode(_ value: UInt8) throws { try node.append(value, .init(Int64(value))) }
  mutating func encode(_ value: UInt16) throws { try node.append(value, .init(Int64(value))) }
  mutating func encode(_ value: UInt32) throws { try node.append(value, .init(Int64(value))) }
  mutating func encode(_ value: UInt64) throws { try node.append(value, node.context.unsigned(UInt64(value))) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedNode<NestedKey>(node: node.nestedNode(.keyed, step)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedNode(node: node.nestedNode(.unkeyed, step))
  }

  mutating func superEncoder() -> any Encoder { node.nestedNode(.undecided, step) }
}

/// The single-value container of an encoder.
struct SingleNode: SingleValueEncodingContainer {
  let node: ValueEncodingNode

  var codingPath: [any CodingKey] { node.codingPath }

  mutating func encodeNil() throws {
    // A single nil cannot be omitted, so the form `omitted` is an error as in an array.
    if let null = try node.null(in: .single) { try node.put(null) }
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws { try node.encodeSingle(value) }

  mutating func encode(_ value: Bool) throws { try node.put(value, .init(value)) }
  mutating func encode(_ value: String) throws { try node.put(value, node.context.add(value)) }
  mutating func encode(_ value: Double) throws { try node.put(value, .init(value)) }
  mutating func encode(_ value: Float) throws { try node.put(value, .init(value)) }
  mutating func encode(_ value: Int) throws { try node.put(value, .init(Int64(value))) }
  mutating func encode(_ value: Int8) throws { try node.put(value, .init(Int64(value))) }
  mutating func encode(_ value: Int16) throws { try node.put(value, .init(Int64(value))) }
  mutating func encode(_ value: Int32) throws { try node.put(value, .init(Int64(value))) }
  mutating func encode(_ value: Int64) throws { try node.put(value, .init(Int64(value))) }
  mutating func encode(_ value: UInt) throws { try node.put(value, node.context.unsigned(UInt64(value))) }
  mutating func encode(_ value: UInt8) throws { try node.put(value, .init(Int64(value))) }
  mutating func encode(_ value: UInt16) throws { try node.put(value, .init(Int64(value))) }
  mutating func encode(_ value: UInt32) throws { try node.put(value, .init(Int64(value))) }
  mutating func encode(_ value: UInt64) throws { try node.put(value, node.context.unsigned(UInt64(value))) }
}

// The integers of 128 bits, which the protocols also require.

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension KeyedNode {
  mutating func encode(_ value: Int128, forKey key: Key) throws { try node.set(key, value, node.context.wide(value)) }
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try node.set(key, value, node.wide(value)) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UnkeyedNode {
  mutating func encode(_ value: Int128) throws { try node.append(value, node.context.wide(value)) }
  mutating func encode(_ value: UInt128) throws { try node.append(value, node.wide(value)) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SingleNode {
  mutating func encode(_ value: Int128) throws { try node.put(value, node.context.wide(value)) }
  mutating func encode(_ value: UInt128) throws { try node.put(value, node.wide(value)) }
}
