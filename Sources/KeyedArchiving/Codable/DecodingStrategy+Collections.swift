// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The decoding counterpart of `CollectionEncodable`.
protocol CollectionDecodable {
  /// Returns the `DecodingStrategy` of this type.
  static func decodingStrategy(in coder: KeyedUnarchiver) -> AnyObject
}

private final class OptionalDecodingStrategy<Wrapped: Decodable>: DecodingStrategy<Wrapped?> {
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
  static func decodingStrategy(in coder: KeyedUnarchiver) -> AnyObject {
    OptionalDecodingStrategy(coder.strategy(for: Wrapped.self))
  }
}

/// The strategy of collections that `Box` decodes.
private final class BoxedDecodingStrategy<Box: DecodableBox>: DecodingStrategy<Box.Content> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Box.Content? {
    try coder.make(value: Box.self, from: uid)?.content
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Box.Content? {
    _ = try coder.storage.state.source.uid(item)
    return nil
  }
}

/// A value that decodes a collection object.
protocol DecodableBox: SecureKeyedCoding, DecodableWrapper {
  associatedtype Content
  var content: Content { get }
}

extension DecodableBox {
  static var wrappedType: Any.Type { Content.self }

  func encode(with coder: KeyedArchiver) {}
}

private struct DecodableArray<Content: RangeReplaceableCollection>: DecodableBox where Content.Element: Decodable {
  let content: Content

  static var archiveClassName: String { "NSArray" }
  static var archiveClassAliases: [String] { ["NSMutableArray"] }

  init(coder: KeyedUnarchiver) throws {
    let element = coder.strategy(for: Content.Element.self)
    let elements = try coder.elements(.objects, path: .elements) { try element.make(ValueLocation($0), in: coder) }
    content = elements as? Content ?? Content(elements)
  }
}

private struct DecodableSet<Element: Hashable & Decodable>: DecodableBox {
  let content: Set<Element>

  static var archiveClassName: String { "NSSet" }
  static var archiveClassAliases: [String] { ["NSMutableSet"] }

  init(coder: KeyedUnarchiver) throws {
    let element = coder.strategy(for: Element.self)
    let elements = try coder.hashing {
      try coder.elements(.objects, path: .elements) { try element.make(ValueLocation($0), in: coder) }
    }
    content = try coder.set(of: elements)
  }
}

private struct DecodableDictionary<Key: Hashable & Decodable, Value: Decodable>: DecodableBox {
  let content: [Key: Value]

  static var archiveClassName: String { "NSDictionary" }
  static var archiveClassAliases: [String] { ["NSMutableDictionary"] }

  init(coder: KeyedUnarchiver) throws {
    let keyStrategy = coder.strategy(for: Key.self)
    let valueStrategy = coder.strategy(for: Value.self)
    let (keys, values) = try coder.hashedPairs(
      { try keyStrategy.make(ValueLocation($0), in: coder) }, { try valueStrategy.make(ValueLocation($0), in: coder) })
    content = try coder.dictionary(of: keys, values)
  }
}

extension Array: CollectionDecodable where Element: Decodable {
  static func decodingStrategy(in coder: KeyedUnarchiver) -> AnyObject { BoxedDecodingStrategy<DecodableArray<Self>>() }
}

extension ContiguousArray: CollectionDecodable where Element: Decodable {
  static func decodingStrategy(in coder: KeyedUnarchiver) -> AnyObject { BoxedDecodingStrategy<DecodableArray<Self>>() }
}

extension Set: CollectionDecodable where Element: Decodable {
  static func decodingStrategy(in coder: KeyedUnarchiver) -> AnyObject {
    BoxedDecodingStrategy<DecodableSet<Element>>()
  }
}

extension Dictionary: CollectionDecodable where Key: Decodable, Value: Decodable {
  static func decodingStrategy(in coder: KeyedUnarchiver) -> AnyObject {
    BoxedDecodingStrategy<DecodableDictionary<Key, Value>>()
  }
}
