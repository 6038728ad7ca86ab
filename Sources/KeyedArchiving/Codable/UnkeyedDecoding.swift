// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// An unkeyed container: that of the current object's unkeyed values, or a nested one.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
  let coder: KeyedUnarchiver
  /// The nested array; nil for an object's own values.
  let node: DecodingNode?
  /// The object, and the positions of its unkeyed values.
  let scope: ScopeID
  let positions: [Int]
  private(set) var currentIndex = 0

  init(coder: KeyedUnarchiver, scope: ScopeID, positions: [Int]) {
    self.coder = coder
    node = nil
    self.scope = scope
    self.positions = positions
  }

  init(coder: KeyedUnarchiver, node: DecodingNode) {
    self.coder = coder
    self.node = node
    scope = node.scope
    positions = []
  }

  var codingPath: [any CodingKey] { coder.codingPath(in: node) }

  var count: Int? { node?.uids.count ?? positions.count }

  var isAtEnd: Bool { currentIndex >= node?.uids.count ?? positions.count }

  /// Runs a step that decodes the next value.
  private func next<Value>(_ type: Any.Type, _ body: (ValueLocation) throws -> Value) throws -> Value {
    guard !isAtEnd else {
      let cause = coder.located(
        KeyedArchiveError(.valueNotFound, "missing value: the container has only \(currentIndex); expected \(type)"))
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: codingPath, debugDescription: cause.detail, underlyingError: cause))
    }
    if let node {
      return try node.within(currentIndex, coder, type) { try body(node.location(currentIndex)) }
    }
    try coder.checkCurrent(scope, type)
    do {
      return try body(coder.storage.state.location(at: positions[currentIndex]))
    } catch {
      throw coder.codingError(error, type)
    }
  }

  mutating func decodeNil() throws -> Bool {
    let isNil: Bool = try next(Any?.self) { try coder.isNil($0) }
    if isNil { currentIndex += 1 }
    return isNil
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value: Value = try next(type) { location in
      guard let value = try coder.strategy(for: type).make(location, in: coder) else { throw coder.foundNil(type) }
      return value
    }
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container: KeyedDecodingContainer<NestedKey> = try next([String: Any].self) {
      try decoder(at: $0).container(keyedBy: type)
    }
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container: any UnkeyedDecodingContainer = try next([Any].self) { try decoder(at: $0).unkeyedContainer() }
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder: ArchiveDecoder = try next(Any.self) { self.decoder(at: $0) }
    currentIndex += 1
    return decoder
  }

  private func decoder(at location: ValueLocation) -> ArchiveDecoder {
    ArchiveDecoder(coder: coder, location: location, wanted: nil, node: node)
  }
}

/// A single-value container: of a value at the location of a struct or enum, or of an instance's first unkeyed value.
struct SingleDecoding: SingleValueDecodingContainer {
  let coder: KeyedUnarchiver
  let location: ValueLocation
  let node: DecodingNode?

  var codingPath: [any CodingKey] { coder.codingPath(in: node) }

  func decodeNil() -> Bool { (try? coder.isNil(location)) ?? false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value: Value?
    do {
      value = try coder.strategy(for: type).make(location, in: coder)
    } catch {
      throw coder.codingError(error, type)
    }
    guard let value else { throw coder.foundNil(type) }
    // An enum compares the string with its raw values by Swift's rules.
    if type == String.self, let text = value as? String, !MarkRun.isBounded(text) {
      throw coder.codingError(coder.unhashable(text), type)
    }
    return value
  }
}
