// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An unkeyed container: that of the current object's unkeyed values, or a nested one.
struct UnkeyedEncoding: UnkeyedEncodingContainer, PrimitiveEncoding {
  let coder: KeyedArchiver
  let node: EncodingNode?
  let object: EncodedObject.ID

  var codingPath: [any CodingKey] { coder.codingPath(to: node) }

  var count: Int { node?.values.count ?? coder.storage.state.unkeyedCount }

  // The methods for the primitive types share these.

  @inline(never)
  private func put(_ recorded: RecordedValue) {
    if let node { return node.append(recorded) }
    _ = coder.storage.state.recordUnkeyed(recorded.inlined)
  }

  @inline(never)
  private func check() throws { try coder.checkRecording(object, ArchivePathStep(index: count)) }

  mutating func encodeNil() throws {
    try check()
    put(RecordedValue(.null))
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try check()
    put(coder.strategy(for: Value.self).record(value, in: coder))
  }

  /// Encodes an object only if another reference does; otherwise nil.
  mutating func encodeConditional<Object: AnyObject & Encodable>(_ object: Object) throws {
    try check()
    put(coder.strategy(for: Object.self).recordConditionally(object, in: coder))
  }

  @inline(__always)
  func encode(primitive value: some PrimitiveValue) throws {
    try check()
    put(value.record(in: coder))
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedEncoding<NestedKey>(coder: coder, node: nested(.keyed), object: object))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(coder: coder, node: nested(.unkeyed), object: object)
  }

  mutating func superEncoder() -> any Encoder {
    ArchiveEncoder(coder: coder, node: nested(.undecided), object: object)
  }

  private func nested(_ form: EncodingForm) -> EncodingNode {
    let step = ArchivePathStep(index: count)
    let nested = EncodingNode(form, in: node, step)
    if coder.isRecordable(object, step) { put(nested.record(in: coder)) }
    return nested
  }
}

/// A single-value container: the value replaces the struct or enum that encodes it.
///
/// An instance of a class remains an object, because others can refer to it, and stores the value for a key
/// of the archiver's own.
struct SingleEncoding: SingleValueEncodingContainer, PrimitiveEncoding {
  let coder: KeyedArchiver
  let node: EncodingNode?
  let object: EncodedObject.ID

  var codingPath: [any CodingKey] { coder.codingPath(to: node) }

  private func put(_ value: Any, _ recorded: RecordedValue) throws {
    if let node {
      guard node.form == .undecided else { throw conflict(value, node.form) }
      node.form = .single
      return node.append(recorded)
    }
    let former = coder.storage.state.encodedObject.form
    guard former == .undecided else { throw conflict(value, former) }
    // A type that encodes two others with its archiver begins the form twice.
    guard coder.storage.state.singleValue == nil else { throw conflict(value, .single) }
    coder.storage.state.encodedObject.form = .single
    if coder.storage.state.currentKeepsIdentity {
      coder.storage.state.record(recorded.inlined, rawKey: ContainerForms.singleKey)
    } else {
      coder.storage.state.singleValue = recorded
    }
  }

  private func conflict(_ value: Any, _ former: EncodingForm) -> EncodingError {
    let problem =
      former == .single
      ? "a second single value was encoded" : "conflicting containers: a single value was encoded after '\(former)'"
    return .invalidValue(
      value, EncodingError.Context(codingPath: codingPath, debugDescription: "\(problem). \(EncodingForm.remedy)"))
  }

  mutating func encodeNil() throws {
    try coder.checkRecording(object, nil)
    try put("nil", RecordedValue(.null))
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try coder.checkRecording(object, nil)
    try put(value, coder.strategy(for: Value.self).record(value, in: coder))
  }

  @inline(__always)
  func encode(primitive value: some PrimitiveValue) throws {
    try coder.checkRecording(object, nil)
    try put(value, value.record(in: coder))
  }
}

/// An unkeyed or single-value container, whose methods for the primitive types share one implementation.
protocol PrimitiveEncoding {
  /// Encodes a primitive value as the next one.
  func encode(primitive value: some PrimitiveValue) throws
}

extension PrimitiveEncoding {
  mutating func encode(_ value: Bool) throws { try encode(primitive: value) }
  mutating func encode(_ value: String) throws { try encode(primitive: value) }
  mutating func encode(_ value: Double) throws { try encode(primitive: value) }
  mutating func encode(_ value: Float) throws { try encode(primitive: value) }
  mutating func encode(_ value: Int) throws { try encode(primitive: value) }
  mutating func encode(_ value: Int8) throws { try encode(primitive: value) }
  mutating func encode(_ value: Int16) throws { try encode(primitive: value) }
  mutating func encode(_ value: Int32) throws { try encode(primitive: value) }
  mutating func encode(_ value: Int64) throws { try encode(primitive: value) }
  mutating func encode(_ value: UInt) throws { try encode(primitive: value) }
  mutating func encode(_ value: UInt8) throws { try encode(primitive: value) }
  mutating func encode(_ value: UInt16) throws { try encode(primitive: value) }
  mutating func encode(_ value: UInt32) throws { try encode(primitive: value) }
  mutating func encode(_ value: UInt64) throws { try encode(primitive: value) }
}
