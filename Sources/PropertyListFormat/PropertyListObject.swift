// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One object of a property list's object table.
///
/// It keeps apart what a round trip must: a 4-byte from an 8-byte real, a 16-byte integer from a shorter one of the same
/// value, and, through references instead of nested values, which containers share a child.
public enum PropertyListObject: Sendable {
  /// The null object of a binary property list. CoreFoundation never writes it.
  case null
  /// A boolean.
  case boolean(Bool)
  /// An integer stored in 1, 2, 4 or 8 bytes.
  case integer(Int64)
  /// An integer stored in 16 bytes. CoreFoundation writes unsigned 64-bit numbers so, whatever their value.
  case wideInteger(Int128)
  /// A 4-byte real.
  case float(Float)
  /// An 8-byte real.
  case double(Double)
  /// A date, in seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  /// Bytes.
  case data(Data)
  /// Text.
  case string(String)
  /// A UID: in a keyed archive, an index into `$objects`.
  case uid(UInt64)
  /// An array, by its elements' rows.
  case array([ObjectRef])
  /// A set, by its elements' rows. Only the binary format has it; CoreFoundation reads it and never writes it.
  case set([ObjectRef])
  /// A dictionary, by its keys' and values' rows, both in the order in which they are stored.
  case dictionary(keys: [ObjectRef], values: [ObjectRef])
}

extension PropertyListObject: Equatable {
  /// Equal when kind, width and every bit are: NaN equals itself, 0.0 differs from -0.0, 1.0 from a 4-byte 1.0.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.boolean(let x), .boolean(let y)): x == y
    case (.integer(let x), .integer(let y)): x == y
    case (.wideInteger(let x), .wideInteger(let y)): x == y
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
    case (.double(let x), .double(let y)), (.date(let x), .date(let y)): x.bitPattern == y.bitPattern
    case (.data(let x), .data(let y)): x == y
    case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
    case (.uid(let x), .uid(let y)): x == y
    case (.array(let x), .array(let y)), (.set(let x), .set(let y)): x == y
    case (.dictionary(let k, let v), .dictionary(let l, let w)): k == l && v == w
    default: false
    }
  }
}

extension PropertyListObject {
  /// The kind's name as messages and JSON output print it.
  public var kindName: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer, .wideInteger: "integer"
    case .float, .double: "real"
    case .date: "date"
    case .data: "data"
    case .string: "string"
    case .uid: "uid"
    case .array: "array"
    case .set: "set"
    case .dictionary: "dictionary"
    }
  }

  /// The kind of item that it is written as; strings count as UTF-16.
  package var itemKind: BinaryItem.Kind {
    switch self {
    case .null: .null
    case .boolean(let value): value ? .true : .false
    case .integer, .wideInteger: .integer
    case .float: .float
    case .double: .double
    case .date: .date
    case .data: .data
    case .string: .utf16
    case .uid: .uid
    case .array: .array
    case .set: .set
    case .dictionary: .dictionary
    }
  }
}
