// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// How the values of one Codable type are noted; found out once for each type.
class EncodingStrategy<Value> {
  /// The note of a value as an object.
  func note(_ value: Value, in coder: KeyedArchiver) -> _RecordedValue { _RecordedValue(.null) }
}

/// A type that archives itself.
final class KeyedCodingWay<Value: KeyedCoding>: EncodingStrategy<Value> {
  override func note(_ value: Value, in coder: KeyedArchiver) -> _RecordedValue { value._record(in: coder) }
}

/// A struct or enum that is Codable only.
final class CodableValueWay<Value: Encodable>: EncodingStrategy<Value> {
  override func note(_ value: Value, in coder: KeyedArchiver) -> _RecordedValue {
    coder.storage.state.note(value: EncodableValue(value))
  }
}

/// A class that is Codable only.
final class CodableObjectWay<Value: Encodable>: EncodingStrategy<Value> {
  override func note(_ value: Value, in coder: KeyedArchiver) -> _RecordedValue {
    // A subclass may be more than its superclass promises.
    if let keyed = value as? any KeyedCoding { return keyed._record(in: coder) }
    let type = Swift.type(of: value as Any) as? any Encodable.Type ?? Value.self
    return coder.storage.state.note(
      reference: type.box(value), address: UInt(bitPattern: ObjectIdentifier(value as AnyObject)), conditional: false)
  }
}

extension Encodable {
  /// The box of an instance of this class.
  fileprivate static func box(_ object: any Encodable) -> any KeyedCoding & AnyObject { EncodableObject<Self>(object) }
}

extension KeyedArchiver {
  /// How values of a type are noted.
  func way<Value: Encodable>(of type: Value.Type) -> EncodingStrategy<Value> {
    let id = ObjectIdentifier(type)
    if let known = encodingWays[id] as? EncodingStrategy<Value> { return known }
    let way = makeWay(of: type)
    encodingWays[id] = way
    return way
  }

  private func makeWay<Value: Encodable>(of type: Value.Type) -> EncodingStrategy<Value> {
    func keyed<Keyed: KeyedCoding>(_ type: Keyed.Type) -> AnyObject { KeyedCodingWay<Keyed>() }
    var found: AnyObject?
    if let type = type as? any KeyedCoding.Type {
      found = keyed(type)
    } else if let type = type as? any CollectionEncodable.Type {
      found = type.encodingWay(in: self)
    }
    if let way = found as? EncodingStrategy<Value> { return way }
    return type is AnyClass ? CodableObjectWay() : CodableValueWay()
  }
}
