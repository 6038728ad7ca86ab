// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

public import PropertyListFormat

/// Encodes values straight to property-list objects: no wrapper, no bytes in between.
///
/// Booleans, numbers, texts, dates and data become the property list's own kinds, at the top as well; types become
/// dictionaries and arrays of them. Numbers that are not finite are kept as they are, integers of 64 bits without a sign
/// too. Dictionaries whose keys are enums of texts are dictionaries; sets are in an order that is always the same.
public struct UserDefaultsEncoder: Sendable {
  /// The forms of types that have several.
  public var options: DefaultsCodingOptions

  /// An encoder.
  public init(options: DefaultsCodingOptions = DefaultsCodingOptions()) { self.options = options }

  /// The property-list object for a value.
  /// - Throws: `EncodingError` for a type that encodes nothing or nests too deeply, and what the type throws.
  public func encode<Value: Encodable>(_ value: Value) throws -> PropertyListValue {
    try EncodingContext(options).encode(value, in: nil, at: nil)
  }

  /// The file of a property list that holds the value, as `PropertyListEncoder` makes it; of a dictionary or an array, for
  /// Foundation's readers take nothing else at the top.
  /// - Throws: `EncodingError` also for a value that is neither, `PropertyListError` for one that a file cannot hold.
  public func encode<Value: Encodable>(_ value: Value, as format: PropertyList.Format) throws -> Data {
    let object = try encode(value)
    switch object {
    case .array, .dictionary: return try object.propertyList(format)
    default:
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [],
          debugDescription:
            "a property list's file needs a dictionary or an array at the top, \(Value.self) was encoded as "
            + "a \(object.kindName)"))
    }
  }
}

/// What all nodes of one encoding share.
final class EncodingContext {
  let options: DefaultsCodingOptions
  private var stack = StackGuard()
  /// How deep values are nested. To find out where the stack ends takes long, and few values need so much of it.
  private var depth = 0

  init(_ options: DefaultsCodingOptions) { self.options = options }

  /// The object for a value.
  func encode<Value: Encodable>(
    _ value: Value, in parent: EncodingNode?, at key: (any CodingKey)?
  ) throws -> PropertyListValue {
    if let hook = options.hook(for: Value.self) { return try hook.encode(value) }
    if let simple = try simple(value, parent, key) { return simple }
    depth += 1
    defer { depth -= 1 }
    guard depth <= 24 || stack.isClearlySufficient || stack.hasSpace() else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: CodingSteps.path(to: parent, key), debugDescription: "values nest deeper than the stack allows"))
    }
    let node = EncodingNode(self, parent, key, Value.self)
    try value.encode(to: node)
    if node.isReplaced { return try replacement(of: value, node) }
    return try node.finished()
  }

  /// The object for a value of a type that is known here; nil for any other.
  @inline(__always)
  private func simple<Value: Encodable>(
    _ value: Value, _ parent: EncodingNode?, _ key: (any CodingKey)?
  ) throws -> PropertyListValue? {
    if Value.self == String.self, let text = value as? String { return .string(text) }
    if Value.self == Int.self, let number = value as? Int { return .integer(Int64(number)) }
    if Value.self == Double.self, let number = value as? Double { return .double(number) }
    if Value.self == Bool.self, let flag = value as? Bool { return .boolean(flag) }
    if Value.self == Date.self, let date = value as? Date { return try self.date(date, parent, key) }
    if Value.self == Data.self, let data = value as? Data { return .data(data) }
    if Value.self == URL.self, let url = value as? URL { return try URLCoding.encode(url, options.urls) }
    if Value.self == UUID.self, let id = value as? UUID {
      guard options.uuids == .data else { return .string(id.uuidString) }
      return .data(UUIDCoding.data(id))
    }
    if Value.self == Decimal.self, options.decimals == .string, let number = value as? Decimal {
      return .string(number.description)
    }
    return nil
  }

  private func date(_ date: Date, _ parent: EncodingNode?, _ key: (any CodingKey)?) throws -> PropertyListValue {
    switch options.dates {
    case .native: return .date(date)
    case .secondsSince1970: return .double(date.timeIntervalSince1970)
    case .secondsSinceReferenceDate: return .double(date.timeIntervalSinceReferenceDate)
    case .iso8601:
      guard let text = ISODate.text(date) else {
        // Not with the date itself: to print one that is no number ends the program.
        throw EncodingError.invalidValue(
          date.timeIntervalSince1970,
          EncodingError.Context(
            codingPath: CodingSteps.path(to: parent, key),
            debugDescription:
              "a date in ISO 8601 is of the years 1 to 9999, this one is \(date.timeIntervalSince1970) s "
              + "after 1970"))
      }
      return .string(text)
    }
  }

  /// The object for a collection whose own way of encoding itself loses its shape or its order.
  private func replacement<Value: Encodable>(of value: Value, _ node: EncodingNode) throws -> PropertyListValue {
    if let dictionary = value as? any TextKeyedDictionary { return try dictionary.encode(in: self, node) }
    if let unordered = value as? any UnorderedElements { return try unordered.encode(in: self, node) }
    return try node.finished()
  }
}
