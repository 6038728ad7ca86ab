// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// An object of a property list: what a store keeps.
///
/// The kinds are those of the file, so that nothing is lost between a store and its file: a 4-byte real stays one, and
/// so does an integer that only 16 bytes hold. Two values are equal when kind and every bit are: NaN equals itself, 0.0
/// differs from -0.0, and texts are compared by their bytes.
public enum PropertyListValue: Sendable {
  /// A boolean.
  case boolean(Bool)
  /// An integer.
  case integer(Int64)
  /// An integer outside of what `Int64` holds.
  indirect case wideInteger(Int128)
  /// A 4-byte real.
  case float(Float)
  /// An 8-byte real.
  case double(Double)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Text.
  case string(String)
  /// A UID, as files may hold it; nothing is encoded as one.
  case uid(UInt64)
  /// An array.
  case array([PropertyListValue])
  /// A dictionary.
  case dictionary(PropertyListDictionary)

  /// An integer of up to 128 bits.
  public init(_ value: Int128) { self = Int64(exactly: value).map(Self.integer) ?? .wideInteger(value) }

  /// An integer of any type; nil if it takes more than 128 bits.
  public init?(exactly value: some BinaryInteger) {
    guard let value = Int128(exactly: value) else { return nil }
    self.init(value)
  }
}

extension PropertyListValue: Hashable {
  /// Equal when kind and every bit are.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.boolean(let x), .boolean(let y)): x == y
    case (.integer(let x), .integer(let y)): x == y
    case (.wideInteger(let x), .wideInteger(let y)): x == y
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
    case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
    case (.date(let x), .date(let y)):
      x.timeIntervalSinceReferenceDate.bitPattern == y.timeIntervalSinceReferenceDate.bitPattern
    case (.data(let x), .data(let y)): x == y
    case (.string(let x), .string(let y)): x.hasSameBytes(as: y)
    case (.uid(let x), .uid(let y)): x == y
    case (.array(let x), .array(let y)): x == y
    case (.dictionary(let x), .dictionary(let y)): x == y
    default: false
    }
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .wideInteger(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value): hasher.combine(value)
    case .string(let value): hasher.combine(BytewiseString(value))
    case .uid(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .dictionary(let value): hasher.combine(value)
    }
  }
}

extension PropertyListValue {
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

  /// The kind's name, as messages print it.
  public var kindName: String {
    switch self {
    case .boolean: "boolean"
    case .integer, .wideInteger: "integer"
    case .float, .double: "real"
    case .date: "date"
    case .data: "data"
    case .string: "string"
    case .uid: "uid"
    case .array: "array"
    case .dictionary: "dictionary"
    }
  }

  /// An order that is the same in every run, for elements that have none of their own.
  func precedes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.boolean(let x), .boolean(let y)): !x && y
    case (.integer(let x), .integer(let y)): x < y
    case (.wideInteger(let x), .wideInteger(let y)): x < y
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
    a == b || a.isNaN || b.isNaN ? a.bitPattern < b.bitPattern : a < b
  }
}

extension PropertyListValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// An 8-byte real.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }
  /// A dictionary; of equal keys the last counts.
  public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
    self = .dictionary(PropertyListDictionary(elements.map { ($0.0, $0.1) }))
  }
}

extension PropertyListValue: CustomStringConvertible {
  /// The value for people.
  public var description: String {
    switch self {
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .wideInteger(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    // Foundation's own description of a date ends the program for one that is no number or out of all bounds.
    case .date(let value): ISODate.text(value) ?? "\(value.timeIntervalSinceReferenceDate) s after 2001"
    case .data(let value): "\(value.count) bytes"
    case .string(let value): "\"\(value)\""
    case .uid(let value): "uid \(value)"
    case .array(let value): "[\(value.map(\.description).joined(separator: ", "))]"
    case .dictionary(let value):
      value.isEmpty ? "[:]" : "[\(value.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", "))]"
    }
  }
}
