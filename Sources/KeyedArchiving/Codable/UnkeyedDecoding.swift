// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An unkeyed container: of the object that is being decoded, whose values go without keys, or a nested one.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
  let coder: KeyedUnarchiver
  /// The array object; nil for the object that is being decoded.
  let node: DecodingNode?
  /// Where the object that is being decoded has its values.
  let positions: [Int]
  private(set) var currentIndex = 0

  init(coder: KeyedUnarchiver, node: DecodingNode?, positions: [Int]) {
    self.coder = coder
    self.node = node
    self.positions = positions
  }

  var codingPath: [any CodingKey] { coder.codingPath(in: node) }

  var count: Int? { node?.uids.count ?? positions.count }

  var isAtEnd: Bool { currentIndex >= node?.uids.count ?? positions.count }

  /// Runs a step of decoding the next value.
  private func next<Value>(_ type: Any.Type, _ body: (ValueLocation) throws -> Value) throws -> Value {
    guard !isAtEnd else {
      let cause = coder.located(
        KeyedArchiveError(.valueNotFound, "there is no value after \(currentIndex) of them, where \(type) is needed"))
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: codingPath, debugDescription: cause.detail, underlyingError: cause))
    }
    if let node {
      return try node.within(currentIndex, coder, type) { try body(node.place(currentIndex)) }
    }
    do {
      return try body(coder.storage.state.place(at: positions[currentIndex]))
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
    let value: Value = try next(type) { place in
      guard let value = try coder.way(of: type).make(place, in: coder) else { throw coder.foundNil(type) }
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

  private func decoder(at place: ValueLocation) -> ArchiveDecoder {
    ArchiveDecoder(coder: coder, place: place, wanted: nil, node: node)
  }
}
