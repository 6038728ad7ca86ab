// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The decoder that `init(from:)` of a type receives.
struct ArchiveDecoder: Decoder {
  enum Source {
    /// An object, whose class was checked, while it is the current one.
    case scope(ScopeID)
    /// A value of the current object.
    case value(ValueLocation)
  }

  let coder: KeyedUnarchiver
  let source: Source
  /// The type requested at a location; nil for a super-decoder, which accepts any collection.
  let wanted: Any.Type?
  /// The innermost nested container on the path.
  let node: DecodingNode?
  /// The position in the node of the value of a super-decoder, which its caller uses after the container has returned it;
  /// nil for other decoders.
  let element: Int?
  /// The object of which a super-decoder's value is a member, and the position of that; nil for other decoders.
  let member: (scope: ScopeID, position: Int)?

  /// Creates a decoder for the current object.
  init(coder: KeyedUnarchiver) {
    self.coder = coder
    source = .scope(coder.storage.state.scopeID)
    wanted = nil
    node = nil
    element = nil
    member = nil
  }

  /// Creates a decoder for a value at a location.
  init(
    coder: KeyedUnarchiver, location: ValueLocation, wanted: Any.Type?, node: DecodingNode? = nil, element: Int? = nil,
    member: (scope: ScopeID, position: Int)? = nil
  ) {
    self.coder = coder
    source = .value(location)
    self.wanted = wanted
    self.node = node
    self.element = element
    self.member = member
  }

  /// Makes the value of a super-decoder the last requested one, to which paths lead. Its caller can have requested others
  /// since.
  private func enterMember() {
    guard let member, coder.storage.state.isCurrent(member.scope) else { return }
    coder.storage.state.scopes[coder.storage.state.innermost].current = member.position
  }

  var codingPath: [any CodingKey] {
    enterMember()
    switch source {
    case .scope: return coder.storage.state.codingPath(withLastKey: false)
    case .value: return coder.codingPath(in: node, element)
    }
  }

  var userInfo: [CodingUserInfoKey: Any] { coder.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    // A `CodingKey` type can compare keys by Swift's rules.
    switch source {
    case .scope(let scope):
      try coder.checkCurrent(scope, type)
      let forms = coder.storage.state.containerForms()
      guard forms.isEmpty || forms.contains(.keyed) else { throw mismatch([String: Any].self, forms, .keyed) }
      let layout = coder.storage.state.scopes[coder.storage.state.innermost].layout
      if let key = coder.storage.state.keyLayouts.unhashableKey(of: layout) { throw coder.unhashable(key) }
      return KeyedDecodingContainer(ScopeDecoding(coder: coder, scope: scope))
    case .value(let location):
      let node = try collection(.values, location, [String: Any].self)
      try check(node.keys)
      return KeyedDecodingContainer(DictionaryDecoding(coder: coder, node: node))
    }
  }

  private func check(_ keys: [String]) throws {
    for key in keys where !MarkRun.isBounded(key) { throw coder.unhashable(key) }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch source {
    case .scope(let scope):
      try coder.checkCurrent(scope, [Any].self)
      let forms = coder.storage.state.containerForms()
      guard forms.contains(.unkeyed) else { throw mismatch([Any].self, forms, .unkeyed) }
      return UnkeyedDecoding(coder: coder, scope: scope, positions: coder.storage.state.unkeyedPositions())
    case .value(let location):
      return UnkeyedDecoding(coder: coder, node: try collection(.elements, location, [Any].self))
    }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    switch source {
    case .value(let location):
      enterMember()
      return SingleDecoding(coder: coder, location: location, node: node, element: element)
    case .scope(let scope):
      try coder.checkCurrent(scope, Any.self)
      do {
        guard let location = try coder.storage.state.singleLocation() else { return ObjectDecoding(decoder: self) }
        return SingleDecoding(coder: coder, location: location, node: nil, element: nil)
      } catch {
        throw coder.codingError(error, Any.self)
      }
    }
  }

  /// Returns the error for a container of another kind than that of the object's values.
  @inline(never)
  func mismatch(_ type: Any.Type, _ found: ContainerForms, _ expected: ContainerForms) -> any Error {
    coder.codingError(
      KeyedArchiveError(
        .typeMismatch,
        "container mismatch: found an object with \(found.description); expected \(expected.description)",
        remedy: "Request the kind of container that encode(to:) of the archived type uses"), type)
  }

  private func collection(
    _ kind: UnarchiverState.Scope.Kind, _ location: ValueLocation, _ type: Any.Type
  ) throws -> DecodingNode {
    enterMember()
    if let node, let element {
      return try node.within(element, coder, type) { try coder.node(kind, at: location, in: node, wanted: wanted) }
    }
    do {
      return try coder.node(kind, at: location, in: node, wanted: wanted)
    } catch {
      throw coder.codingError(error, type, in: node)
    }
  }
}

extension KeyedUnarchiver {
  /// Converts an error to a `DecodingError`, which Codable types can inspect to try another type.
  @inline(never)
  func codingError(_ error: any Error, _ type: Any.Type, in node: DecodingNode? = nil) -> any Error {
    guard let error = error as? KeyedArchiveError else { return error }
    let cause = located(error)
    let type = cause.requestedType ?? type
    let path: [any CodingKey]
    if let place = cause.objectPlace, storage.state.beginPath() == 0 {
      path = place.codingPath
    } else {
      path = codingPath(in: node)
    }
    let context = DecodingError.Context(codingPath: path, debugDescription: cause.detail, underlyingError: cause)
    switch cause.code {
    case .valueNotFound: return DecodingError.valueNotFound(type, context)
    // The object that represents nil in a collection. `foundNil` handles references to `$null`.
    case .classNotAllowed where cause.className == ArchiveNull.archiveClassName:
      return DecodingError.valueNotFound(type, context)
    case .typeMismatch, .classNotAllowed: return DecodingError.typeMismatch(type, context)
    default: return DecodingError.dataCorrupted(context)
    }
  }

  /// Returns the error for nil instead of a required value.
  @inline(never)
  func foundNil(_ type: Any.Type, in node: DecodingNode? = nil) -> any Error {
    codingError(
      KeyedArchiveError(
        .valueNotFound, "the value is nil; expected \(type)", className: "\(type)",
        remedy: "Decode it with decodeIfPresent, or declare it as an optional"), type, in: node)
  }

  /// Checks that the object of a container or decoder is the current one.
  @inline(__always)
  func checkCurrent(_ scope: ScopeID, _ type: Any.Type) throws {
    guard storage.state.isCurrent(scope) else { throw codingError(notCurrent(), type) }
  }

  /// Returns the error for a container or decoder that is used while its object is not the current one.
  @inline(never)
  func notCurrent() -> KeyedArchiveError {
    KeyedArchiveError(
      .reportedByClass,
      "foreign container: the container or decoder belongs to another object than the one being decoded",
      remedy: "Decode all values of an object in its own init(from:), not in those of other objects")
  }

  /// Returns the path to a nested container or to one of its elements, or to the last requested value.
  func codingPath(in node: DecodingNode?, _ element: Int? = nil) -> [any CodingKey] {
    if let node, let element, storage.state.isCurrent(node.scope) {
      let path = try? node.within(element, self, Any.self) { storage.state.codingPath(withLastKey: true) }
      if let path { return path }
    }
    return node?.codingPath(self) ?? storage.state.codingPath(withLastKey: true)
  }
}
