// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// A cache of structs and collections decoded from shared objects.
///
/// Value types have no identity to preserve; the cache bounds the work. Without it, a chain of objects that each refer
/// twice to the next would take exponential time.
struct ValueCache {
  private struct Key: Hashable {
    var uid: UInt32
    var type: ObjectIdentifier
    /// The allow list: the contents of an untyped collection depend on it.
    var list: ObjectIdentifier?

    init(_ uid: UInt32, _ type: Any.Type, _ list: AllowList?) {
      self.uid = uid
      self.type = ObjectIdentifier(type)
      self.list = list.map(ObjectIdentifier.init)
    }
  }

  /// The position of an inline string or data in the file. It includes the kind and count, because objects of a
  /// property list can overlap. The last byte of one header can be the entire header of another object.
  private struct Position: Hashable {
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

  /// A value, the cost of hashing it, and the number of levels of values inside of it.
  typealias Entry = (value: Any, cost: HashCost, height: Int)

  private var values: [Key: Entry] = [:]
  private var contents: [Position: any PrimitiveValue] = [:]
  /// The keys in the order of their insertion, and for each the number of instances that the decoder had finished. The
  /// numbers ascend, because ``take(since:)`` removes the values that are younger than what the decoder discards.
  private var insertions: [(key: Key, objectCount: Int)] = []

  func value(of type: Any.Type, _ uid: UInt32, list: AllowList?) -> Entry? {
    values[Key(uid, type, list)]
  }

  /// Caches a value, decoded when the decoder had finished a number of instances. The caller releases the returned former
  /// value, because that can run a `deinit`.
  mutating func insert(
    _ value: Any, _ type: Any.Type, _ uid: UInt32, list: AllowList?, cost: HashCost = HashCost(), height: Int = 0,
    objectCount: Int = 0
  ) -> Any? {
    if objectCount > 0 { insertions.append((Key(uid, type, list), objectCount)) }
    return values.updateValue((value, cost, height), forKey: Key(uid, type, list))
  }

  func content(of type: Any.Type, _ item: BinaryItem) -> (any PrimitiveValue)? { contents[Position(item, type)] }

  mutating func insert(content value: any PrimitiveValue, _ type: Any.Type, _ item: BinaryItem) {
    contents[Position(item, type)] = value
  }

  /// Removes the values that were decoded when the decoder had more finished instances than a number. They can contain
  /// later instances. The caller releases them, because that can run a `deinit`.
  mutating func take(since objectCount: Int) -> [Any] {
    var taken: [Any] = []
    while let last = insertions.last, last.objectCount > objectCount {
      if let value = values.removeValue(forKey: last.key) { taken.append(value) }
      insertions.removeLast()
    }
    return taken
  }

  /// Removes all values. The caller releases them, because that can run a `deinit`.
  mutating func take() -> ValueCache {
    let taken = self
    self = ValueCache()
    return taken
  }
}
