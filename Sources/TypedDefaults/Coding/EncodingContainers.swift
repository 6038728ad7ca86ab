// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The containers that a value encodes itself into.
///
/// The values of every type are put in by a function of their own, as the protocols demand; without them each number would
/// be encoded by way of a container for one value.
struct KeyedNode<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodingNode

  var codingPath: [any CodingKey] { node.codingPath }

  mutating func encodeNil(forKey key: Key) throws {
    if let null = try node.null(in: .keyed) { node.set(key, null) }
  }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    // An optional without a value may be left out of a dictionary, though not of anything else.
    if node.context.options.nils == .omitted, let optional = value as? any OptionalValue, optional.isNil { return }
    node.set(key, try node.encode(value, at: key))
  }

  mutating func encode(_ value: Bool, forKey key: Key) throws { try node.set(key, value, .boolean(value)) }
  mutating func encode(_ value: String, forKey key: Key) throws { try node.set(key, value, .string(value)) }
  mutating func encode(_ value: Double, forKey key: Key) throws { try node.set(key, value, .double(value)) }
  mutating func encode(_ value: Float, forKey key: Key) throws { try node.set(key, value, .float(value)) }
  mutating func encode(_ value: Int, forKey key: Key) throws { try node.set(key, value, .integer(Int64(value))) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { try node.set(key, value, .integer(Int64(value))) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { try node.set(key, value, .integer(Int64(value))) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { try node.set(key, value, .integer(Int64(value))) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { try node.set(key, value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { try node.set(key, value, .init(Int128(value))) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { try node.set(key, value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { try node.set(key, value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { try node.set(key, value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { try node.set(key, value, .init(Int128(value))) }
  mutating func encode(_ value: Int128, forKey key: Key) throws { try node.set(key, value, .init(Int128(value))) }
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try node.set(key, value, node.wide(value)) }

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

/// The container of an array.
struct UnkeyedNode: UnkeyedEncodingContainer {
  let node: EncodingNode

  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int { node.elements.count }
  private var step: CodingSteps.Step { CodingSteps.Step(index: count) }

  mutating func encodeNil() throws {
    if let null = try node.null(in: .unkeyed) { node.append(null) }
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    guard !node.isReplaced else { return }
    node.append(try node.encode(value, at: step))
  }

  mutating func encode(_ value: Bool) throws { try node.append(value, .boolean(value)) }
  mutating func encode(_ value: String) throws { try node.append(value, .string(value)) }
  mutating func encode(_ value: Double) throws { try node.append(value, .double(value)) }
  mutating func encode(_ value: Float) throws { try node.append(value, .float(value)) }
  mutating func encode(_ value: Int) throws { try node.append(value, .integer(Int64(value))) }
  mutating func encode(_ value: Int8) throws { try node.append(value, .integer(Int64(value))) }
  mutating func encode(_ value: Int16) throws { try node.append(value, .integer(Int64(value))) }
  mutating func encode(_ value: Int32) throws { try node.append(value, .integer(Int64(value))) }
  mutating func encode(_ value: Int64) throws { try node.append(value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt) throws { try node.append(value, .init(Int128(value))) }
  mutating func encode(_ value: UInt8) throws { try node.append(value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt16) throws { try node.append(value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt32) throws { try node.append(value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt64) throws { try node.append(value, .init(Int128(value))) }
  mutating func encode(_ value: Int128) throws { try node.append(value, .init(Int128(value))) }
  mutating func encode(_ value: UInt128) throws { try node.append(value, node.wide(value)) }

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

/// The container of a single value.
struct SingleNode: SingleValueEncodingContainer {
  let node: EncodingNode

  var codingPath: [any CodingKey] { node.codingPath }

  mutating func encodeNil() throws {
    // There is nothing to leave a single nil out of: where nil is left out, it is an error.
    if let null = try node.null(in: .unkeyed) { node.put(null) }
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws { try node.encodeSingle(value) }

  mutating func encode(_ value: Bool) throws { try node.put(value, .boolean(value)) }
  mutating func encode(_ value: String) throws { try node.put(value, .string(value)) }
  mutating func encode(_ value: Double) throws { try node.put(value, .double(value)) }
  mutating func encode(_ value: Float) throws { try node.put(value, .float(value)) }
  mutating func encode(_ value: Int) throws { try node.put(value, .integer(Int64(value))) }
  mutating func encode(_ value: Int8) throws { try node.put(value, .integer(Int64(value))) }
  mutating func encode(_ value: Int16) throws { try node.put(value, .integer(Int64(value))) }
  mutating func encode(_ value: Int32) throws { try node.put(value, .integer(Int64(value))) }
  mutating func encode(_ value: Int64) throws { try node.put(value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt) throws { try node.put(value, .init(Int128(value))) }
  mutating func encode(_ value: UInt8) throws { try node.put(value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt16) throws { try node.put(value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt32) throws { try node.put(value, .integer(Int64(value))) }
  mutating func encode(_ value: UInt64) throws { try node.put(value, .init(Int128(value))) }
  mutating func encode(_ value: Int128) throws { try node.put(value, .init(Int128(value))) }
  mutating func encode(_ value: UInt128) throws { try node.put(value, node.wide(value)) }
}
