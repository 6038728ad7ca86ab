// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A keyed container: that of the current object, or a nested one.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let coder: KeyedArchiver
  let node: EncodingNode?
  let object: EncodedObject.ID

  var codingPath: [any CodingKey] { coder.codingPath(to: node) }

  @inline(__always)
  private func put(_ recorded: RecordedValue, _ key: Key) {
    if let node { return node.set(key.stringValue, recorded, in: coder) }
    coder.record(recorded.inlined, key.stringValue)
  }

  @inline(__always)
  private func check(_ key: Key) throws { try coder.checkRecording(object, key) }

  @inline(__always)
  private func put(primitive value: some PrimitiveValue, _ key: Key) throws {
    try check(key)
    put(value.record(in: coder), key)
  }

  mutating func encodeNil(forKey key: Key) throws {
    try check(key)
    put(RecordedValue(.null), key)
  }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try check(key)
    put(coder.strategy(for: Value.self).record(value, in: coder), key)
  }

  /// Encodes an object only if another reference does; otherwise nil.
  mutating func encodeConditional<Object: AnyObject & Encodable>(_ object: Object, forKey key: Key) throws {
    try check(key)
    put(coder.strategy(for: Object.self).recordConditionally(object, in: coder), key)
  }

  mutating func encode(_ value: Bool, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: String, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: Double, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: Float, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { try put(primitive: value, key) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { try put(primitive: value, key) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedEncoding<NestedKey>(coder: coder, node: nested(.keyed, key), object: object))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(coder: coder, node: nested(.unkeyed, key), object: object)
  }

  mutating func superEncoder() -> any Encoder {
    ArchiveEncoder(coder: coder, node: nested(.undecided, ArchivePathStep(.key, "super")), object: object)
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    ArchiveEncoder(coder: coder, node: nested(.undecided, key), object: object)
  }

  /// Creates a node for a key. The archiver records errors of these nonthrowing calls.
  private func nested(_ form: EncodingForm, _ key: some CodingKey) -> EncodingNode {
    let text = key.stringValue
    let nested = EncodingNode(form, in: node, ArchivePathStep(node == nil ? .key : .entry, text))
    guard coder.isRecordable(object, key) else { return nested }
    if let node {
      node.set(text, nested.record(in: coder), in: coder)
    } else {
      coder.record(nested.record(in: coder), text)
    }
    return nested
  }
}

extension KeyedArchiver {
  /// Returns whether an object is being encoded. Otherwise, the archiving fails.
  func isRecordable(_ object: EncodedObject.ID, _ key: some CodingKey) -> Bool {
    do {
      try checkRecording(object, key)
      return true
    } catch {
      failWithError(error)
      return false
    }
  }
}
