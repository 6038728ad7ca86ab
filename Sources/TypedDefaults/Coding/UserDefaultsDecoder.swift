// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

public import PropertyListFormat

/// Decodes values from property-list objects, as ``UserDefaultsEncoder`` makes them or anybody else.
///
/// No value is taken for one of another kind: a number is not read as a text, a real not as an integer, 1 not as true. An
/// integer is read as a real if that holds it exactly. Errors say where in the value they happened, what was expected and
/// what was found.
public struct UserDefaultsDecoder: Sendable {
  /// The forms of types that have several.
  public var options: DefaultsCodingOptions

  /// A decoder.
  public init(options: DefaultsCodingOptions = DefaultsCodingOptions()) { self.options = options }

  /// The value of a property-list object.
  /// - Throws: `DecodingError`, and what the type throws.
  public func decode<Value: Decodable>(_ type: Value.Type, from object: PropertyListValue) throws -> Value {
    try DecodingContext(options).decode(type, from: object, in: nil, at: nil)
  }

  /// The value of a property list's file.
  /// - Throws: `PropertyListError` for bytes that are none, else what decoding an object throws.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, limits: ReadLimits = .default
  ) throws -> Value {
    try decode(type, from: PropertyListValue(propertyList: data, limits: limits))
  }
}

/// What all nodes of one decoding share.
final class DecodingContext {
  let options: DefaultsCodingOptions
  private var stack = StackGuard()
  /// How deep values are nested. To find out where the stack ends takes long, and few values need so much of it.
  private var depth = 0

  init(_ options: DefaultsCodingOptions) { self.options = options }

  /// The value of an object.
  func decode<Value: Decodable>(
    _ type: Value.Type, from object: PropertyListValue, in parent: DecodingNode?, at key: (any CodingKey)?
  ) throws -> Value {
    if let hook = options.hook(for: type) { return try hook.decode(object) }
    if let simple = try simple(type, object, parent, key) { return simple }
    let node = DecodingNode(self, parent, key, object)
    depth += 1
    defer { depth -= 1 }
    guard depth <= 24 || stack.isClearlySufficient || stack.hasSpace() else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: node.codingPath, debugDescription: "values nest deeper than the stack allows")
      )
    }
    if case .array = object, type is any HashedCollection.Type, let text = object.unhashableText {
      throw node.unhashable(text)
    }
    do {
      return try Value(from: node)
    } catch is WantsPairs {
      // A dictionary that Swift would read from an array of keys and values.
      guard case .dictionary(let entries) = object, let dictionary = type as? any TextKeyedDictionary.Type,
        let value = try dictionary.decode(NilMarker.unescaped(entries), in: node) as? Value
      else { throw node.mismatch([Any].self, "an array") }
      return value
    }
  }

  /// The value for a type that is known here; nil for any other.
  @inline(__always)
  private func simple<Value: Decodable>(
    _ type: Value.Type, _ object: PropertyListValue, _ parent: DecodingNode?, _ key: (any CodingKey)?
  ) throws -> Value? {
    func checked<Found>(_ found: Found?, _ expected: String) throws -> Value {
      if let value = found as? Value { return value }
      throw DecodingNode(self, parent, key, object).mismatch(type, expected)
    }
    // What fits is had at once; what does not, by way of the container, which says why.
    if type == String.self, case .string(let text) = object { return text as? Value }
    if type == Int.self, case .integer(let number) = object { return Int(exactly: number) as? Value }
    if type == Double.self, case .double(let number) = object { return number as? Value }
    if type == Bool.self, case .boolean(let flag) = object { return flag as? Value }
    if type == Date.self { return try checked(date(object), "a date") }
    if type == Data.self {
      if case .data(let data) = object { return try checked(data, "") }
      return try checked(Data?.none, "data")
    }
    if type == URL.self { return try checked(URLCoding.decode(object), "a URL") }
    if type == UUID.self { return try checked(UUIDCoding.decode(object), "a UUID") }
    if type == Decimal.self {
      switch object {
      case .string(let text): return try checked(DecimalText.number(text), "a decimal number")
      case .integer(let number): return try checked(Decimal(number), "")
      default: return nil
      }
    }
    return nil
  }

  private func date(_ object: PropertyListValue) -> Date? {
    switch (object, options.dates) {
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

/// A type asks for an array where there is a dictionary.
struct WantsPairs: Error {}

/// An object that is being decoded: the decoder that its type sees.
final class DecodingNode: Decoder {
  let context: DecodingContext
  private let parent: DecodingNode?
  private let key: (any CodingKey)?
  let value: PropertyListValue
  /// Whether it is a container within a value of a type, as opposed to such a value.
  private let isNested: Bool

  init(
    _ context: DecodingContext, _ parent: DecodingNode?, _ key: (any CodingKey)?, _ value: PropertyListValue,
    isNested: Bool = false
  ) {
    self.isNested = isNested
    self.context = context
    self.parent = parent
    self.key = key
    self.value = value
  }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var node: DecodingNode? = self
    while let current = node {
      if let key = current.key { path.append(key) }
      node = current.parent
    }
    return path.reversed()
  }

  var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }

  func nested(_ value: PropertyListValue, _ key: some CodingKey) -> DecodingNode {
    DecodingNode(context, self, key, value, isNested: true)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let entries) = value else { throw mismatch([String: Any].self, "a dictionary") }
    // A key's type makes of each key what it likes, and dictionaries hash them by Swift's rules.
    for entry in entries where !MarkRun.isBounded(entry.key) { throw unhashable(entry.key) }
    return KeyedDecodingContainer(KeyedValues<Key>(node: self, entries: NilMarker.unescaped(entries)))
  }

  /// The error for a text that would take too long to hash.
  func unhashable(_ text: String) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "a text to be hashed has a run of too many combining marks: found \(text.utf8.count) bytes; "
          + "expected at most \(MarkRun.longest) marks in a row. Read the value as a PropertyListValue"))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let elements): return UnkeyedValues(node: self, elements: elements)
    case .dictionary where !isNested: throw WantsPairs()
    default: throw mismatch([Any].self, "an array")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleValue(node: self) }

  // MARK: Errors

  @inline(never)
  func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    DecodingError.typeMismatch(
      type,
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "expected \(expected) for \(type), found a value of kind \(value.kindName)"))
  }

  @inline(never)
  func keyNotFound(_ key: some CodingKey) -> DecodingError {
    DecodingError.keyNotFound(
      key,
      DecodingError.Context(codingPath: codingPath, debugDescription: "there is no value for '\(key.stringValue)'"))
  }
}

/// Reading the kinds that every coder has functions of their own for.
enum Scalars {
  @inline(__always)
  static func scalar(
    _ type: Bool.Type, _ value: PropertyListValue, _ node: DecodingNode, _ key: (any CodingKey)?
  ) throws -> Bool {
    if let hook = node.context.options.hook(for: type) { return try hook.decode(value) }
    if case .boolean(let value) = value { return value }
    throw failure(type, "a boolean", value, node, key)
  }

  @inline(__always)
  static func scalar(
    _ type: String.Type, _ value: PropertyListValue, _ node: DecodingNode, _ key: (any CodingKey)?
  ) throws -> String {
    if let hook = node.context.options.hook(for: type) { return try hook.decode(value) }
    if case .string(let value) = value { return value }
    throw failure(type, "a text", value, node, key)
  }

  @inline(__always)
  static func scalar<Real: BinaryFloatingPoint>(
    _ type: Real.Type, _ value: PropertyListValue, _ node: DecodingNode, _ key: (any CodingKey)?
  ) throws -> Real {
    if let hook = node.context.options.hook(for: type) { return try hook.decode(value) }
    if case .double(let value) = value, type == Double.self { return Real(value) }
    if let value = real(type, value) { return value }
    throw failure(type, "a number that it holds", value, node, key)
  }

  @inline(__always)
  static func scalar<Integer: FixedWidthInteger>(
    _ type: Integer.Type, _ value: PropertyListValue, _ node: DecodingNode, _ key: (any CodingKey)?
  ) throws -> Integer {
    if let hook = node.context.options.hook(for: type) { return try hook.decode(value) }
    if case .integer(let value) = value, let value = Integer(exactly: value) { return value }
    if case .wideInteger(let value) = value, let value = Integer(exactly: value) { return value }
    throw failure(type, "an integer that it holds", value, node, key)
  }

  /// A number as a real: an integer only if nothing of it is lost, a longer real rounded, for an XML file has but one.
  static func real<Real: BinaryFloatingPoint>(_ type: Real.Type, _ value: PropertyListValue) -> Real? {
    switch value {
    case .double(let value):
      let rounded = Real(value)
      return rounded.isFinite == value.isFinite ? rounded : nil
    case .float(let value): return Real(value)
    case .integer(let value): return Real(exactly: value)
    case .wideInteger(let value): return Real(exactly: value)
    default: return nil
    }
  }

  @inline(never)
  static func failure(
    _ type: Any.Type, _ expected: String, _ value: PropertyListValue, _ node: DecodingNode, _ key: (any CodingKey)?
  ) -> DecodingError {
    let place = key.map { node.nested(value, $0) } ?? node
    switch value {
    case .integer(let number):
      guard type != Bool.self, type != String.self else { break }
      return outOfRange(type, "\(number)", place)
    case .wideInteger(let number): return outOfRange(type, "\(number)", place)
    default: break
    }
    return place.mismatch(type, expected)
  }

  private static func outOfRange(_ type: Any.Type, _ number: String, _ place: DecodingNode) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: place.codingPath, debugDescription: "\(type) does not hold \(number)"))
  }
}

extension DecodingNode {
  fileprivate func nested(_ value: PropertyListValue, _ key: any CodingKey) -> DecodingNode {
    DecodingNode(context, self, key, value)
  }
}
