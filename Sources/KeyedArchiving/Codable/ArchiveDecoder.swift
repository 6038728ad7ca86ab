// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What `init(from:)` of a type decodes itself with.
struct ArchiveDecoder: Decoder {
  enum Place {
    /// The object that is being decoded, whose class is as it should be.
    case scope
    /// A value of it.
    case value(ValueLocation)
  }

  let coder: KeyedUnarchiver
  let place: Place
  /// The type whose value is wanted at a place; nil for a super-decoder, which takes collections as they come.
  let wanted: Any.Type?
  /// The nested containers that were gone through on the way.
  let node: DecodingNode?

  /// A decoder for the object that is being decoded.
  init(coder: KeyedUnarchiver) {
    self.coder = coder
    place = .scope
    wanted = nil
    node = nil
  }

  /// A decoder for what stands at a place.
  init(coder: KeyedUnarchiver, place: ValueLocation, wanted: Any.Type?, node: DecodingNode? = nil) {
    self.coder = coder
    self.place = .value(place)
    self.wanted = wanted
    self.node = node
  }

  var codingPath: [any CodingKey] {
    switch place {
    case .scope: coder.storage.state.codingPath(withLastKey: false)
    case .value: coder.codingPath(in: node)
    }
  }

  var userInfo: [CodingUserInfoKey: Any] { coder.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    // A key's type makes of each key what it likes, and compares it by Swift's rules.
    switch place {
    case .scope:
      let shape = coder.storage.state.scopes[coder.storage.state.innermost].shape
      if let key = coder.storage.state.shapes.unhashableKey(of: shape) { throw coder.unhashable(key) }
      return KeyedDecodingContainer(ScopeDecoding(coder: coder))
    case .value(let place):
      let node = try collection(.values, place, [String: Any].self)
      try check(node.keys)
      return KeyedDecodingContainer(DictionaryDecoding(coder: coder, node: node))
    }
  }

  private func check(_ keys: [String]) throws {
    for key in keys where !MarkRun.isBounded(key) { throw coder.unhashable(key) }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch place {
    case .scope: UnkeyedDecoding(coder: coder, node: nil, positions: coder.storage.state.unkeyedPositions())
    case .value(let place):
      UnkeyedDecoding(coder: coder, node: try collection(.elements, place, [Any].self), positions: [])
    }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    switch place {
    case .value(let place): return SingleDecoding(coder: coder, place: place, node: node)
    case .scope:
      guard let position = coder.storage.state.unkeyedPositions().first else {
        throw DecodingError.valueNotFound(
          Any.self,
          DecodingError.Context(
            codingPath: codingPath, debugDescription: "the object holds no single value, it has keys"))
      }
      return SingleDecoding(coder: coder, place: try coder.storage.state.place(at: position), node: nil)
    }
  }

  private func collection(
    _ kind: UnarchiverState.Scope.Kind, _ place: ValueLocation, _ type: Any.Type
  ) throws -> DecodingNode {
    do {
      return try coder.node(kind, at: place, in: node, wanted: wanted)
    } catch {
      throw coder.codingError(error, type, in: node)
    }
  }
}

extension KeyedUnarchiver {
  /// An error as Codable types expect it, which may look into it and try something else.
  @inline(never)
  func codingError(_ error: any Error, _ type: Any.Type, in node: DecodingNode? = nil) -> any Error {
    guard let error = error as? KeyedArchiveError else { return error }
    let cause = located(error)
    let context = DecodingError.Context(
      codingPath: codingPath(in: node), debugDescription: cause.detail, underlyingError: cause)
    switch cause.code {
    case .valueNotFound: return DecodingError.valueNotFound(type, context)
    // What stands for nil in a collection; `foundNil` is about a reference to nothing.
    case .classNotAllowed where cause.className == ArchiveNull.archiveClassName:
      return DecodingError.valueNotFound(type, context)
    case .typeMismatch, .classNotAllowed: return DecodingError.typeMismatch(type, context)
    default: return DecodingError.dataCorrupted(context)
    }
  }

  /// The error for nil where a value is needed.
  @inline(never)
  func foundNil(_ type: Any.Type, in node: DecodingNode? = nil) -> any Error {
    codingError(
      KeyedArchiveError(
        .valueNotFound, "the value is nil, where \(type) is needed", className: "\(type)",
        remedy: "Decode it with decodeIfPresent, or declare it as an optional"), type, in: node)
  }

  /// The way to a nested container, or to the value that was asked for last.
  func codingPath(in node: DecodingNode?) -> [any CodingKey] {
    node?.codingPath(self) ?? storage.state.codingPath(withLastKey: true)
  }
}
