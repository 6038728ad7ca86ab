// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Coding keys for steps that do not belong to a type.
enum CodingSteps {
  /// An index in an array, or the key of a superclass.
  struct Step: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(index: Int) {
      stringValue = "Index \(index)"
      intValue = index
    }

    init(stringValue: String) {
      self.stringValue = stringValue
      intValue = nil
    }

    init?(intValue: Int) { self.init(index: intValue) }

    static let `super` = Step(stringValue: "super")
  }

  static func path(to node: ValueEncodingNode?, _ key: (any CodingKey)?) -> [any CodingKey] {
    (node?.codingPath ?? []) + (key.map { [$0] } ?? [])
  }
}

/// The encoder that a value sees, with the values that it encoded.
final class ValueEncodingNode: Encoder {
  enum Form {
    case undecided, single, keyed, unkeyed
  }

  let context: EncodingContext
  private let parent: ValueEncodingNode?
  private let key: (any CodingKey)?
  /// The type of the value; nil for a nested container.
  private let type: Any.Type?

  private(set) var form = Form.undecided
  /// The kind of container that was requested after one of another kind.
  private var conflict: Form?
  private var value: PropertyListValue?
  private var entries: [PropertyListDictionary.Element] = []
  private(set) var elements: [PropertyListValue] = []
  /// Nested containers with their positions. They are complete only when this node is.
  private var nested: [(index: Int, node: ValueEncodingNode)] = []
  /// Whether the context encodes the collection in another form, so the node ignores the encoded values.
  private(set) var isReplaced = false

  init(_ context: EncodingContext, _ parent: ValueEncodingNode?, _ key: (any CodingKey)?, _ type: Any.Type?) {
    self.context = context
    self.parent = parent
    self.key = key
    self.type = type
  }

  var codingPath: [any CodingKey] {
    sequence(first: self) { $0.parent }.compactMap(\.key).reversed()
  }

  var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    begin(.keyed)
    return KeyedEncodingContainer(KeyedNode<Key>(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if form == .undecided, type is any StringKeyedDictionary.Type || type is any UnorderedCollection.Type {
      isReplaced = true
    }
    begin(.unkeyed)
    return UnkeyedNode(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleNode(node: self) }

  /// A type can request its container repeatedly, but only one kind of container. The request cannot throw, so
  /// ``finished()`` throws the error.
  private func begin(_ form: Form) {
    if self.form == .undecided { self.form = form }
    if self.form != form, conflict == nil { conflict = form }
  }

  // MARK: Values from containers

  @inline(__always)
  func set(_ key: some CodingKey, _ value: PropertyListValue) {
    if entries.isEmpty { entries.reserveCapacity(8) }
    entries.append(.init(key: key.stringValue, value: value))
  }

  @inline(__always)
  func append(_ value: PropertyListValue) {
    guard !isReplaced else { return }
    elements.append(value)
  }

  func put(_ value: PropertyListValue) throws {
    guard form == .undecided else { throw conflict(.single) }
    form = .single
    self.value = value
  }

  /// Returns the error for a second kind of container, or a second single value.
  private func conflict(_ form: Form) -> EncodingError {
    let problem =
      form == self.form
      ? "a second single value was encoded" : "conflicting containers: requested '\(form)' after '\(self.form)'"
    return error(type as Any, "\(problem). Request one kind of container per encoder")
  }

  func encode<Value: Encodable>(_ value: Value, at key: any CodingKey) throws -> PropertyListValue {
    try context.encode(value, in: self, at: key)
  }

  func encodeSingle<Value: Encodable>(_ value: Value) throws {
    try put(context.encode(value, in: self, at: nil))
  }

  // MARK: Primitives from containers, which can have conversions of the caller

  @inline(__always)
  func set<Value>(
    _ key: some CodingKey, _ value: Value, _ encoded: @autoclosure () throws -> PropertyListValue
  ) throws {
    set(key, try context.options.conversion(for: Value.self)?.encode(value) ?? encoded())
  }

  @inline(__always)
  func append<Value>(_ value: Value, _ encoded: @autoclosure () throws -> PropertyListValue) throws {
    append(try context.options.conversion(for: Value.self)?.encode(value) ?? encoded())
  }

  @inline(__always)
  func put<Value>(_ value: Value, _ encoded: @autoclosure () throws -> PropertyListValue) throws {
    try put(context.options.conversion(for: Value.self)?.encode(value) ?? encoded())
  }

  func nestedNode(_ form: Form, _ key: some CodingKey) -> ValueEncodingNode {
    let node = ValueEncodingNode(context, self, key, nil)
    node.form = form
    if self.form == .keyed {
      nested.append((entries.count, node))
      entries.append(.init(key: key.stringValue, value: false))
    } else if !isReplaced {
      nested.append((elements.count, node))
      elements.append(false)
    }
    return node
  }

  private func error(_ value: Any, _ description: String) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: description))
  }

  /// Encodes an unsigned integer of 128 bits.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func wide(_ value: UInt128) throws -> PropertyListValue {
    if let value = PropertyListValue(exactly: value) { return value }
    throw error(value, "integer out of range: found \(value); expected at most \(Int128.max)")
  }

  /// Returns the stored form of nil, or nil if the container omits it.
  func null(in form: Form) throws -> PropertyListValue? {
    switch context.options.nils {
    case .marker: return NilMarker.value
    case .text: return .string(NilMarker.text)
    case .omitted:
      guard form == .unkeyed else { return nil }
      throw error(
        Any?.none as Any, "unsupported nil: an array cannot omit it. Choose another form for nil (options.nils)")
    }
  }

  /// Returns the encoded value.
  func finished() throws -> PropertyListValue {
    if let conflict { throw self.conflict(conflict) }
    for (index, node) in nested {
      let value = try node.finished()
      if form == .keyed {
        entries[index].value = value
      } else {
        elements[index] = value
      }
    }
    switch form {
    case .keyed: return .dictionary(NilMarker.escaped(PropertyListDictionary(sorting: entries), context.options))
    case .unkeyed: return .array(elements)
    case .single: if let value { return value }
    // A nested container that was requested but never used is empty.
    case .undecided:
      if type == nil || context.options.followsFoundation && parent != nil { return .dictionary([:]) }
    }
    throw error(
      type as Any,
      "missing value: \(type.map { "\($0)" } ?? "a container") encoded nothing. Encode a value or request a container "
        + "in encode(to:)")
  }
}
