// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The way in which an archiver records values of one Codable type. It is determined once for each type.
class EncodingStrategy<Value> {
  func record(_ value: Value, in coder: KeyedArchiver) -> RecordedValue { RecordedValue(.null) }

  /// Records an instance of a class that is archived only if another reference archives it.
  func recordConditionally(_ value: Value, in coder: KeyedArchiver) -> RecordedValue { record(value, in: coder) }
}

/// The strategy of types that conform to `KeyedCoding`.
final class KeyedCodingEncodingStrategy<Value: KeyedCoding>: EncodingStrategy<Value> {
  override func record(_ value: Value, in coder: KeyedArchiver) -> RecordedValue { value.record(in: coder) }

  override func recordConditionally(_ value: Value, in coder: KeyedArchiver) -> RecordedValue {
    guard let object = value as? any KeyedCoding & AnyObject else { return record(value, in: coder) }
    return coder.recorded(object, conditional: true)
  }
}

/// The strategy of structs and enums that are only Codable.
final class CodableValueEncodingStrategy<Value: Encodable>: EncodingStrategy<Value> {
  override func record(_ value: Value, in coder: KeyedArchiver) -> RecordedValue {
    coder.storage.state.recorded(value: EncodableValue(value))
  }
}

/// The strategy of classes that are only Codable.
final class CodableObjectEncodingStrategy<Value: Encodable>: EncodingStrategy<Value> {
  override func record(_ value: Value, in coder: KeyedArchiver) -> RecordedValue {
    // A subclass can conform to `KeyedCoding` although its superclass does not.
    if let keyed = value as? any KeyedCoding { return keyed.record(in: coder) }
    return recordBox(of: value, in: coder, conditional: false)
  }

  override func recordConditionally(_ value: Value, in coder: KeyedArchiver) -> RecordedValue {
    if let keyed = value as? any KeyedCoding & AnyObject { return coder.recorded(keyed, conditional: true) }
    return recordBox(of: value, in: coder, conditional: true)
  }

  private func recordBox(of value: Value, in coder: KeyedArchiver, conditional: Bool) -> RecordedValue {
    let type = Swift.type(of: value as Any) as? any Encodable.Type ?? Value.self
    return coder.storage.state.recorded(
      reference: type.box(value), address: UInt(bitPattern: ObjectIdentifier(value as AnyObject)),
      conditional: conditional)
  }
}

extension Encodable {
  /// Wraps an instance of this class.
  fileprivate static func box(_ object: any Encodable) -> any KeyedCoding & AnyObject { EncodableObject<Self>(object) }
}

extension KeyedArchiver {
  /// Returns the encoding strategy of a type.
  func strategy<Value: Encodable>(for type: Value.Type) -> EncodingStrategy<Value> {
    let id = ObjectIdentifier(type)
    if let known = encodingStrategies[id] as? EncodingStrategy<Value> { return known }
    let strategy = makeStrategy(for: type)
    encodingStrategies[id] = strategy
    return strategy
  }

  private func makeStrategy<Value: Encodable>(for type: Value.Type) -> EncodingStrategy<Value> {
    func keyed<Keyed: KeyedCoding>(_ type: Keyed.Type) -> AnyObject { KeyedCodingEncodingStrategy<Keyed>() }
    var found: AnyObject?
    if let type = type as? any KeyedCoding.Type {
      found = keyed(type)
    } else if let type = type as? any CollectionEncodable.Type {
      found = type.encodingStrategy(in: self)
    }
    if let strategy = found as? EncodingStrategy<Value> { return strategy }
    return type is AnyClass ? CodableObjectEncodingStrategy() : CodableValueEncodingStrategy()
  }
}

/// A wrapper for a struct or enum that is only Codable.
struct EncodableValue<Value: Encodable>: EncodableBox {
  private let value: Value

  init(_ value: Value) { self.value = value }

  static var archiveClassName: String { TypeName.archived(Value.self) }

  func encode(with coder: KeyedArchiver) throws { try coder.encodeContents(of: value) }
}

/// A wrapper for an instance of a class that is only Codable. The type parameter is the instance's dynamic class.
final class EncodableObject<Object: Encodable>: EncodableBox {
  private let object: any Encodable

  init(_ object: any Encodable) { self.object = object }

  static var archiveClassName: String { TypeName.archived(Object.self) }

  static var archiveClassChain: [String] {
    var names: [String] = []
    var current: AnyClass? = Object.self as? AnyClass
    while let type = current {
      if type is any Encodable.Type { names.append(TypeName.archived(type)) }
      current = _getSuperclass(type)
    }
    return names + ["NSObject"]
  }

  func encode(with coder: KeyedArchiver) throws { try coder.encodeContents(of: object) }
}
