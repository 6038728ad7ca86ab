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
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> EncodedValues.Cell
  static func decode(_ entries: PropertyListDictionary, in node: ValueDecodingNode) throws -> Self?
}

extension Dictionary: StringKeyedDictionary where Key: RawRepresentable, Key.RawValue == String {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> EncodedValues.Cell {
    var entries: [(key: String, cell: EncodedValues.Cell)] = []
    entries.reserveCapacity(count)
    for (key, value) in self {
      let step = CodingSteps.Step.named(key.rawValue)
      guard let value = value as? any Encodable else { continue }
      if context.options.nils == .omitted, let optional = value as? any OptionalValue, optional.isNil { continue }
      entries.append((key.rawValue, try context.encode(value, in: node, at: step)))
    }
    if entries.count == 1, let escaped = NilMarker.escaped(entries[0].key, entries[0].cell, context.options) {
      entries[0].key = escaped
    }
    return try context.storage.state.addDictionary(entries)
  }

  static func decode(_ entries: PropertyListDictionary, in node: ValueDecodingNode) throws -> Self? {
    guard let type = Value.self as? any Decodable.Type else { return nil }
    var result = Self(minimumCapacity: entries.count)
    for entry in entries {
      let step = CodingSteps.Step.named(entry.key)
      guard MarkRun.isBounded(entry.key), let key = Key(rawValue: entry.key) else {
        throw node.nested(entry.value, step).corrupted("invalid key: '\(entry.key)' is not a raw value of \(Key.self)")
      }
      // Swift's initializer takes each spelling of the same characters.
      guard result[key] == nil else {
        throw node.nested(entry.value, step).corrupted(
          "repeated key: '\(entry.key)' and another key are the same \(Key.self)")
      }
      result[key] = try node.context.decode(type, from: entry.value, in: node, at: step) as? Value
    }
    return result
  }
}

/// A collection whose order of elements differs from run to run.
protocol UnorderedCollection {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> EncodedValues.Cell
}

extension Set: UnorderedCollection where Element: Encodable {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> EncodedValues.Cell {
    try context.sortedArray(
      enumerated().map { index, element in
        [try context.encode(element, in: node, at: CodingSteps.Step.index(index))]
      })
  }
}

/// The encoder uses this conformance only if Swift encodes the dictionary as an array of alternating keys and values.
extension Dictionary: UnorderedCollection where Key: Encodable, Value: Encodable {
  func encode(in context: EncodingContext, _ node: ValueEncodingNode) throws -> EncodedValues.Cell {
    try context.sortedArray(
      enumerated().map { index, pair in
        [
          try context.encode(pair.key, in: node, at: CodingSteps.Step.index(2 * index)),
          try context.encode(pair.value, in: node, at: CodingSteps.Step.index(2 * index + 1)),
        ]
      })
  }
}

/// The types of collections that the coders treat in their own ways.
///
/// A cast of a type that does not conform to a protocol is slow, and each array of an array asks for the same type.
final class CollectionTypes {
  private var last: (type: Any.Type, isReplaced: Bool)?
  private var lastHashed: (type: Any.Type, isHashed: Bool)?

  /// Returns whether the encoder encodes a type in another form than the type itself.
  func isReplaced(_ type: Any.Type) -> Bool {
    if let last, last.type == type { return last.isReplaced }
    let isReplaced = type is any StringKeyedDictionary.Type || type is any UnorderedCollection.Type
    last = (type, isReplaced)
    return isReplaced
  }

  /// Returns whether a type hashes strings by Swift's rules.
  func isHashed(_ type: Any.Type) -> Bool {
    if let lastHashed, lastHashed.type == type { return lastHashed.isHashed }
    let isHashed = type is any HashedCollection.Type
    lastHashed = (type, isHashed)
    return isHashed
  }
}
