// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Optionals, whatever they wrap.
protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  var isNil: Bool { self == nil }
}

/// Dictionaries whose keys stand for texts, though Swift encodes them as arrays of keys and values: those keyed by enums.
protocol TextKeyedDictionary {
  func encode(in context: EncodingContext, _ node: EncodingNode) throws -> PropertyListValue
  static func decode(_ entries: PropertyListDictionary, in node: DecodingNode) throws -> Self?
}

extension Dictionary: TextKeyedDictionary where Key: RawRepresentable, Key.RawValue == String {
  func encode(in context: EncodingContext, _ node: EncodingNode) throws -> PropertyListValue {
    var entries: [PropertyListDictionary.Element] = []
    entries.reserveCapacity(count)
    for (key, value) in self {
      let step = CodingSteps.Step(stringValue: key.rawValue)
      guard let value = value as? any Encodable else { continue }
      entries.append(.init(key: key.rawValue, value: try context.encode(value, in: node, at: step)))
    }
    return .dictionary(NilMarker.escaped(PropertyListDictionary(sorting: entries)))
  }

  static func decode(_ entries: PropertyListDictionary, in node: DecodingNode) throws -> Self? {
    guard let type = Value.self as? any Decodable.Type else { return nil }
    var result = Self(minimumCapacity: entries.count)
    for entry in entries {
      let step = CodingSteps.Step(stringValue: entry.key)
      guard MarkRun.isBounded(entry.key), let key = Key(rawValue: entry.key) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: node.codingPath + [step], debugDescription: "'\(entry.key)' is no \(Key.self)"))
      }
      result[key] = try node.context.decode(type, from: entry.value, in: node, at: step) as? Value
    }
    return result
  }
}

/// Collections that hold their elements in an order that differs from run to run.
protocol UnorderedElements {
  func encode(in context: EncodingContext, _ node: EncodingNode) throws -> PropertyListValue
}

extension Set: UnorderedElements where Element: Encodable {
  func encode(in context: EncodingContext, _ node: EncodingNode) throws -> PropertyListValue {
    var index = 0
    let values = try map { element in
      defer { index += 1 }
      return try context.encode(element, in: node, at: CodingSteps.Step(index: index))
    }
    return .array(values.sorted { $0.precedes($1) })
  }
}

/// Only asked for if Swift encodes the dictionary as an array of keys and values in turn.
extension Dictionary: UnorderedElements where Key: Encodable, Value: Encodable {
  func encode(in context: EncodingContext, _ node: EncodingNode) throws -> PropertyListValue {
    var index = 0
    let pairs = try map { key, value in
      defer { index += 2 }
      return (
        try context.encode(key, in: node, at: CodingSteps.Step(index: index)),
        try context.encode(value, in: node, at: CodingSteps.Step(index: index + 1))
      )
    }
    return .array(pairs.sorted { $0.0.precedes($1.0) }.flatMap { [$0.0, $0.1] })
  }
}
