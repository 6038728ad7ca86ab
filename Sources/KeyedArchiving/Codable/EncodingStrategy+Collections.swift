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

/// The strategy of arrays and sets.
private final class CollectionEncodingStrategy<Content: Collection>: EncodingStrategy<Content> {
  private let element: EncodingStrategy<Content.Element>
  private let isSet: Bool

  init(_ element: EncodingStrategy<Content.Element>, isSet: Bool = false) {
    self.element = element
    self.isSet = isSet
  }

  override func record(_ value: Content, in coder: KeyedArchiver) -> RecordedValue {
    coder.storage.state.recorded(
      value: isSet ? EncodableSet(content: value, strategy: element) : EncodableArray(content: value, strategy: element)
    )
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

private struct EncodableSet<Content: Collection>: EncodableBox {
  let content: Content
  let strategy: EncodingStrategy<Content.Element>

  static var archiveClassName: String { "NSSet" }

  func encode(with coder: KeyedArchiver) throws {
    let elements = Array(content)
    let places = PlainValueOrder.places(elements)
    coder.beginReferences(elements.count, forKey: "NS.objects", order: places == nil ? .any : .given)
    for place in places ?? Array(elements.indices) { coder.append(strategy.record(elements[place], in: coder)) }
  }
}

extension Array: CollectionEncodable where Element: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    CollectionEncodingStrategy<Self>(coder.strategy(for: Element.self))
  }
}

extension ContiguousArray: CollectionEncodable where Element: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    CollectionEncodingStrategy<Self>(coder.strategy(for: Element.self))
  }
}

extension Set: CollectionEncodable where Element: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    CollectionEncodingStrategy<Self>(coder.strategy(for: Element.self), isSet: true)
  }
}

private final class DictionaryEncodingStrategy<Key: Hashable, Value>: EncodingStrategy<[Key: Value]> {
  private let key: EncodingStrategy<Key>
  private let value: EncodingStrategy<Value>

  init(_ key: EncodingStrategy<Key>, _ value: EncodingStrategy<Value>) {
    self.key = key
    self.value = value
  }

  override func record(_ value: [Key: Value], in coder: KeyedArchiver) -> RecordedValue {
    coder.storage.state.recorded(value: EncodableDictionary(content: value, key: key, value: self.value))
  }
}

private struct EncodableDictionary<Key: Hashable, Value>: EncodableBox {
  let content: [Key: Value]
  let key: EncodingStrategy<Key>
  let value: EncodingStrategy<Value>

  static var archiveClassName: String { "NSDictionary" }

  func encode(with coder: KeyedArchiver) throws {
    let (keys, values) = (Array(content.keys), Array(content.values))
    let known = PlainValueOrder.places(keys)
    let places = known ?? Array(keys.indices)
    coder.beginReferences(keys.count, forKey: "NS.keys", order: known == nil ? .anyWithNext : .given)
    for place in places { coder.append(key.record(keys[place], in: coder)) }
    coder.beginReferences(values.count, forKey: "NS.objects")
    for place in places { coder.append(value.record(values[place], in: coder)) }
  }
}

extension Dictionary: CollectionEncodable where Key: Encodable, Value: Encodable {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    DictionaryEncodingStrategy(coder.strategy(for: Key.self), coder.strategy(for: Value.self))
  }
}
