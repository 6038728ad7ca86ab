// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Coding keys for steps that do not belong to a type.
enum CodingSteps {
  /// An index in an array, or the key of a superclass or of a dictionary's value.
  ///
  /// Most steps are never printed, so the text of an index is created on request.
  enum Step: CodingKey {
    case index(Int)
    case named(String)

    init(stringValue: String) { self = .named(stringValue) }

    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
      switch self {
      case .index(let index): "Index \(index)"
      case .named(let name): name
      }
    }

    var intValue: Int? {
      switch self {
      case .index(let index): index
      case .named: nil
      }
    }

    static let `super` = Step.named("super")
  }

  /// Returns the path to a value in a node.
  static func path(to node: ValueEncodingNode?, _ key: (any CodingKey)?, _ index: Int?) -> [any CodingKey] {
    (node?.codingPath ?? []) + (key.map { [$0] } ?? index.map { [Step.index($0)] } ?? [])
  }
}

/// The encoder that a value sees, with the values that it encoded.
final class ValueEncodingNode: Encoder {
  typealias Cell = EncodedValues.Cell

  enum Form {
    case undecided, single, keyed, unkeyed
  }

  private struct State {
    var parent: ValueEncodingNode?
    /// The key or index of the value in its parent.
    var key: (any CodingKey)?
    var index: Int?
    /// The type of the value; nil for a nested container.
    var type: Any.Type?
    var form = Form.undecided
    /// The kind of container that was requested after one of another kind.
    var conflict: Form?
    /// The values from the containers.
    var cells: ContiguousArray<Cell> = []
    var layout = KeyLayout()
    /// Nested containers with their positions. They are complete only when this node is.
    var nested: [(index: Int, node: ValueEncodingNode)] = []
    /// The indexes in ``nested`` of the containers with a key.
    var nestedKeys: [BytewiseString: Int] = [:]
    /// Whether the context encodes the collection in another form, so the node ignores the encoded values.
    var isReplaced = false

    init(_ parent: ValueEncodingNode?, _ key: (any CodingKey)?, _ index: Int?, _ type: Any.Type?) {
      self.parent = parent
      self.key = key
      self.index = index
      self.type = type
    }

    /// The entry of a dictionary with one key, if the key may need another form. A type can encode a value for the key
    /// repeatedly; the last one counts.
    var onlyEntry: (key: String, cell: Cell)? {
      // The keys that need another form begin with this character.
      guard let cell = cells.last, let key = layout.firstName, key.utf8.first == UInt8(ascii: "$"),
        layout.hasOneName(among: cells.count)
      else { return nil }
      return (key, cell)
    }

    /// A type can request its container repeatedly, but only one kind of container. The request cannot throw, so
    /// ``finished()`` throws the error.
    mutating func begin(_ form: Form) {
      if self.form == .undecided { self.form = form }
      if self.form != form, conflict == nil { conflict = form }
    }

    @inline(__always)
    mutating func addDictionary(to values: inout EncodedValues) throws(PropertyListError) -> Cell {
      try layout.addDictionary(cells, to: &values)
    }
  }

  let context: EncodingContext
  private let storage: EncoderStorage<State>

  init(
    _ context: EncodingContext, _ parent: ValueEncodingNode?, _ key: (any CodingKey)?, _ index: Int?, _ type: Any.Type?
  ) {
    self.context = context
    storage = EncoderStorage(State(parent, key, index, type))
  }

  /// The number of values.
  var count: Int { storage.state.cells.count }
  /// Whether the context encodes the collection in another form.
  var isReplaced: Bool { storage.state.isReplaced }

  /// Releases the nested containers of a node, and those in them. They refer to the nodes around them.
  func releaseNested() {
    var removed = takeNested()
    while let node = removed.popLast() {
      removed += node.takeNested()
      node.retire()
    }
  }

  private func takeNested() -> [ValueEncodingNode] {
    let taken = storage.state.nested
    guard !taken.isEmpty else { return [] }
    storage.state.nested = []
    storage.state.nestedKeys = [:]
    return taken.map(\.node)
  }

  /// Releases what a finished node refers to. A key of the caller can have a `deinit`, which must not run during an access
  /// to the state.
  func retire() {
    let removed = (storage.state.parent, storage.state.key)
    storage.state.parent = nil
    storage.state.key = nil
    withExtendedLifetime(removed) {}
  }

  /// Makes a retired node that of another value. It keeps its memory and its layout of keys.
  func reset(_ parent: ValueEncodingNode?, _ key: (any CodingKey)?, _ index: Int?, _ type: Any.Type?) {
    storage.state.parent = parent
    if let key { storage.state.key = key }
    storage.state.index = index
    storage.state.type = type
    storage.state.form = .undecided
    storage.state.conflict = nil
    storage.state.isReplaced = false
    storage.state.cells.removeAll(keepingCapacity: true)
  }

  /// The last step of the coding path.
  private var step: (any CodingKey)? { storage.state.key ?? storage.state.index.map { CodingSteps.Step.index($0) } }

  var codingPath: [any CodingKey] {
    sequence(first: self) { $0.storage.state.parent }.compactMap(\.step).reversed()
  }

  var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    storage.state.begin(.keyed)
    return KeyedEncodingContainer(KeyedNode<Key>(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if storage.state.form == .undecided, let type = storage.state.type, context.types.isReplaced(type) {
      storage.state.isReplaced = true
    }
    storage.state.begin(.unkeyed)
    return UnkeyedNode(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleNode(node: self) }

  // MARK: Values from containers

  @inline(__always)
  func set(_ key: some CodingKey, _ cell: Cell) {
    // After an error, a node can have values of two forms.
    guard storage.state.form == .keyed else { return }
    let name = key.stringValue
    storage.state.layout.expect(name, at: count)
    storage.state.cells.append(cell)
  }

  @inline(__always)
  func append(_ cell: Cell) {
    guard !isReplaced, storage.state.form == .unkeyed else { return }
    storage.state.cells.append(cell)
  }

  func put(_ cell: Cell) throws {
    guard storage.state.form == .undecided else { throw conflict(.single) }
    storage.state.form = .single
    storage.state.cells.append(cell)
  }

  /// Returns the error for a second kind of container, or a second single value.
  private func conflict(_ form: Form) -> EncodingError {
    let first = storage.state.form
    let problem =
      form == first
      ? "a second single value was encoded" : "conflicting containers: requested '\(form)' after '\(first)'"
    return error(valueOfErrors, "\(problem). Request one kind of container per encoder")
  }

  func encode<Value: Encodable>(_ value: Value, at key: some CodingKey) throws -> Cell {
    try context.encode(value, in: self, at: key)
  }

  /// Encodes the next element of an array.
  func encodeNext<Value: Encodable>(_ value: Value) throws -> Cell {
    try context.encode(value, in: self, at: nil, index: count)
  }

  func encodeSingle<Value: Encodable>(_ value: Value) throws {
    try put(context.encode(value, in: self, at: nil))
  }

  // MARK: Primitives from containers, which can have conversions of the caller

  /// Returns the result of a conversion of the caller for a primitive, or nil without such a conversion.
  @inline(__always)
  func converted<Value>(_ value: Value) throws -> Cell? {
    try context.options.conversion(for: Value.self).map { try context.add($0.encode(value)) }
  }

  @inline(__always)
  func set<Value>(_ key: some CodingKey, _ value: Value, _ encoded: @autoclosure () throws -> Cell) throws {
    set(key, try converted(value) ?? encoded())
  }

  @inline(__always)
  func append<Value>(_ value: Value, _ encoded: @autoclosure () throws -> Cell) throws {
    append(try converted(value) ?? encoded())
  }

  @inline(__always)
  func put<Value>(_ value: Value, _ encoded: @autoclosure () throws -> Cell) throws {
    try put(converted(value) ?? encoded())
  }

  /// Returns the nested container for a key. All requests for one key, such as those of a class and its superclass, get the
  /// same container.
  func nestedNode(_ form: Form, _ key: some CodingKey) -> ValueEncodingNode {
    let name = storage.state.form == .keyed && form != .undecided ? BytewiseString(key.stringValue) : nil
    if let name, let place = storage.state.nestedKeys[name] {
      let node = storage.state.nested[place].node
      node.storage.state.begin(form)
      return node
    }
    let node = ValueEncodingNode(context, self, key, nil, nil)
    node.storage.state.form = form
    let index = count
    if storage.state.form == .keyed { set(key, Cell(false)) } else { append(Cell(false)) }
    if count > index {
      if let name { storage.state.nestedKeys[name] = storage.state.nested.count }
      storage.state.nested.append((index, node))
    }
    return node
  }

  /// The value that errors name: the type, because the node does not have the value itself. For a nested container and a
  /// super encoder, which have no type, it is that of the node.
  private var valueOfErrors: Any { storage.state.type ?? Self.self }

  private func error(_ value: Any, _ description: String) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: description))
  }

  /// Encodes an unsigned integer of 128 bits.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func wide(_ value: UInt128) throws -> Cell {
    if let value = PropertyListValue(exactly: value) { return try context.add(value) }
    throw error(value, "integer out of range: found \(value); expected at most \(Int128.max)")
  }

  /// Returns the stored form of nil, or nil if the container omits it.
  func null(in form: Form) throws -> Cell? {
    switch context.options.nils {
    case .marker: return try context.add(NilMarker.value)
    case .text: return context.add(NilMarker.text)
    case .omitted:
      guard form != .keyed else { return nil }
      let place = form == .single ? "a single value is not omitted" : "an array cannot omit it"
      throw error(Any?.none as Any, "unsupported nil: \(place). Choose another form for nil (options.nils)")
    }
  }

  /// Returns the encoded value.
  func finished() throws -> Cell {
    if let conflict = storage.state.conflict { throw self.conflict(conflict) }
    for (index, node) in storage.state.nested {
      guard context.hasSpace else { throw EncodingContext.tooDeep(valueOfErrors, codingPath) }
      let cell = try node.finished()
      storage.state.cells[index] = cell
    }
    let type = storage.state.type
    switch storage.state.form {
    case .keyed:
      if let entry = storage.state.onlyEntry, let key = NilMarker.escaped(entry.key, entry.cell, context.options) {
        return try context.storage.state.addDictionary([(key, entry.cell)])
      }
      return try storage.state.addDictionary(to: &context.storage.state)
    case .unkeyed: return try context.storage.state.addArray(storage.state.cells)
    case .single: return storage.state.cells[0]
    // A nested container that was requested but never used is empty.
    case .undecided:
      if type == nil || context.options.followsFoundation && storage.state.parent != nil {
        return try context.storage.state.addDictionary([])
      }
    }
    throw error(
      valueOfErrors,
      "missing value: \(type.map { "\($0)" } ?? "a container") encoded nothing. Encode a value or request a container "
        + "in encode(to:)")
  }
}
