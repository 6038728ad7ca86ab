// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A single value: what stands where a struct or enum is wanted, or what an instance of a class holds without a key.
struct SingleDecoding: SingleValueDecodingContainer {
  let coder: KeyedUnarchiver
  let place: ValueLocation
  let node: DecodingNode?

  var codingPath: [any CodingKey] { coder.codingPath(in: node) }

  func decodeNil() -> Bool { (try? coder.isNil(place)) ?? false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value: Value?
    do {
      value = try coder.way(of: type).make(place, in: coder)
    } catch {
      throw coder.codingError(error, type)
    }
    guard let value else { throw coder.foundNil(type) }
    // An enum looks for the case with this raw value by Swift's rules.
    if type == String.self, let text = value as? String, !MarkRun.isBounded(text) {
      throw coder.codingError(coder.unhashable(text), type)
    }
    return value
  }
}
