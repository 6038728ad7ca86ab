// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The decoding side of an `CollectionEncodable`.
protocol CollectionDecodable {
  /// How values are made: a `DecodingStrategy` of this very type.
  static func decodingWay(in coder: KeyedUnarchiver) -> AnyObject
}

private final class OptionalDecodingWay<Wrapped: Decodable>: DecodingStrategy<Wrapped?> {
  private let wrapped: DecodingStrategy<Wrapped>

  init(_ wrapped: DecodingStrategy<Wrapped>) { self.wrapped = wrapped }

  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Wrapped?? {
    .some(try coder.isNil(.object(uid)) ? nil : wrapped.make(uid, in: coder))
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Wrapped?? {
    .some(try wrapped.make(inline: item, in: coder))
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> Wrapped?? { .some(nil) }
}

extension Optional: CollectionDecodable where Wrapped: Decodable {
  static func decodingWay(in coder: KeyedUnarchiver) -> AnyObject { OptionalDecodingWay(coder.way(of: Wrapped.self)) }
}

/// A collection whose values are made by `Box`.
private final class BoxedDecodingWay<Box: DecodableBox>: DecodingStrategy<Box.Content> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Box.Content? {
    try coder.makeBare(Box.self, uid)?.content
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Box.Content? {
    _ = try coder.storage.state.source.uid(item)
    return nil
  }
}

extension KeyedUnarchiver {
  fileprivate func makeBare<Box: KeyedCoding>(_ type: Box.Type, _ uid: UInt32) throws -> Box? {
    try make(value: type, from: uid)
  }
}

/// What is made from the object of a collection.
protocol DecodableBox: SecureKeyedCoding {
  associatedtype Content
  var content: Content { get }
}

extension DecodableBox {
  func encode(with coder: KeyedArchiver) {}
}

private struct DecodableArray<Content: RangeReplaceableCollection>: DecodableBox where Content.Element: Decodable {
  let content: Content

  static var archiveClassName: String { "NSArray" }
  static var archiveClassAliases: [String] { ["NSMutableArray"] }

  init(coder: KeyedUnarchiver) throws {
    let way = coder.way(of: Content.Element.self)
    let elements = try coder.elements(.objects, path: .elements) { uid in
      try way.make(uid == 0 ? .null : .object(uid), in: coder)
    }
    content = elements as? Content ?? Content(elements)
  }
}

private struct DecodableSet<Element: Hashable & Decodable>: DecodableBox {
  let content: Set<Element>

  static var archiveClassName: String { "NSSet" }
  static var archiveClassAliases: [String] { ["NSMutableSet"] }

  init(coder: KeyedUnarchiver) throws {
    let way = coder.way(of: Element.self)
    let elements = try coder.hashing {
      try coder.elements(.objects, path: .elements) { uid in
        try way.make(uid == 0 ? .null : .object(uid), in: coder)
      }
    }
    content = Set(elements)
    guard content.count == elements.count else {
      throw coder.malformed("a set has \(elements.count) elements, of which only \(content.count) differ")
    }
  }
}

private struct DecodableDictionary<Key: Hashable & Decodable, Value: Decodable>: DecodableBox {
  let content: [Key: Value]

  static var archiveClassName: String { "NSDictionary" }
  static var archiveClassAliases: [String] { ["NSMutableDictionary"] }

  init(coder: KeyedUnarchiver) throws {
    let keyWay = coder.way(of: Key.self)
    let valueWay = coder.way(of: Value.self)
    let (keys, values) = try coder.hashedPairs(
      { uid in try keyWay.make(uid == 0 ? .null : .object(uid), in: coder) },
      { uid in try valueWay.make(uid == 0 ? .null : .object(uid), in: coder) })
    var content = [Key: Value](minimumCapacity: keys.count)
    for (key, value) in zip(keys, values) {
      guard content.updateValue(value, forKey: key) == nil else {
        throw coder.malformed("a dictionary has the key '\(key)' twice")
      }
    }
    self.content = content
  }
}

extension Array: CollectionDecodable where Element: Decodable {
  static func decodingWay(in coder: KeyedUnarchiver) -> AnyObject { BoxedDecodingWay<DecodableArray<Self>>() }
}

extension ContiguousArray: CollectionDecodable where Element: Decodable {
  static func decodingWay(in coder: KeyedUnarchiver) -> AnyObject { BoxedDecodingWay<DecodableArray<Self>>() }
}

extension Set: CollectionDecodable where Element: Decodable {
  static func decodingWay(in coder: KeyedUnarchiver) -> AnyObject { BoxedDecodingWay<DecodableSet<Element>>() }
}

extension Dictionary: CollectionDecodable where Key: Decodable, Value: Decodable {
  static func decodingWay(in coder: KeyedUnarchiver) -> AnyObject {
    BoxedDecodingWay<DecodableDictionary<Key, Value>>()
  }
}
