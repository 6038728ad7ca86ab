// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A single value: what the struct or enum that is being encoded turns out to be.
///
/// An instance of a class stays an object, for others may refer to it; the value is what it holds without a key.
struct SingleEncoding: SingleValueEncodingContainer {
  let coder: KeyedArchiver
  let node: EncodingNode?

  var codingPath: [any CodingKey] { coder.codingPath(to: node) }

  private func put(_ value: Any, _ note: _RecordedValue) throws {
    if let node {
      guard node.form == .undecided else { throw second(value) }
      node.become(.single, coder)
      node.append(note)
    } else if coder.storage.state.isIdentityInWork {
      _ = coder.storage.state.recordUnkeyed(note.inlined)
    } else {
      guard coder.storage.state.singleValue == nil else { throw second(value) }
      coder.storage.state.singleValue = note
    }
  }

  private func second(_ value: Any) -> EncodingError {
    .invalidValue(
      value,
      EncodingError.Context(codingPath: codingPath, debugDescription: "a single value was encoded after another one"))
  }

  mutating func encodeNil() throws {
    try coder.checkRecording(codingPath)
    try put("nil", _RecordedValue(.null))
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try coder.checkRecording(codingPath)
    try put(value, coder.way(of: Value.self).note(value, in: coder))
  }

  mutating func encode(_ value: Bool) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: String) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: Double) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: Float) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: Int) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: Int8) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: Int16) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: Int32) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: Int64) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: UInt) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: UInt8) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: UInt16) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: UInt32) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }

  mutating func encode(_ value: UInt64) throws {
    try coder.checkRecording(codingPath)
    try put(value, value._record(in: coder))
  }
}
