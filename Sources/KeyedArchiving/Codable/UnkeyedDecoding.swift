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
  private mutating func next<Value>(_ type: Any.Type, _ body: (ValueLocation) throws -> Value) throws -> Value {
    let (location, scopes) = try begin(type)
    defer { node?.leave(coder, to: scopes) }
    do {
      let value = try body(location)
      currentIndex += 1
      return value
    } catch {
      throw coder.codingError(error, type)
    }
  }

  /// Returns the location of the next value, and the number of scopes before those of a nested array.
  private func begin(_ type: Any.Type) throws -> (location: ValueLocation, scopes: Int) {
    guard !isAtEnd else {
      let cause = coder.located(
        KeyedArchiveError(.valueNotFound, "missing value: the container has only \(currentIndex); expected \(type)"))
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: codingPath, debugDescription: cause.detail, underlyingError: cause))
    }
    try coder.checkCurrent(scope, type)
    let scopes = coder.storage.state.scopes.count
    do {
      if let node {
        try node.enter(currentIndex, coder)
        return (node.location(currentIndex), scopes)
      }
      return (try coder.storage.state.location(at: positions[currentIndex]), scopes)
    } catch {
      defer { node?.leave(coder, to: scopes) }
      throw coder.codingError(error, type)
    }
  }

  mutating func decodeNil() throws -> Bool {
    let index = currentIndex
    let isNil: Bool = try next(Any?.self) { [coder] in try coder.isNil($0) }
    if !isNil { currentIndex = index }
    return isNil
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next(type) { [coder] location in
      guard let value = try coder.strategy(for: type).make(location, in: coder) else { throw coder.foundNil(type) }
      return value
    }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next([String: Any].self) { [self] in try decoder(at: $0).container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next([Any].self) { [self] in try decoder(at: $0).unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    try next(Any.self) { [self] in
      ArchiveDecoder(
        coder: coder, location: $0, wanted: nil, node: node, element: currentIndex,
        member: node == nil ? (scope, positions[currentIndex]) : nil)
    }
  }

  private func decoder(at location: ValueLocation) -> ArchiveDecoder {
    ArchiveDecoder(coder: coder, location: location, wanted: nil, node: node)
  }
}

/// A single-value container: of a value at the location of a struct or enum, or in an instance.
struct SingleDecoding: SingleValueDecodingContainer {
  let coder: KeyedUnarchiver
  let location: ValueLocation
  let node: DecodingNode?
  /// The position in the node of the value of a super-decoder; nil for other decoders.
  let element: Int?

  var codingPath: [any CodingKey] { coder.codingPath(in: node, element) }

  func decodeNil() -> Bool { (try? coder.isNil(location)) ?? false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard let node, let element else { return try value(type) }
    return try node.within(element, coder, type) { try value(type) }
  }

  private func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
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

/// A single-value container of an object that stores no single value. It decodes a type that encoded the object's values
/// itself, because it was passed the encoder.
struct ObjectDecoding: SingleValueDecodingContainer {
  let decoder: ArchiveDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // The initializer of such a type requests it of this container again.
    guard !(type is any PrimitiveValue.Type) else {
      throw decoder.mismatch(type, decoder.coder.storage.state.containerForms(), .single)
    }
    return try Value(from: decoder)
  }
}
