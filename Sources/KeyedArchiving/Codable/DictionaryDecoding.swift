// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A nested keyed container: a dictionary object.
struct DictionaryDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let coder: KeyedUnarchiver
  let node: DecodingNode

  var codingPath: [any CodingKey] { coder.codingPath(in: node) }

  var allKeys: [Key] { node.keys.compactMap(Key.init(archived:)) }

  func contains(_ key: Key) -> Bool { node.index(ofKey: key.stringValue, coder) != nil }

  private func index(_ key: Key, _ type: Any.Type) throws -> Int {
    if let index = node.index(ofKey: key.stringValue, coder) { return index }
    let cause = coder.located(
      KeyedArchiveError(.valueNotFound, "missing value for '\(key.stringValue)'; expected \(type)"))
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: codingPath, debugDescription: cause.detail, underlyingError: cause))
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let index = try index(key, Any?.self)
    return try node.within(index, coder, Any?.self) { try coder.isNil(node.location(index)) }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let index = try index(key, type)
    return try node.within(index, coder, type) {
      guard let value = try coder.strategy(for: type).make(node.location(index), in: coder) else {
        throw coder.foundNil(type)
      }
      return value
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let index = try index(key, [String: Any].self)
    return try node.within(index, coder, [String: Any].self) { try decoder(at: index).container(keyedBy: type) }
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    let index = try index(key, [Any].self)
    return try node.within(index, coder, [Any].self) { try decoder(at: index).unkeyedContainer() }
  }

  func superDecoder() throws -> any Decoder { superDecoder(forKey: "super") }

  func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(forKey: key.stringValue) }

  private func superDecoder(forKey key: String) -> ArchiveDecoder {
    let index = node.index(ofKey: key, coder)
    return ArchiveDecoder(
      coder: coder, location: index.map { node.location($0) } ?? .null, wanted: nil, node: node, element: index)
  }

  private func decoder(at index: Int) -> ArchiveDecoder {
    ArchiveDecoder(coder: coder, location: node.location(index), wanted: nil, node: node)
  }
}
