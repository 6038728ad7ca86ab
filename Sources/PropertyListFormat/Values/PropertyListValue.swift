// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A property list as one value, with its containers nested.
///
/// The cases are the kinds of the file format, so that no information is lost between a value and its file. A 4-byte
/// real stays one, and so does an integer that needs 16 bytes. Two values are equal if their kinds and all their bits
/// are equal. NaN equals itself, 0.0 differs from -0.0, and strings are compared by their bytes.
///
/// ```swift
/// let value: PropertyListValue = ["name": "Ada", "age": 36]
/// let file = try value.propertyList(.xml)
/// let copy = try PropertyListValue(propertyList: file)
/// ```
///
/// Use ``PropertyList`` to read single objects of a large file, or to keep shared and null objects.
public enum PropertyListValue: Sendable {
  /// A Boolean.
  case boolean(Bool)
  /// An integer.
  case integer(Int64)
  /// An integer outside of the range of `Int64`, as the two words of 128 bits in two's complement.
  ///
  /// Its value is `high` · 2^64 + `low`.
  indirect case wideInteger(high: Int64, low: UInt64)
  /// A 4-byte real.
  case float(Float)
  /// An 8-byte real.
  case double(Double)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A string.
  case string(String)
  /// A UID, which only files contain. The encoder never creates one.
  case uid(UInt64)
  /// An array.
  case array([PropertyListValue])
  /// A dictionary.
  case dictionary(PropertyListDictionary)

  /// Creates an integer.
  /// - Parameter value: An unsigned integer of 64 bits.
  public init(_ value: UInt64) { self.init(WideInteger(value)) }

  /// Creates an integer from one of up to 128 bits.
  package init(_ value: WideInteger) {
    self = Int64(exactly: value).map(Self.integer) ?? .wideInteger(high: value.high, low: value.low)
  }

  /// Creates an integer from one of any type, if it needs at most 128 bits.
  /// - Parameter value: An integer of any type.
  public init?(exactly value: some BinaryInteger) {
    guard let value = WideInteger(exactly: value) else { return nil }
    self.init(value)
  }
}

extension PropertyListValue: Hashable {
  /// Returns whether two values have the same kind and the same bits.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether the values are equal.
  public static func == (a: Self, b: Self) -> Bool {
    var deeper: [(Self, Self)] = []
    var areEqual = isEqual(a, b, depth: 0, &deeper)
    while areEqual, let (a, b) = deeper.popLast() { areEqual = isEqual(a, b, depth: 0, &deeper) }
    return areEqual
  }

  /// The depth up to which functions are recursive. A file can nest more deeply than the stack of a thread allows.
  private static let recursiveDepth = 24

  /// Returns whether two values are equal, except for containers below the recursive depth, which it adds to `deeper`.
  private static func isEqual(_ a: Self, _ b: Self, depth: Int, _ deeper: inout [(Self, Self)]) -> Bool {
    switch (a, b) {
    case (.boolean(let x), .boolean(let y)): return x == y
    case (.integer(let x), .integer(let y)): return x == y
    case (.wideInteger(let x, let a), .wideInteger(let y, let b)): return x == y && a == b
    case (.float(let x), .float(let y)): return x.bitPattern == y.bitPattern
    case (.double(let x), .double(let y)): return x.bitPattern == y.bitPattern
    case (.date(let x), .date(let y)):
      return x.timeIntervalSinceReferenceDate.bitPattern == y.timeIntervalSinceReferenceDate.bitPattern
    case (.data(let x), .data(let y)): return x.hasSameBytes(as: y)
    case (.string(let x), .string(let y)): return x.hasSameBytes(as: y)
    case (.uid(let x), .uid(let y)): return x == y
    case (.array(let x), .array(let y)):
      guard x.count == y.count else { return false }
      if x.isCopy(of: y) { return true }
      guard depth < recursiveDepth else {
        deeper.append((a, b))
        return true
      }
      for index in x.indices where !isEqual(x[index], y[index], depth: depth &+ 1, &deeper) { return false }
      return true
    case (.dictionary(let x), .dictionary(let y)):
      guard x.count == y.count else { return false }
      if x.isCopy(of: y) { return true }
      guard depth < recursiveDepth else {
        deeper.append((a, b))
        return true
      }
      for index in x.indices {
        guard x[index].key.hasSameBytes(as: y[index].key) else { return false }
        guard isEqual(x[index].value, y[index].value, depth: depth &+ 1, &deeper) else { return false }
      }
      return true
    default: return false
    }
  }

  /// Hashes the kind and the bits.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    var deeper: [Self] = []
    hash(into: &hasher, depth: 0, &deeper)
    while let value = deeper.popLast() { value.hash(into: &hasher, depth: 0, &deeper) }
  }

  /// Hashes the value, except for containers below the recursive depth, which it adds to `deeper`.
  private func hash(into hasher: inout Hasher, depth: Int, _ deeper: inout [Self]) {
    hasher.combine(rank)
    switch self {
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .wideInteger(let high, let low): hasher.combine(WideInteger(high: high, low: low))
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value): hasher.combine(FullyHashedData(value))
    case .string(let value): hasher.combine(BytewiseString(value))
    case .uid(let value): hasher.combine(value)
    case .array where depth == Self.recursiveDepth, .dictionary where depth == Self.recursiveDepth: deeper.append(self)
    case .array(let elements):
      hasher.combine(elements.count)
      for element in elements { element.hash(into: &hasher, depth: depth &+ 1, &deeper) }
    case .dictionary(let entries):
      hasher.combine(entries.count)
      for entry in entries {
        hasher.combine(BytewiseString(entry.key))
        entry.value.hash(into: &hasher, depth: depth &+ 1, &deeper)
      }
    }
  }
}

extension PropertyListValue {
  /// The position of the kind in the deterministic order of values.
  private var rank: Int {
    switch self {
    case .boolean: 0
    case .integer: 1
    case .wideInteger: 2
    case .float: 3
    case .double: 4
    case .date: 5
    case .data: 6
    case .string: 7
    case .uid: 8
    case .array: 9
    case .dictionary: 10
    }
  }

  private static let kindNames = [
    "boolean", "integer", "integer", "real", "real", "date", "data", "string", "uid", "array", "dictionary",
  ]

  /// The name of the kind, as error messages use it.
  public var kindName: String { Self.kindNames[rank] }

  /// The value in an error message, without the content of strings and data, which may be private.
  package var shortDescription: String {
    switch self {
    case .boolean, .integer, .wideInteger, .float, .double: "the \(kindName) \(self)"
    case .array(let elements): "an array of \(elements.count)"
    case .dictionary(let entries): "a dictionary of \(entries.count)"
    default: "a value of kind \(kindName)"
    }
  }

  /// Returns whether the value comes before another one in an order that is the same in each run.
  func precedes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.boolean(let x), .boolean(let y)): !x && y
    case (.integer(let x), .integer(let y)): x < y
    case (.wideInteger(let x, let a), .wideInteger(let y, let b)): (x, a) < (y, b)
    case (.float(let x), .float(let y)): Self.precedes(Double(x), Double(y))
    case (.double(let x), .double(let y)): Self.precedes(x, y)
    case (.date(let x), .date(let y)):
      Self.precedes(x.timeIntervalSinceReferenceDate, y.timeIntervalSinceReferenceDate)
    case (.data(let x), .data(let y)): x.lexicographicallyPrecedes(y)
    case (.string(let x), .string(let y)): x.bytesPrecede(y)
    case (.uid(let x), .uid(let y)): x < y
    case (.array(let x), .array(let y)): x.lexicographicallyPrecedes(y) { $0.precedes($1) }
    case (.dictionary(let x), .dictionary(let y)):
      x.lexicographicallyPrecedes(y) { a, b in
        a.key.hasSameBytes(as: b.key) ? a.value.precedes(b.value) : a.key.bytesPrecede(b.key)
      }
    default: rank < other.rank
    }
  }

  private static func precedes(_ a: Double, _ b: Double) -> Bool {
    guard a.isNaN == b.isNaN else { return b.isNaN }
    return a == b || a.isNaN ? a.bitPattern < b.bitPattern : a < b
  }

  /// Returns the first dictionary key that satisfies a condition. Strings are searched too unless `keysOnly` is true.
  private func firstText(keysOnly: Bool, where condition: (String) -> Bool) -> String? {
    var stack = [self]
    while let value = stack.popLast() {
      switch value {
      case .string(let text): if !keysOnly, condition(text) { return text }
      case .array(let elements): stack += elements
      case .dictionary(let entries):
        for entry in entries {
          if condition(entry.key) { return entry.key }
          stack.append(entry.value)
        }
      default: break
      }
    }
    return nil
  }

  /// A string or key in the value with too many combining marks in a row to be hashed by Swift's rules.
  var unhashableText: String? { firstText(keysOnly: false) { !MarkRun.isBounded($0) } }

  /// A key in the value with too many combining marks in a row to be hashed by Swift's rules.
  package var unhashableKey: String? { firstText(keysOnly: true) { !MarkRun.isBounded($0) } }
}

extension PropertyListValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a Boolean from a literal.
  /// - Parameter value: The Boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Creates an integer from a literal.
  /// - Parameter value: The integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates an 8-byte real from a literal.
  /// - Parameter value: The real.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a string from a literal.
  /// - Parameter value: The string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array from a literal.
  /// - Parameter elements: The elements.
  public init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }
  /// Creates a dictionary from a literal.
  /// - Parameter elements: The keys and values. If keys are equal, the last one counts.
  public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
    self = .dictionary(PropertyListDictionary(elements))
  }
}

extension PropertyListValue: CustomStringConvertible {
  /// The value as text, similar to a Swift literal.
  public var description: String {
    var text = ""
    // Not recursive, because a file can nest more deeply than the stack of a thread allows.
    var rest: [(text: String, value: Self?)] = [("", self)]
    while let (before, value) = rest.popLast() {
      text += before
      switch value {
      case .array(let elements)? where !elements.isEmpty:
        rest.append(("]", nil))
        for (index, element) in elements.enumerated().reversed() { rest.append((index == 0 ? "[" : ", ", element)) }
      case .dictionary(let entries)? where !entries.isEmpty:
        rest.append(("]", nil))
        for (index, entry) in entries.enumerated().reversed() {
          rest.append(("\(index == 0 ? "[" : ", ")\"\(entry.key)\": ", entry.value))
        }
      default: text += value?.leafDescription ?? ""
      }
    }
    return text
  }

  /// The text of a value that has no elements.
  private var leafDescription: String {
    switch self {
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .wideInteger(let high, let low): "\(WideInteger(high: high, low: low))"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    // Foundation's description of a date traps if the date is NaN or far out of range.
    case .date(let value): ISODate.text(value) ?? "\(value.timeIntervalSinceReferenceDate) s after 2001"
    case .data(let value): "\(value.count) bytes"
    case .string(let value): "\"\(value)\""
    case .uid(let value): "uid \(value)"
    case .array: "[]"
    case .dictionary: "[:]"
    }
  }
}
