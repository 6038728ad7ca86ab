// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What `encode(to:)` of a type encodes itself with.
///
/// An object's own containers note what they are given in the object that is being encoded. Nested containers and
/// super-encoders gather notes in a node, which is walked when the object's `encode(to:)` is over.
struct ArchiveEncoder: Encoder {
  let coder: KeyedArchiver
  /// Where notes are gathered; nil for the object that is being encoded.
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

/// Where the notes of a nested container or a super-encoder are gathered.
final class EncodingNode {
  enum Form {
    case undecided, dictionary, array, single

    /// The form in a message.
    var words: String {
      switch self {
      case .undecided: "nothing is"
      case .dictionary: "a dictionary is"
      case .array: "an array is"
      case .single: "a single value is"
      }
    }
  }

  private(set) var form = Form.undecided
  private(set) var notes: [_RecordedValue] = []
  private(set) var keys: [String] = []
  private var placeOfKey: [BytewiseString: Int] = [:]
  /// The node this one is in; nil if it is in the object itself.
  let parent: EncodingNode?
  let step: ArchivePathStep

  init(_ form: Form = .undecided, in parent: EncodingNode?, _ step: ArchivePathStep) {
    self.form = form
    self.parent = parent
    self.step = step
  }

  /// Decides what the node is. It cannot be two things.
  func become(_ form: Form, _ coder: KeyedArchiver) {
    if self.form == .undecided { self.form = form }
    guard self.form != form else { return }
    coder.failWithError(
      KeyedArchiveError(
        .notEncodable, "a container of another kind was asked for where \(self.form.words) encoded already",
        keyPath: ArchivePathStep.text(coder.codingPath(to: self))))
  }

  func append(_ note: _RecordedValue) { notes.append(note) }

  func set(_ key: String, _ note: _RecordedValue, in coder: KeyedArchiver) {
    if let place = placeOfKey[BytewiseString(key)] {
      if coder.repeatedKeyPolicy == .fail {
        let path = ArchivePathStep.text(coder.codingPath(to: self))
        coder.failWithError(KeyedArchiveError.repeatedKey(key, keyPath: path, className: nil))
      }
      notes[place] = note
    } else {
      placeOfKey[BytewiseString(key)] = keys.count
      keys.append(key)
      notes.append(note)
    }
  }

  /// The note of what the node becomes.
  func note(in coder: KeyedArchiver) -> _RecordedValue { coder.storage.state.note(value: OpenBox(node: self)) }
}

/// A node that may still become anything. When it is archived it is decided; what nothing was encoded in is a dictionary.
private struct OpenBox: EncodableBox, ArchiveReplacing {
  let node: EncodingNode

  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? {
    switch node.form {
    case .undecided, .dictionary: DictionaryBox(node: node)
    case .array: ArrayBox(node: node)
    case .single: self
    }
  }

  func encode(with coder: KeyedArchiver) { coder.storage.state.singleValue = node.notes.last ?? _RecordedValue(.null) }
}

private struct DictionaryBox: EncodableBox {
  let node: EncodingNode

  static var archiveClassName: String { "NSDictionary" }

  func encode(with coder: KeyedArchiver) {
    coder.encodeReferences(to: node.keys, forKey: "NS.keys")
    coder.beginReferences(node.notes.count, forKey: "NS.objects")
    for note in node.notes { coder.append(note) }
  }
}

private struct ArrayBox: EncodableBox {
  let node: EncodingNode

  static var archiveClassName: String { "NSArray" }

  func encode(with coder: KeyedArchiver) {
    coder.beginReferences(node.notes.count, forKey: "NS.objects")
    for note in node.notes { coder.append(note) }
  }
}

extension KeyedArchiver {
  /// The way to what is being encoded.
  func codingPath(to node: EncodingNode?) -> [any CodingKey] {
    var steps: [ArchivePathStep] = []
    var current = node
    while let node = current {
      steps.append(node.step)
      current = node.parent
    }
    return storage.state.codingPath() + steps.reversed()
  }

  /// Refuses to encode into an object that is not being encoded any more.
  func checkRecording(_ path: @autoclosure () -> [any CodingKey]) throws {
    guard storage.state.isRecording else {
      if let failure = storage.state.failure { throw failure }
      throw EncodingError.invalidValue(
        "",
        EncodingError.Context(
          codingPath: path(), debugDescription: "a container was used after the encode(to:) that made it had returned"))
    }
  }
}
