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

  var codingPath: [any CodingKey] { coder.codingPath(to: node) }

  var userInfo: [CodingUserInfoKey: Any] { coder.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node?.become(.dictionary, coder)
    return KeyedEncodingContainer(KeyedEncoding<Key>(coder: coder, node: node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node?.become(.array, coder)
    return UnkeyedEncoding(coder: coder, node: node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleEncoding(coder: coder, node: node) }
}

/// The recorded values of a nested container or a super-encoder.
final class EncodingNode {
  enum Form {
    case undecided, dictionary, array, single
  }

  private(set) var form = Form.undecided
  private(set) var values: [RecordedValue] = []
  private(set) var keys: [String] = []
  private var indexOfKey: [BytewiseString: Int] = [:]
  /// The containing node; nil if the object contains this one directly.
  let parent: EncodingNode?
  let step: ArchivePathStep

  init(_ form: Form = .undecided, in parent: EncodingNode?, _ step: ArchivePathStep) {
    self.form = form
    self.parent = parent
    self.step = step
  }

  /// Sets the form of the node, which cannot change.
  func become(_ form: Form, _ coder: KeyedArchiver) {
    if self.form == .undecided { self.form = form }
    guard self.form != form else { return }
    coder.failWithError(
      KeyedArchiveError(
        .notEncodable,
        "conflicting containers: requested '\(form)' after '\(self.form)'",
        keyPath: ArchivePathStep.text(coder.codingPath(to: self)), remedy: "Request one kind of container per encoder"))
  }

  func append(_ value: RecordedValue) { values.append(value) }

  func set(_ key: String, _ value: RecordedValue, in coder: KeyedArchiver) {
    if let index = indexOfKey[BytewiseString(key)] {
      let path = ArchivePathStep.text(coder.codingPath(to: self))
      if coder.repeatedKeyPolicy == .fail {
        coder.failWithError(KeyedArchiveError.repeatedKey(key, keyPath: path, className: nil))
      } else {
        coder.storage.state.repeatedKeys.add(
          key, at: path ?? "$top", className: DictionaryBox.archiveClassName, isDictionaryKey: true)
      }
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
    case .undecided, .dictionary: DictionaryBox(node: node)
    case .array: ArrayBox(node: node)
    case .single: self
    }
  }

  func encode(with coder: KeyedArchiver) { coder.storage.state.singleValue = node.values.last ?? RecordedValue(.null) }
}

private struct DictionaryBox: EncodableBox {
  let node: EncodingNode

  static var archiveClassName: String { "NSDictionary" }

  func encode(with coder: KeyedArchiver) {
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
    return storage.state.codingPath() + steps.reversed()
  }

  /// Checks that the current object is being encoded.
  func checkRecording(_ path: @autoclosure () -> [any CodingKey]) throws {
    guard storage.state.isRecording else {
      if let failure = storage.state.failure { throw failure }
      throw EncodingError.invalidValue(
        "",
        EncodingError.Context(
          codingPath: path(), debugDescription: "a container was used after its encode(to:) returned"))
    }
  }
}
