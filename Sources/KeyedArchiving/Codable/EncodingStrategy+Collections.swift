// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A type of the standard library whose values have a form of their own in archives, also where what they hold is Codable
/// only. Where what they hold archives itself, so do they.
protocol CollectionEncodable {
  /// How values are noted: an `EncodingStrategy` of this very type.
  static func encodingWay(in coder: KeyedArchiver) -> AnyObject
}

private final class OptionalWay<Wrapped: Encodable>: EncodingStrategy<Wrapped?> {
  private let wrapped: EncodingStrategy<Wrapped>

  init(_ wrapped: EncodingStrategy<Wrapped>) { self.wrapped = wrapped }

  override func note(_ value: Wrapped?, in coder: KeyedArchiver) -> _RecordedValue {
    value.map { wrapped.note($0, in: coder) } ?? _RecordedValue(.null)
  }
}

extension Optional: CollectionEncodable where Wrapped: Encodable {
  static func encodingWay(in coder: KeyedArchiver) -> AnyObject { OptionalWay(coder.way(of: Wrapped.self)) }
}

/// Arrays and sets, in which a way of elements is used many times.
private final class CollectionWay<Content: Collection>: EncodingStrategy<Content> {
  private let element: EncodingStrategy<Content.Element>
  private let isSet: Bool

  init(_ element: EncodingStrategy<Content.Element>, isSet: Bool = false) {
    self.element = element
    self.isSet = isSet
  }

  override func note(_ value: Content, in coder: KeyedArchiver) -> _RecordedValue {
    coder.storage.state.note(
      value: isSet ? EncodableSet(content: value, way: element) : EncodableArray(content: value, way: element))
  }
}

private struct EncodableArray<Content: Collection>: EncodableBox {
  let content: Content
  let way: EncodingStrategy<Content.Element>

  static var archiveClassName: String { "NSArray" }

  func encode(with coder: KeyedArchiver) {
    coder.beginReferences(content.count, forKey: "NS.objects")
    for element in content { coder.append(way.note(element, in: coder)) }
  }
}

private struct EncodableSet<Content: Collection>: EncodableBox {
  let content: Content
  let way: EncodingStrategy<Content.Element>

  static var archiveClassName: String { "NSSet" }

  func encode(with coder: KeyedArchiver) throws {
    let elements = Array(content)
    let places = PlainValueOrder.places(elements)
    coder.beginReferences(elements.count, forKey: "NS.objects", order: places == nil ? .any : .given)
    for place in places ?? Array(elements.indices) { coder.append(way.note(elements[place], in: coder)) }
  }
}

extension Array: CollectionEncodable where Element: Encodable {
  static func encodingWay(in coder: KeyedArchiver) -> AnyObject { CollectionWay<Self>(coder.way(of: Element.self)) }
}

extension ContiguousArray: CollectionEncodable where Element: Encodable {
  static func encodingWay(in coder: KeyedArchiver) -> AnyObject { CollectionWay<Self>(coder.way(of: Element.self)) }
}

extension Set: CollectionEncodable where Element: Encodable {
  static func encodingWay(in coder: KeyedArchiver) -> AnyObject {
    CollectionWay<Self>(coder.way(of: Element.self), isSet: true)
  }
}

private final class DictionaryWay<Key: Hashable, Value>: EncodingStrategy<[Key: Value]> {
  private let key: EncodingStrategy<Key>
  private let value: EncodingStrategy<Value>

  init(_ key: EncodingStrategy<Key>, _ value: EncodingStrategy<Value>) {
    self.key = key
    self.value = value
  }

  override func note(_ value: [Key: Value], in coder: KeyedArchiver) -> _RecordedValue {
    coder.storage.state.note(value: EncodableDictionary(content: value, key: key, value: self.value))
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
    for place in places { coder.append(key.note(keys[place], in: coder)) }
    coder.beginReferences(values.count, forKey: "NS.objects")
    for place in places { coder.append(value.note(values[place], in: coder)) }
  }
}

extension Dictionary: CollectionEncodable where Key: Encodable, Value: Encodable {
  static func encodingWay(in coder: KeyedArchiver) -> AnyObject {
    DictionaryWay(coder.way(of: Key.self), coder.way(of: Value.self))
  }
}
