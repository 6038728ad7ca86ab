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
/// whose keys are an enumeration of strings becomes a dictionary, and a set becomes an array in a deterministic order.
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
    try EncodingContext(options).encode(value, in: nil, at: nil)
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
    let encoded = try encode(value)
    switch encoded {
    case .array, .dictionary: return try encoded.propertyList(format)
    default:
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [],
          debugDescription:
            "invalid top-level value: \(Value.self) was encoded as \(encoded.kindName); expected a dictionary or an "
            + "array. Encode the value inside of an array"))
    }
  }
}

/// The state that all nodes of one encoding share.
final class EncodingContext {
  let options: PropertyListCodingOptions
  private var stack = StackGuard()
  /// The current depth. Checking the stack is expensive, and few values nest deeply enough to need it.
  private var depth = 0

  init(_ options: PropertyListCodingOptions) { self.options = options }

  func encode<Value: Encodable>(
    _ value: Value, in parent: ValueEncodingNode?, at key: (any CodingKey)?
  ) throws -> PropertyListValue {
    if let conversion = options.conversion(for: Value.self) { return try conversion.encode(value) }
    if let known = try knownType(value, parent, key) { return known }
    depth += 1
    defer { depth -= 1 }
    guard depth <= 24 || stack.isClearlySufficient || stack.hasSpace() else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: CodingSteps.path(to: parent, key),
          debugDescription: "nesting limit reached: values nest deeper than the stack of this thread allows"))
    }
    let node = ValueEncodingNode(self, parent, key, Value.self)
    try value.encode(to: node)
    if node.isReplaced { return try replacement(of: value, node) }
    return try node.finished()
  }

  /// Encodes a value of a type that the encoder knows. Returns nil for all other types.
  @inline(__always)
  private func knownType<Value: Encodable>(
    _ value: Value, _ parent: ValueEncodingNode?, _ key: (any CodingKey)?
  ) throws -> PropertyListValue? {
    if Value.self == String.self, let text = value as? String { return .string(text) }
    if Value.self == Int.self, let number = value as? Int { return .integer(Int64(number)) }
    if Value.self == Double.self, let number = value as? Double { return .double(number) }
    if Value.self == Bool.self, let flag = value as? Bool { return .boolean(flag) }
    if Value.self == Date.self, let date = value as? Date { return try self.date(date, parent, key) }
    if Value.self == Data.self, let data = value as? Data { return .data(data) }
    if Value.self == URL.self, let url = value as? URL { return try options.urls.encode(url) }
    if Value.self == UUID.self, let id = value as? UUID {
      return options.uuids == .data ? .data(UUIDCoding.data(id)) : .string(id.uuidString)
    }
    if Value.self == Decimal.self, options.decimals == .string, let number = value as? Decimal {
      return .string(number.description)
    }
    return nil
  }

  private func date(_ date: Date, _ parent: ValueEncodingNode?, _ key: (any CodingKey)?) throws -> PropertyListValue {
    switch options.dates {
    case .native: return .date(date)
    case .secondsSince1970: return .double(date.timeIntervalSince1970)
    case .secondsSinceReferenceDate: return .double(date.timeIntervalSinceReferenceDate)
    case .iso8601:
      guard let text = ISODate.text(date) else {
        // The error holds the seconds, because printing a date that is NaN traps.
        throw EncodingError.invalidValue(
          date.timeIntervalSince1970,
          EncodingError.Context(
            codingPath: CodingSteps.path(to: parent, key),
            debugDescription: "unsupported ISO 8601 date: found \(date.timeIntervalSince1970) s after 1970; expected a "
              + "date in the years 1 to 9999. Choose another form for dates (options.dates)"))
      }
      return .string(text)
    }
  }

  /// Encodes a collection whose own `encode(to:)` would lose its keys or give an order that differs from run to run.
  private func replacement<Value: Encodable>(of value: Value, _ node: ValueEncodingNode) throws -> PropertyListValue {
    if !options.followsFoundation, let dictionary = value as? any StringKeyedDictionary {
      return try dictionary.encode(in: self, node)
    }
    if let unordered = value as? any UnorderedCollection { return try unordered.encode(in: self, node) }
    return try node.finished()
  }
}
