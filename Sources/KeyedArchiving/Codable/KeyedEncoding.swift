// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A keyed container: of the object that is being encoded, or a nested one.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let coder: KeyedArchiver
  let node: EncodingNode?

  var codingPath: [any CodingKey] { coder.codingPath(to: node) }

  @inline(__always)
  private func put(_ note: _RecordedValue, _ key: Key) throws {
    if let node { return node.set(key.stringValue, note, in: coder) }
    coder.record(note.inlined, key.stringValue)
  }

  @inline(__always)
  private func check(_ key: Key) throws { try coder.checkRecording(codingPath + [key]) }

  mutating func encodeNil(forKey key: Key) throws {
    try check(key)
    try put(_RecordedValue(.null), key)
  }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try check(key)
    try put(coder.way(of: Value.self).note(value, in: coder), key)
  }

  mutating func encode(_ value: Bool, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: String, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: Double, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: Float, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: Int, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: Int8, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: Int16, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: Int32, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: Int64, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: UInt, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: UInt8, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: UInt16, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: UInt32, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func encode(_ value: UInt64, forKey key: Key) throws {
    try check(key)
    try put(value._record(in: coder), key)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedEncoding<NestedKey>(coder: coder, node: nested(.dictionary, key.stringValue)))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(coder: coder, node: nested(.array, key.stringValue))
  }

  mutating func superEncoder() -> any Encoder { ArchiveEncoder(coder: coder, node: nested(.undecided, "super")) }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    ArchiveEncoder(coder: coder, node: nested(.undecided, key.stringValue))
  }

  /// A node under a key. These calls cannot throw; the archiver keeps what goes wrong.
  private func nested(_ form: EncodingNode.Form, _ key: String) -> EncodingNode {
    let nested = EncodingNode(form, in: node, ArchivePathStep(node == nil ? .key : .entry, key))
    if let node {
      node.set(key, nested.note(in: coder), in: coder)
    } else if coder.isRecordable(nested) {
      coder.record(nested.note(in: coder), key)
    }
    return nested
  }
}

extension KeyedArchiver {
  /// Whether an object is being encoded; the archiving fails if not.
  func isRecordable(_ node: EncodingNode) -> Bool {
    do {
      try checkRecording(codingPath(to: node))
      return true
    } catch {
      failWithError(error)
      return false
    }
  }
}
