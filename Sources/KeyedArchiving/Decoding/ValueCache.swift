// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// Values made from objects that more than one other refers to.
///
/// Structs and collections have no identity to keep; they are kept so that a file in which each object refers twice to
/// the next cannot make the decoder work for as many values as there are ways through it.
struct ValueCache {
  private struct Key: Hashable {
    var uid: UInt32
    var type: ObjectIdentifier
    /// What a list admits in an untyped collection, another may not.
    var list: ObjectIdentifier?
  }

  /// Where in the file a text or data lies that is no object. The kind and count belong to it, because objects of a
  /// property list may overlap: the last byte of one header can be the whole header of another object.
  private struct Place: Hashable {
    var content: Int
    var count: Int
    var kind: UInt8
    var type: ObjectIdentifier

    init(_ item: BinaryItem, _ type: Any.Type) {
      content = item.content
      count = item.count
      kind = item.kind.rawValue
      self.type = ObjectIdentifier(type)
    }
  }

  private var values: [Key: Any] = [:]
  private var contents: [Place: Any] = [:]

  func value<Value>(of type: Value.Type, _ uid: UInt32, list: AllowList?) -> Value? {
    values[Key(uid: uid, type: ObjectIdentifier(type), list: list.map(ObjectIdentifier.init))] as? Value
  }

  /// Keeps a value. Returns the one that was kept before, because releasing it can run a `deinit`.
  mutating func keep<Value>(_ value: Value, _ uid: UInt32, list: AllowList?) -> Any? {
    values.updateValue(
      value, forKey: Key(uid: uid, type: ObjectIdentifier(Value.self), list: list.map(ObjectIdentifier.init)))
  }

  func content<Value>(of type: Value.Type, _ item: BinaryItem) -> Value? { contents[Place(item, type)] as? Value }

  mutating func keep<Value>(content value: Value, _ item: BinaryItem) { contents[Place(item, Value.self)] = value }

  /// Forgets all values. Returns them, because releasing them can run a `deinit`.
  mutating func take() -> ValueCache {
    let taken = self
    self = ValueCache()
    return taken
  }
}
