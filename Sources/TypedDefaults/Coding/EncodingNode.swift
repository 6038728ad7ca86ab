// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Where a value is within others, for messages.
enum CodingSteps {
  /// A position in an array, or the place of a superclass.
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

  static func path(to node: EncodingNode?, _ key: (any CodingKey)?) -> [any CodingKey] {
    (node?.codingPath ?? []) + (key.map { [$0] } ?? [])
  }
}

/// A value that is being encoded: the encoder it sees, and what came of it.
final class EncodingNode: Encoder {
  enum Form {
    case undecided, single, keyed, unkeyed
  }

  let context: EncodingContext
  private let parent: EncodingNode?
  private let key: (any CodingKey)?
  /// The type, if the value is of a type that encodes itself, as opposed to a nested container.
  private let type: Any.Type?

  private(set) var form = Form.undecided
  private var value: PropertyListValue?
  private var entries: [PropertyListDictionary.Element] = []
  private(set) var elements: [PropertyListValue] = []
  /// Nested containers, which are complete only in the end.
  private var nested: [(place: Int, node: EncodingNode)] = []
  /// Whether what was encoded counts for nothing, since the type's shape is kept in another way.
  private(set) var isReplaced = false

  init(_ context: EncodingContext, _ parent: EncodingNode?, _ key: (any CodingKey)?, _ type: Any.Type?) {
    self.context = context
    self.parent = parent
    self.key = key
    self.type = type
  }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var node: EncodingNode? = self
    while let current = node {
      if let key = current.key { path.append(key) }
      node = current.parent
    }
    return path.reversed()
  }

  var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    begin(.keyed)
    return KeyedEncodingContainer(KeyedNode<Key>(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if form == .undecided, type is any TextKeyedDictionary.Type || type is any UnorderedElements.Type {
      isReplaced = true
    }
    begin(.unkeyed)
    return UnkeyedNode(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleNode(node: self) }

  private func begin(_ form: Form) {
    // A type may ask for its container again, but not for another kind.
    precondition(self.form == .undecided || self.form == form, "a value encodes itself in one kind of container only")
    self.form = form
  }

  // MARK: What containers put in

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

  func encode<Value: Encodable>(_ value: Value, at key: any CodingKey) throws -> PropertyListValue {
    try context.encode(value, in: self, at: key)
  }

  func encodeSingle<Value: Encodable>(_ value: Value) throws { put(try context.encode(value, in: self, at: nil)) }

  func put(_ value: PropertyListValue) {
    precondition(form == .undecided || form == .single, "a value encodes itself in one kind of container only")
    form = .single
    self.value = value
  }

  // What follows is for types that containers have functions of their own for; these may have hooks, too.

  @inline(__always)
  func set<Value>(
    _ key: some CodingKey, _ value: Value, _ object: @autoclosure () throws -> PropertyListValue
  ) throws {
    set(key, try context.options.hook(for: Value.self)?.encode(value) ?? object())
  }

  @inline(__always)
  func append<Value>(_ value: Value, _ object: @autoclosure () throws -> PropertyListValue) throws {
    append(try context.options.hook(for: Value.self)?.encode(value) ?? object())
  }

  @inline(__always)
  func put<Value>(_ value: Value, _ object: @autoclosure () throws -> PropertyListValue) throws {
    put(try context.options.hook(for: Value.self)?.encode(value) ?? object())
  }

  func nestedNode(_ form: Form, _ key: some CodingKey) -> EncodingNode {
    let node = EncodingNode(context, self, key, nil)
    node.form = form
    switch self.form {
    case .keyed:
      nested.append((entries.count, node))
      entries.append(.init(key: key.stringValue, value: false))
    default:
      guard !isReplaced else { break }
      nested.append((elements.count, node))
      elements.append(false)
    }
    return node
  }

  /// An integer that may be too large.
  func wide(_ value: UInt128) throws -> PropertyListValue {
    if let value = PropertyListValue(exactly: value) { return value }
    throw EncodingError.invalidValue(
      value,
      EncodingError.Context(
        codingPath: codingPath, debugDescription: "an integer in a property list has 128 bits with its sign"))
  }

  /// What stands for nil; nil if nothing does.
  func null(in form: Form) throws -> PropertyListValue? {
    switch context.options.nils {
    case .marker: return NilMarker.value
    case .text: return .string(NilMarker.text)
    case .omitted:
      guard form == .unkeyed else { return nil }
      throw EncodingError.invalidValue(
        Any?.none as Any,
        EncodingError.Context(
          codingPath: codingPath,
          debugDescription: "a nil in an array cannot be left out; choose another form for nil (options.nils)"))
    }
  }

  /// The object.
  func finished() throws -> PropertyListValue {
    for (place, node) in nested {
      let value = try node.finished()
      if form == .keyed {
        entries[place].value = value
      } else {
        elements[place] = value
      }
    }
    switch form {
    case .keyed: return .dictionary(NilMarker.escaped(PropertyListDictionary(sorting: entries)))
    case .unkeyed: return .array(elements)
    case .single: if let value { return value }
    // What a nested container is asked for and never used for is an empty one.
    case .undecided: if type == nil { return .dictionary([:]) }
    }
    throw EncodingError.invalidValue(
      type as Any,
      EncodingError.Context(
        codingPath: codingPath, debugDescription: "\(type.map { "\($0)" } ?? "a container") did not encode any value"))
  }
}
