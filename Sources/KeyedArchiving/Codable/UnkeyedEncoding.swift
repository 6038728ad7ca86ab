// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An unkeyed container: of the object that is being encoded, whose values go without keys, or a nested one.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
  let coder: KeyedArchiver
  let node: EncodingNode?

  var codingPath: [any CodingKey] { coder.codingPath(to: node) }

  var count: Int { node?.notes.count ?? coder.storage.state.unkeyedCount }

  @inline(__always)
  private func put(_ note: _RecordedValue) {
    if let node { return node.append(note) }
    _ = coder.storage.state.recordUnkeyed(note.inlined)
  }

  @inline(__always)
  private func check() throws { try coder.checkRecording(codingPath + [ArchivePathStep(index: count)]) }

  mutating func encodeNil() throws {
    try check()
    put(_RecordedValue(.null))
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try check()
    put(coder.way(of: Value.self).note(value, in: coder))
  }

  mutating func encode(_ value: Bool) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: String) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: Double) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: Float) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: Int) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: Int8) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: Int16) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: Int32) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: Int64) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: UInt) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: UInt8) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: UInt16) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: UInt32) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func encode(_ value: UInt64) throws {
    try check()
    put(value._record(in: coder))
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedEncoding<NestedKey>(coder: coder, node: nested(.dictionary)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(coder: coder, node: nested(.array))
  }

  mutating func superEncoder() -> any Encoder { ArchiveEncoder(coder: coder, node: nested(.undecided)) }

  private func nested(_ form: EncodingNode.Form) -> EncodingNode {
    let nested = EncodingNode(form, in: node, ArchivePathStep(index: count))
    if coder.isRecordable(nested) { put(nested.note(in: coder)) }
    return nested
  }
}
