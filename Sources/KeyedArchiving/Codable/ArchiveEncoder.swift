// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The encoder that `encode(to:)` of a type receives.
///
/// An object's own containers record values in the current object. Nested containers and super-encoders collect values
/// in a node, which is traversed after the object's `encode(to:)` returns.
struct ArchiveEncoder: Encoder {
  let coder: KeyedArchiver
  /// The node that collects values; nil for the current object.
  let node: EncodingNode?
  /// The object whose `encode(to:)` received the encoder.
  let object: EncodedObject.ID

  var codingPath: [any CodingKey] { coder.codingPath(to: node) }

  var userInfo: [CodingUserInfoKey: Any] { coder.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    begin(.keyed)
    return KeyedEncodingContainer(KeyedEncoding<Key>(coder: coder, node: node, object: object))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    begin(.unkeyed)
    return UnkeyedEncoding(coder: coder, node: node, object: object)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleEncoding(coder: coder, node: node, object: object)
  }

  /// Sets the kind of container, which cannot change. The archiver records the error, because the call cannot throw.
  private func begin(_ form: EncodingForm) {
    // Values of another object are refused when they are encoded.
    guard coder.storage.state.encodedObject.id == object, let former = conflict(with: form) else { return }
    coder.failWithError(
      KeyedArchiveError(
        .notEncodable,
        "conflicting containers: requested '\(form)' after '\(former)'",
        keyPath: ArchivePathStep.text(codingPath), remedy: EncodingForm.remedy))
  }

  /// Sets the kind of container. Returns the kind that was requested before if it is another one.
  private func conflict(with form: EncodingForm) -> EncodingForm? {
    guard let node else { return coder.storage.state.encodedObject.form.set(form) }
    return node.form.set(form)
  }
}

/// The recorded values of a nested container or a super-encoder.
final class EncodingNode {
  var form = EncodingForm.undecided
  private(set) var values: [RecordedValue] = []
  private(set) var keys: [String] = []
  private(set) var repeatedKeys: [String] = []
  private var indexOfKey: [BytewiseString: Int] = [:]
  /// The containing node; nil if the object contains this one directly.
  let parent: EncodingNode?
  let step: ArchivePathStep

  init(_ form: EncodingForm = .undecided, in parent: EncodingNode?, _ step: ArchivePathStep) {
    self.form = form
    self.parent = parent
    self.step = step
  }

  func append(_ value: RecordedValue) { values.append(value) }

  func set(_ key: String, _ value: RecordedValue, in coder: KeyedArchiver) {
    if let index = indexOfKey[BytewiseString(key)] {
      if coder.repeatedKeyPolicy == .fail {
        let path = ArchivePathStep.text(coder.codingPath(to: self))
        coder.failWithError(KeyedArchiveError.repeatedKey(key, keyPath: path, className: nil))
      }
      repeatedKeys.append(key)
      values[index] = value
    } else {
      indexOfKey[BytewiseString(key)] = keys.count
      keys.append(key)
      values.append(value)
    }
  }

  /// Records the object that the node becomes.
  func record(in coder: KeyedArchiver) -> RecordedValue { coder.storage.state.recorded(value: OpenBox(node: self)) }
}

/// A node whose form is decided when it is archived. An empty node becomes a dictionary.
private struct OpenBox: EncodableBox, ArchiveReplacing {
  let node: EncodingNode

  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? {
    switch node.form {
    case .undecided, .keyed: DictionaryBox(node: node)
    case .unkeyed: ArrayBox(node: node)
    case .single: self
    }
  }

  func encode(with coder: KeyedArchiver) { coder.storage.state.singleValue = node.values.last ?? RecordedValue(.null) }
}

private struct DictionaryBox: EncodableBox {
  let node: EncodingNode

  static var archiveClassName: String { "NSDictionary" }

  func encode(with coder: KeyedArchiver) {
    if !node.repeatedKeys.isEmpty, let frame = coder.storage.state.frames.last {
      coder.storage.state.repeatedKeys.add(node.repeatedKeys, ofNested: frame.uid)
    }
    coder.encodeReferences(to: node.keys, forKey: "NS.keys")
    coder.beginReferences(node.values.count, forKey: "NS.objects")
    for value in node.values { coder.append(value) }
  }
}

private struct ArrayBox: EncodableBox {
  let node: EncodingNode

  static var archiveClassName: String { "NSArray" }

  func encode(with coder: KeyedArchiver) {
    coder.beginReferences(node.values.count, forKey: "NS.objects")
    for value in node.values { coder.append(value) }
  }
}

extension KeyedArchiver {
  /// Returns the path to the current object or a node in it.
  func codingPath(to node: EncodingNode?) -> [any CodingKey] {
    var steps: [ArchivePathStep] = []
    var current = node
    while let node = current {
      steps.append(node.step)
      current = node.parent
    }
    return storage.state.boundedCodingPath() + steps.reversed()
  }

  /// Runs the `encode(to:)` of the current object.
  func encodeContents(of value: some Encodable) throws {
    // A type can pass the archiver to the `encode(with:)` of another one, whose values then belong to the same object.
    let isOutermost = storage.state.encodedObject.id == 0
    if isOutermost { storage.state.beginEncodedObject() }
    defer { if isOutermost { storage.state.encodedObject = EncodedObject() } }
    try value.encode(to: ArchiveEncoder(coder: self, node: nil, object: storage.state.encodedObject.id))
    // Otherwise, an empty array would be decoded as an object without keys by a type that tries that first.
    if isOutermost, storage.state.encodedObject.form == .unkeyed, storage.state.unkeyedCount == 0,
      storage.state.isRecording
    {
      storage.state.record(0.record(in: self).inlined, rawKey: ContainerForms.emptyKey)
    }
  }

  /// Checks that an object is being encoded.
  @inline(__always)
  func checkRecording(_ object: EncodedObject.ID, _ key: @autoclosure () -> (any CodingKey)?) throws {
    guard storage.state.encodedObject.id == object, storage.state.isRecording else { throw late(key()) }
  }

  /// Returns the error for a value in a container whose object is not being encoded.
  @inline(never)
  private func late(_ key: (any CodingKey)?) -> any Error {
    if let failure = storage.state.failure { return failure }
    let value = key.map { "the value for '\($0.stringValue)'" } ?? "a value"
    return EncodingError.invalidValue(
      key?.stringValue ?? "",
      EncodingError.Context(
        codingPath: storage.state.codingPath(),
        debugDescription: "late value: \(value) was encoded in a container of an object whose encode(to:) has "
          + "returned. Encode all values of an object before its encode(to:) returns; the objects inside are encoded "
          + "after it"))
  }
}
