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

  private var values: [Key: Any] = [:]
  /// The costs of hashing ``values``, if they are hashed.
  private var hashingCosts: [Key: Int64] = [:]
  private var contents: [Position: any PrimitiveValue] = [:]

  func value(of type: Any.Type, _ uid: UInt32, list: AllowList?) -> Any? {
    values[Key(uid: uid, type: ObjectIdentifier(type), list: list.map(ObjectIdentifier.init))]
  }

  /// Returns the cost of hashing a value.
  func hashingCost(of type: Any.Type, _ uid: UInt32, list: AllowList?) -> Int64 {
    hashingCosts[Key(uid: uid, type: ObjectIdentifier(type), list: list.map(ObjectIdentifier.init))] ?? 0
  }

  mutating func insert(hashingCost cost: Int64, of type: Any.Type, _ uid: UInt32, list: AllowList?) {
    hashingCosts[Key(uid: uid, type: ObjectIdentifier(type), list: list.map(ObjectIdentifier.init))] = cost
  }

  /// Caches a value. The caller releases the returned former value, because that can run a `deinit`.
  mutating func insert(_ value: Any, _ type: Any.Type, _ uid: UInt32, list: AllowList?) -> Any? {
    values.updateValue(
      value, forKey: Key(uid: uid, type: ObjectIdentifier(type), list: list.map(ObjectIdentifier.init)))
  }

  func content(of type: Any.Type, _ item: BinaryItem) -> (any PrimitiveValue)? { contents[Position(item, type)] }

  mutating func insert(content value: any PrimitiveValue, _ type: Any.Type, _ item: BinaryItem) {
    contents[Position(item, type)] = value
  }

  /// Removes all values. The caller releases them, because that can run a `deinit`.
  mutating func take() -> ValueCache {
    let taken = self
    self = ValueCache()
    return taken
  }
}
