// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A type of the standard library that is archived as a Foundation collection even if its contents are only Codable.
protocol CollectionEncodable {
  /// Returns the `EncodingStrategy` of this type.
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject
}

private final class OptionalEncodingStrategy<Wrapped: Encodable>: EncodingStrategy<Wrapped?> {
  private let wrapped: EncodingStrategy<Wrapped>

  init(_ wrapped: EncodingStrategy<Wrapped>) { self.wrapped = wrapped }

  override func record(_ value: Wrapped?, in coder: KeyedArchiver) -> RecordedValue {
    value.map { wrapped.record($0, in: coder) } ?? RecordedValue(.null)
  }
}

extension Optional: CollectionEncodable where Wrapped: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    OptionalEncodingStrategy(coder.strategy(for: Wrapped.self))
  }
}

/// The strategy of collections, each of which is archived as an object.
private final class BoxedEncodingStrategy<Content>: EncodingStrategy<Content> {
  private let box: (Content) -> any EncodableBox

  init(_ box: @escaping (Content) -> any EncodableBox) { self.box = box }

  override func record(_ value: Content, in coder: KeyedArchiver) -> RecordedValue {
    coder.storage.state.recorded(value: box(value))
  }
}

private struct EncodableArray<Content: Collection>: EncodableBox {
  let content: Content
  let strategy: EncodingStrategy<Content.Element>

  static var archiveClassName: String { "NSArray" }

  func encode(with coder: KeyedArchiver) {
    coder.beginReferences(content.count, forKey: "NS.objects")
    for element in content { coder.append(strategy.record(element, in: coder)) }
  }
}

private struct EncodableSet<Element: Hashable>: EncodableBox {
  let content: Set<Element>
  let strategy: EncodingStrategy<Element>

  static var archiveClassName: String { "NSSet" }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encodeSet(Array(content)) { strategy.record($0, in: coder) }
  }
}

private struct EncodableDictionary<Key: Hashable, Value>: EncodableBox {
  let content: [Key: Value]
  let key: EncodingStrategy<Key>
  let value: EncodingStrategy<Value>

  static var archiveClassName: String { "NSDictionary" }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encodeDictionary(content, key: { key.record($0, in: coder) }, value: { value.record($0, in: coder) })
  }
}

extension Array: CollectionEncodable where Element: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    let element = coder.strategy(for: Element.self)
    return BoxedEncodingStrategy<Self> { EncodableArray(content: $0, strategy: element) }
  }
}

extension ContiguousArray: CollectionEncodable where Element: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    let element = coder.strategy(for: Element.self)
    return BoxedEncodingStrategy<Self> { EncodableArray(content: $0, strategy: element) }
  }
}

extension Set: CollectionEncodable where Element: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    let element = coder.strategy(for: Element.self)
    return BoxedEncodingStrategy<Self> { EncodableSet(content: $0, strategy: element) }
  }
}

extension Dictionary: CollectionEncodable where Key: Encodable, Value: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    let (key, value) = (coder.strategy(for: Key.self), coder.strategy(for: Value.self))
    return BoxedEncodingStrategy<Self> { EncodableDictionary(content: $0, key: key, value: value) }
  }
}
