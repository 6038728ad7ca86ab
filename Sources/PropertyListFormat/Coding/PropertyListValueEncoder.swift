// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An encoder that converts `Encodable` values to property-list values, without bytes in between.
///
/// Booleans, numbers, strings, dates and data become the property list's own kinds, also at the top level. Other types
/// become dictionaries and arrays. The encoder keeps NaN, infinities, and unsigned integers of 64 bits. A dictionary
/// whose keys are an enumeration of strings becomes a dictionary, and a set becomes an array in a deterministic order. That
/// needs the value itself. A type that calls `set.encode(to: encoder)` gets an array in the order of the set, and from such
/// a dictionary alternating keys and values. Call `container.encode(_:)` with the collection in its place.
///
/// A type requests one kind of container of its encoder: keyed, unkeyed, or for one single value. Where `JSONEncoder` and
/// `PropertyListEncoder` trap, this encoder throws `EncodingError`.
///
/// ```swift
/// let value = try PropertyListValueEncoder().encode(profile)
/// let file = try PropertyListValueEncoder().encode(profile, as: .xml)
/// ```
public struct PropertyListValueEncoder: Sendable {
  /// The forms of types that have more than one.
  public var options: PropertyListCodingOptions

  /// Creates an encoder.
  /// - Parameter options: The forms of types that have more than one.
  public init(options: PropertyListCodingOptions = PropertyListCodingOptions()) { self.options = options }

  /// Encodes a value as a property-list value.
  /// - Parameter value: The value to encode.
  /// - Returns: The property-list value.
  /// - Throws: `EncodingError` if a type encodes nothing, uses several kinds of containers of one encoder, or nests too
  ///   deeply. Errors of the encoded types.
  public func encode<Value: Encodable>(_ value: Value) throws -> PropertyListValue {
    let context = EncodingContext(options, sharesContents: false)
    return try context.value(context.encodeTop(value))
  }

  /// Encodes a value as the bytes of a property-list file, as `PropertyListEncoder` does.
  /// - Parameters:
  ///   - value: The value to encode. It must become a dictionary or an array, because Foundation's readers accept no
  ///     other value at the top level.
  ///   - format: The file format.
  /// - Returns: The bytes of the file.
  /// - Throws: The errors of ``encode(_:)``, `EncodingError` if the value is neither a dictionary nor an array, and
  ///   ``PropertyListError`` if the format cannot hold it.
  public func encode<Value: Encodable>(_ value: Value, as format: PropertyList.Format) throws -> Data {
    let context = EncodingContext(options, sharesContents: format == .binary)
    let encoded = try context.encodeTop(value)
    switch encoded.kind {
    case .array, .dictionary: return try context.storage.state.data(top: encoded, format, .none)
    default:
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [],
          debugDescription:
            "invalid top-level value: \(Value.self) was encoded as \(try context.value(encoded).kindName); expected a "
            + "dictionary or an array. Encode the value inside of an array"))
    }
  }
}

/// The state that all nodes of one encoding share.
final class EncodingContext {
  typealias Cell = EncodedValues.Cell

  /// The state of the recursion.
  private struct State {
    var stack = StackGuard()
    var depth = 0
    /// Nodes of finished values. An array needs one for all of its elements.
    var idleNodes: [ValueEncodingNode] = []
  }

  let options: PropertyListCodingOptions
  let types = CollectionTypes()
  /// The finished values.
  let storage: EncoderStorage<EncodedValues>
  private let own = EncoderStorage(State())

  init(_ options: PropertyListCodingOptions, sharesContents: Bool) {
    self.options = options
    storage = EncoderStorage(EncodedValues(sharesContents: sharesContents))
  }

  /// Encodes the value at the top level.
  func encodeTop<Value: Encodable>(_ value: Value) throws -> Cell {
    // The nodes refer to the context.
    defer { own.state.idleNodes = [] }
    return try encode(value, in: nil, at: nil)
  }

  /// Returns a finished value as a ``PropertyListValue``.
  func value(_ cell: Cell) throws -> PropertyListValue {
    var stack = StackGuard()
    return try storage.state.value(cell, &stack)
  }

  /// Adds a value.
  func add(_ value: PropertyListValue) throws -> Cell {
    var stack = StackGuard()
    return try storage.state.add(value, &stack)
  }

  /// Adds a string.
  @inline(__always)
  func add(_ text: String) -> Cell { storage.state.add(text) }

  /// Adds data.
  func add(_ data: Data) -> Cell { storage.state.add(data) }

  /// Adds an unsigned integer of 64 bits.
  func unsigned(_ value: UInt64) throws -> Cell {
    if let value = Int64(exactly: value) { return Cell(value) }
    return storage.state.add(WideInteger(value))
  }

  /// Adds an integer of 128 bits.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func wide(_ value: Int128) throws -> Cell { try add(PropertyListValue(value)) }

  /// Adds an array of the values in each group, with the groups in the order of their first values.
  func sortedArray(_ groups: [[Cell]]) throws -> Cell {
    let sorted = try groups.map { (try value($0[0]), $0) }.sorted { $0.0.precedes($1.0) }
    return try storage.state.addArray(ContiguousArray(sorted.flatMap(\.1)))
  }

  func encode<Value: Encodable>(
    _ value: Value, in parent: ValueEncodingNode?, at key: (any CodingKey)?, index: Int? = nil
  ) throws -> Cell {
    if let conversion = options.conversion(for: Value.self) {
      return try add(conversion.encode(value))
    }
    if let known = try knownType(value, parent, key, index) { return known }
    own.state.depth += 1
    defer { own.state.depth -= 1 }
    guard own.state.stack.hasSpace(atDepth: own.state.depth) else {
      throw Self.tooDeep(value, CodingSteps.path(to: parent, key, index))
    }
    var node = node(parent, key, index, Value.self)
    let cell: Cell
    do {
      // A value can keep its encoder, but must not change others with it.
      defer { node.releaseNested() }
      try value.encode(to: node)
      cell = node.isReplaced ? try replacement(of: value, node) : try node.finished()
    }
    if isKnownUniquelyReferenced(&node) {
      node.retire()
      own.state.idleNodes.append(node)
    }
    return cell
  }

  /// Whether the stack of this thread has space for another level of nested containers.
  var hasSpace: Bool { own.state.stack.hasSpace() }

  static func tooDeep(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
    .invalidValue(
      value,
      EncodingError.Context(
        codingPath: path,
        debugDescription: "nesting limit reached: values nest deeper than the stack of this thread allows"))
  }

  private func node(
    _ parent: ValueEncodingNode?, _ key: (any CodingKey)?, _ index: Int?, _ type: Any.Type
  ) -> ValueEncodingNode {
    guard let node = own.state.idleNodes.popLast() else { return ValueEncodingNode(self, parent, key, index, type) }
    node.reset(parent, key, index, type)
    return node
  }

  /// Encodes a value of a type that the encoder knows. Returns nil for all other types.
  @inline(__always)
  private func knownType<Value: Encodable>(
    _ value: Value, _ parent: ValueEncodingNode?, _ key: (any CodingKey)?, _ index: Int?
  ) throws -> Cell? {
    if let text = reinterpreted(value, as: String.self) { return add(text) }
    if let number = reinterpreted(value, as: Int.self) { return Cell(Int64(number)) }
    if let number = reinterpreted(value, as: Double.self) { return Cell(number) }
    if let flag = reinterpreted(value, as: Bool.self) { return Cell(flag) }
    if let date = reinterpreted(value, as: Date.self) { return try self.date(date, parent, key, index) }
    if let data = reinterpreted(value, as: Data.self) { return add(data) }
    if let url = reinterpreted(value, as: URL.self) { return try add(options.urls.encode(url)) }
    if let id = reinterpreted(value, as: UUID.self) {
      return options.uuids == .data ? add(UUIDCoding.data(id)) : add(id.uuidString)
    }
    if options.decimals == .string, let number = reinterpreted(value, as: Decimal.self) {
      return add(number.description)
    }
    return nil
  }

  private func date(
    _ date: Date, _ parent: ValueEncodingNode?, _ key: (any CodingKey)?, _ index: Int?
  ) throws -> Cell {
    switch options.dates {
    case .native: return Cell(date)
    case .secondsSince1970: return Cell(date.timeIntervalSince1970)
    case .secondsSinceReferenceDate: return Cell(date.timeIntervalSinceReferenceDate)
    case .iso8601:
      guard let text = ISODate.text(date) else {
        // The error holds the seconds, because printing a date that is NaN traps.
        throw EncodingError.invalidValue(
          date.timeIntervalSince1970,
          EncodingError.Context(
            codingPath: CodingSteps.path(to: parent, key, index),
            debugDescription: "unsupported ISO 8601 date: found \(date.timeIntervalSince1970) s after 1970; expected a "
              + "date in the years 1 to 9999. Choose another form for dates (options.dates)"))
      }
      return add(text)
    }
  }

  /// Encodes a collection whose own `encode(to:)` would lose its keys or give an order that differs from run to run.
  private func replacement<Value: Encodable>(of value: Value, _ node: ValueEncodingNode) throws -> Cell {
    if !options.followsFoundation, let dictionary = value as? any StringKeyedDictionary {
      return try dictionary.encode(in: self, node)
    }
    if let unordered = value as? any UnorderedCollection { return try unordered.encode(in: self, node) }
    return try node.finished()
  }
}
