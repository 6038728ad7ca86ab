// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Values made from objects that more than one other refers to.
///
/// Structs and collections have no identity to keep; they are kept so that a file in which each object refers twice to
/// the next cannot make the decoder work for as many values as there are ways through it.
struct KeptValues {
  private struct Key: Hashable {
    var uid: UInt32
    var type: ObjectIdentifier
    /// What a list admits in an untyped collection, another may not.
    var list: ObjectIdentifier?
  }

  /// Where in the file a text or data lies that is no object.
  private struct Place: Hashable {
    var content: Int
    var type: ObjectIdentifier
  }

  private var values: [Key: Any] = [:]
  private var contents: [Place: Any] = [:]

  func value<Value>(of type: Value.Type, _ uid: UInt32, list: ClassList?) -> Value? {
    values[Key(uid: uid, type: ObjectIdentifier(type), list: list.map(ObjectIdentifier.init))] as? Value
  }

  mutating func keep<Value>(_ value: Value, _ uid: UInt32, list: ClassList?) {
    values[Key(uid: uid, type: ObjectIdentifier(Value.self), list: list.map(ObjectIdentifier.init))] = value
  }

  func content<Value>(of type: Value.Type, at place: Int) -> Value? {
    contents[Place(content: place, type: ObjectIdentifier(type))] as? Value
  }

  mutating func keep<Value>(_ value: Value, at place: Int) {
    contents[Place(content: place, type: ObjectIdentifier(Value.self))] = value
  }

  mutating func forget() { self = KeptValues() }
}
