// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An optional of any type.
package protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  package var isNil: Bool { self == nil }
}

/// A collection that hashes strings by Swift's rules.
protocol HashedCollection {}

extension Set: HashedCollection {}
extension Dictionary: HashedCollection {}

/// A dictionary whose keys have strings as raw values. Swift's conformance encodes it as an array of keys and values.
protocol StringKeyedDictionary {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> PropertyListValue
  static func decode(_ entries: PropertyListDictionary, in node: ValueDecodingNode) throws -> Self?
}

extension Dictionary: StringKeyedDictionary where Key: RawRepresentable, Key.RawValue == String {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> PropertyListValue {
    var entries: [PropertyListDictionary.Element] = []
    entries.reserveCapacity(count)
    for (key, value) in self {
      let step = CodingSteps.Step(stringValue: key.rawValue)
      guard let value = value as? any Encodable else { continue }
      entries.append(.init(key: key.rawValue, value: try context.encode(value, in: node, at: step)))
    }
    return .dictionary(NilMarker.escaped(PropertyListDictionary(sorting: entries), context.options))
  }

  static func decode(_ entries: PropertyListDictionary, in node: ValueDecodingNode) throws -> Self? {
    guard let type = Value.self as? any Decodable.Type else { return nil }
    var result = Self(minimumCapacity: entries.count)
    for entry in entries {
      let step = CodingSteps.Step(stringValue: entry.key)
      guard MarkRun.isBounded(entry.key), let key = Key(rawValue: entry.key) else {
        throw node.nested(entry.value, step).corrupted("invalid key: '\(entry.key)' is not a raw value of \(Key.self)")
      }
      result[key] = try node.context.decode(type, from: entry.value, in: node, at: step) as? Value
    }
    return result
  }
}

/// A collection whose order of elements differs from run to run.
protocol UnorderedCollection {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> PropertyListValue
}

extension Set: UnorderedCollection where Element: Encodable {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> PropertyListValue {
    let values = try enumerated().map { index, element in
      try context.encode(element, in: node, at: CodingSteps.Step(index: index))
    }
    return .array(values.sorted { $0.precedes($1) })
  }
}

/// The encoder uses this conformance only if Swift encodes the dictionary as an array of alternating keys and values.
extension Dictionary: UnorderedCollection where Key: Encodable, Value: Encodable {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> PropertyListValue {
    let pairs = try enumerated().map { index, pair in
      (
        try context.encode(pair.key, in: node, at: CodingSteps.Step(index: 2 * index)),
        try context.encode(pair.value, in: node, at: CodingSteps.Step(index: 2 * index + 1))
      )
    }
    return .array(pairs.sorted { $0.0.precedes($1.0) }.flatMap { [$0.0, $0.1] })
  }
}
