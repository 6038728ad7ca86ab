// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A decoder that converts property-list values, from ``PropertyListValueEncoder`` or another source, to `Decodable`
/// values.
///
/// The decoder does not convert between kinds: it reads no string from a number, no integer from a real, and no Boolean
/// from 1. It reads a real from an integer if the conversion is exact. The options
/// ``PropertyListCodingOptions/foundation`` convert numbers as `PropertyListDecoder` does. Each error describes the coding path, the
/// expected kind, and the kind found.
///
/// ```swift
/// let profile = try PropertyListValueDecoder().decode(Profile.self, from: value)
/// ```
public struct PropertyListValueDecoder: Sendable {
  /// The forms of types that have more than one.
  public var options: PropertyListCodingOptions

  /// Creates a decoder.
  /// - Parameter options: The forms of types that have more than one.
  public init(options: PropertyListCodingOptions = PropertyListCodingOptions()) { self.options = options }

  /// Decodes a value from a property-list value.
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - value: The property-list value.
  /// - Returns: The decoded value.
  /// - Throws: `DecodingError` if the property-list value does not fit the type, and the errors of the decoded types. Decoding
  ///   more than 10,000 values, and each more than 64 times on average, is a `DecodingError` too.
  public func decode<Value: Decodable>(_ type: Value.Type, from value: PropertyListValue) throws -> Value {
    try DecodingContext(options, value).decode(type, from: value, in: nil, at: nil)
  }

  /// Decodes a value from the bytes of a property-list file.
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - data: The bytes of the file.
  ///   - limits: The limits on the input and on the values read from it.
  /// - Returns: The decoded value.
  /// - Throws: ``PropertyListError`` if the bytes are not a valid property list, and the errors of
  ///   ``decode(_:from:)``.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, limits: ReadLimits = .default
  ) throws -> Value {
    try decode(type, from: PropertyListValue(propertyList: data, limits: limits))
  }
}

/// The state that all nodes of one decoding share.
final class DecodingContext {
  let options: PropertyListCodingOptions
  private let types = CollectionTypes()
  private var stack = StackGuard()
  /// The current depth.
  private var depth = 0
  /// Whether an outer value, which will be hashed, was checked with all its contents.
  private var isInHashed = false
  private let root: PropertyListValue
  /// The number of values that were decoded.
  private var decodedCount = 0
  /// The number from which on the values in ``root`` are counted, or the decoding fails.
  private var maximumCount = 10_000

  init(_ options: PropertyListCodingOptions, _ root: PropertyListValue) {
    self.options = options
    self.root = root
  }

  /// The maximum number of times that the values are decoded, on average. An initializer that tries several types decodes
  /// its contents for each of them, so the time can double with each level.
  private static let maximumRepetition = 64

  /// Counts a value, and returns whether the number is within the limit.
  @inline(__always)
  private func count() -> Bool {
    decodedCount += 1
    return decodedCount <= maximumCount || raiseMaximumCount()
  }

  @inline(never)
  private func raiseMaximumCount() -> Bool {
    // Values that a program shares can be far more than it decodes, so no more than necessary are counted.
    let (limit, overflow) = root.valueCount(upTo: maximumCount).multipliedReportingOverflow(by: Self.maximumRepetition)
    guard overflow || limit > maximumCount else { return false }
    maximumCount = overflow ? .max : limit
    return true
  }

  func decode<Value: Decodable>(
    _ type: Value.Type, from value: PropertyListValue, in parent: ValueDecodingNode?, at key: (any CodingKey)?
  ) throws -> Value {
    if let conversion = options.conversion(for: type) { return try conversion.decode(value) }
    if isKnown(type), let known = try knownType(type, value, parent, key) { return known }
    let node = ValueDecodingNode(self, parent, key, value, type: type)
    guard count() else {
      throw node.corrupted(
        "repetition limit reached: values are decoded more than \(Self.maximumRepetition) times. Look at a key of the "
          + "value to find its type, instead of trying several types")
    }
    let wasInHashed = isInHashed
    depth += 1
    defer {
      depth -= 1
      isInHashed = wasInHashed
    }
    guard stack.hasSpace(atDepth: depth) else {
      throw node.corrupted("nesting limit reached: values nest deeper than the stack of this thread allows")
    }
    if case .array = value, !isInHashed, types.isHashed(type) {
      if let text = value.unhashableText { throw node.unhashable(text) }
      isInHashed = true
    }
    do {
      return try Value(from: node)
    } catch is ExpectsKeysAndValues {
      guard case .dictionary(let entries) = value, let dictionary = type as? any StringKeyedDictionary.Type,
        let decoded = try dictionary.decode(NilMarker.unescaped(entries, options), in: node) as? Value
      else { throw node.mismatch([Any].self, "an array") }
      return decoded
    }
  }

  /// Returns whether the decoder knows a type. Asking first saves other types an optional value, whose type must be looked up.
  @inline(__always)
  private func isKnown(_ type: Any.Type) -> Bool {
    type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Date.self
      || type == Data.self || type == URL.self || type == UUID.self || type == Decimal.self
  }

  /// Decodes a value of a type that the decoder knows. Returns nil for some values that do not fit the type.
  private func knownType<Value: Decodable>(
    _ type: Value.Type, _ value: PropertyListValue, _ parent: ValueDecodingNode?, _ key: (any CodingKey)?
  ) throws -> Value? {
    func checked<Found>(_ found: Found?, _ expected: String) throws -> Value {
      if let found, let value = reinterpreted(found, as: Value.self) { return value }
      throw ValueDecodingNode(self, parent, key, value).mismatch(type, expected)
    }
    // A mismatch returns nil: the single-value container then throws the error.
    if type == String.self, case .string(let text) = value { return reinterpreted(text, as: type) }
    if type == Int.self, case .integer(let number) = value {
      return Int(exactly: number).flatMap { reinterpreted($0, as: type) }
    }
    if type == Double.self, case .double(let number) = value { return reinterpreted(number, as: type) }
    if type == Bool.self, case .boolean(let flag) = value { return reinterpreted(flag, as: type) }
    if type == Date.self { return try checked(date(value), "a date") }
    if type == Data.self {
      if case .data(let data) = value { return reinterpreted(data, as: type) }
      return try checked(Data?.none, "data")
    }
    if type == URL.self { return try checked(URLCoding.decode(value, options), "a URL") }
    if type == UUID.self { return try checked(UUIDCoding.decode(value), "a UUID") }
    if type == Decimal.self {
      switch value {
      case .string(let text): return try checked(DecimalText.number(text), "a decimal number")
      case .integer(let number): return reinterpreted(Decimal(number), as: type)
      case .wideInteger(let high, let low):
        return try checked(DecimalText.number(WideInteger(high: high, low: low).description), "a decimal number")
      default: return nil
      }
    }
    return nil
  }

  private func date(_ value: PropertyListValue) -> Date? {
    switch (value, options.dates) {
    case (.date(let date), _): date
    case (.string(let text), .iso8601): ISODate.date(text)
    case (.double(let seconds), .secondsSince1970): Date(timeIntervalSince1970: seconds)
    case (.integer(let seconds), .secondsSince1970): Date(timeIntervalSince1970: Double(seconds))
    case (.double(let seconds), .secondsSinceReferenceDate): Date(timeIntervalSinceReferenceDate: seconds)
    case (.integer(let seconds), .secondsSinceReferenceDate): Date(timeIntervalSinceReferenceDate: Double(seconds))
    default: nil
    }
  }
}

/// The error of a node if a type requests an array and the value is a dictionary. Swift decodes a dictionary whose keys
/// are neither strings nor integers from an array of keys and values.
private struct ExpectsKeysAndValues: Error {}

/// The decoder that a type sees: one value with its coding path.
final class ValueDecodingNode: Decoder {
  let context: DecodingContext
  private let parent: ValueDecodingNode?
  private let key: (any CodingKey)?
  let value: PropertyListValue
  /// The type of the value, or nil for a nested container.
  private let type: Any.Type?

  init(
    _ context: DecodingContext, _ parent: ValueDecodingNode?, _ key: (any CodingKey)?, _ value: PropertyListValue,
    type: Any.Type? = nil
  ) {
    self.type = type
    self.context = context
    self.parent = parent
    self.key = key
    self.value = value
  }

  var codingPath: [any CodingKey] {
    sequence(first: self) { $0.parent }.compactMap(\.key).reversed()
  }

  var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }

  func nested(_ value: PropertyListValue, _ key: some CodingKey) -> ValueDecodingNode {
    ValueDecodingNode(context, self, key, value)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let entries: PropertyListDictionary
    switch value {
    case .dictionary(let found): entries = found
    // In XML files, a dictionary of this form is a UID. The encoder writes none.
    case .uid(let number): entries = PropertyListDictionary([("CF$UID", .integer(Int64(clamping: number)))])
    default: throw mismatch([String: Any].self, "a dictionary")
    }
    // The key type and Swift's dictionaries hash keys by Swift's rules.
    if let key = entries.unhashableKey { throw unhashable(key) }
    return KeyedDecodingContainer(KeyedValues<Key>(node: self, entries: NilMarker.unescaped(entries, context.options)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let elements): return UnkeyedValues(node: self, elements: elements)
    case .dictionary where type is any StringKeyedDictionary.Type: throw ExpectsKeysAndValues()
    default: throw mismatch([Any].self, "an array")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleValue(node: self) }

  // MARK: Errors

  private func context(_ description: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: description)
  }

  @inline(never)
  func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    .typeMismatch(
      type, context("type mismatch for \(type): found a value of kind \(value.kindName); expected \(expected)"))
  }

  @inline(never)
  func keyNotFound(_ key: some CodingKey) -> DecodingError {
    .keyNotFound(key, context("missing key: the dictionary has no value for '\(key.stringValue)'"))
  }

  @inline(never)
  func corrupted(_ description: String) -> DecodingError { .dataCorrupted(context(description)) }

  /// Returns the error for text that would take too long to hash.
  func unhashable(_ text: String) -> DecodingError {
    corrupted("\(MarkRun.problem(text)). Read the file with PropertyListValue(propertyList:)")
  }

  /// Returns the error for a primitive of the wrong kind, or out of range.
  @inline(never)
  func primitiveMismatch(
    _ type: Any.Type, _ expected: String, _ value: PropertyListValue, _ key: (any CodingKey)?
  ) -> DecodingError {
    let node = key.map { ValueDecodingNode(context, self, $0, value) } ?? self
    switch value {
    case .integer(let number) where type != Bool.self && type != String.self:
      return node.corrupted("out of range for \(type): found \(number)")
    case .wideInteger(let high, let low):
      return node.corrupted("out of range for \(type): found \(WideInteger(high: high, low: low))")
    default: return node.mismatch(type, expected)
    }
  }

  // MARK: Primitives

  // Compiled once for each type, and not in each of the three containers.

  @inline(never)
  func decode(_ type: Bool.Type, _ value: PropertyListValue, _ key: (any CodingKey)?) throws -> Bool {
    if let conversion = context.options.conversion(for: type) { return try conversion.decode(value) }
    if case .boolean(let value) = value { return value }
    throw primitiveMismatch(type, "a boolean", value, key)
  }

  @inline(never)
  func decode(_ type: String.Type, _ value: PropertyListValue, _ key: (any CodingKey)?) throws -> String {
    if let conversion = context.options.conversion(for: type) { return try conversion.decode(value) }
    if case .string(let value) = value { return value }
    throw primitiveMismatch(type, "a string", value, key)
  }

  @inline(never)
  func decode<Real: BinaryFloatingPoint>(
    _ type: Real.Type, _ value: PropertyListValue, _ key: (any CodingKey)?
  ) throws -> Real {
    if let conversion = context.options.conversion(for: type) { return try conversion.decode(value) }
    if case .double(let value) = value, type == Double.self { return Real(value) }
    if let value = value.real(type) { return value }
    if context.options.followsFoundation, let value = value.roundedReal(type) { return value }
    throw primitiveMismatch(type, "a number in its range", value, key)
  }

  @inline(never)
  func decode<Integer: FixedWidthInteger>(
    _ type: Integer.Type, _ value: PropertyListValue, _ key: (any CodingKey)?
  ) throws -> Integer {
    if let conversion = context.options.conversion(for: type) { return try conversion.decode(value) }
    if case .integer(let value) = value, let value = Integer(exactly: value) { return value }
    if case .wideInteger(let high, let low) = value, let value = Integer(exactly: WideInteger(high: high, low: low)) {
      return value
    }
    if context.options.followsFoundation, let value = value.wholeNumber(type) { return value }
    throw primitiveMismatch(type, "an integer in its range", value, key)
  }
}

extension PropertyListValue {
  /// Returns an integer as the nearest real, or nil for other kinds.
  fileprivate func roundedReal<Real: BinaryFloatingPoint>(_ type: Real.Type) -> Real? {
    switch self {
    case .integer(let value): Real(value)
    // PropertyListDecoder knows no integers above UInt64.max.
    case .wideInteger(high: 0, let low): Real(low)
    default: nil
    }
  }

  /// Returns a real without fraction as an integer, or nil if it is out of range.
  fileprivate func wholeNumber<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    switch self {
    case .double(let value): Integer(exactly: value)
    case .float(let value): Integer(exactly: Double(value))
    default: nil
    }
  }

  /// Returns a number as a real, or nil if it is not exact or out of range.
  ///
  /// A wider real is rounded, because XML property lists have only one width.
  @inlinable
  package func real<Real: BinaryFloatingPoint>(_ type: Real.Type) -> Real? {
    switch self {
    case .double(let value):
      let rounded = Real(value)
      return rounded.isFinite == value.isFinite ? rounded : nil
    case .float(let value): return Real(value)
    case .integer(let value): return Real(exactly: value)
    case .wideInteger(let high, let low): return Real(exactly: WideInteger(high: high, low: low))
    default: return nil
    }
  }
}

extension PropertyListValue {
  /// The number of values, with this one and those in containers, as far as it is below a limit.
  fileprivate func valueCount(upTo limit: Int) -> Int {
    var count = 0
    var pending = [self]
    while count < limit, let value = pending.popLast() {
      count += 1
      switch value {
      case .array(let elements): pending += elements
      case .dictionary(let entries): pending += entries.map(\.value)
      default: break
      }
    }
    return count
  }
}
