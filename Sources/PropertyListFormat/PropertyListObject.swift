// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A reference to an object: an index in the object table of a property list.
///
/// It is not a UID. A UID is a value inside of a property list, for example an index into the `$objects` of an archive.
public struct ObjectRef: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The index, counted from 0.
  public let rawValue: UInt32

  /// Creates a reference.
  /// - Parameter rawValue: The index of the object.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Returns whether an object is before another one in the object table.
  /// - Parameters:
  ///   - a: A reference.
  ///   - b: Another reference.
  /// - Returns: Whether the index of `a` is smaller.
  @inlinable
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The reference as text, for example `object 3`.
  public var description: String { "object \(rawValue)" }

  /// The reference as an array index.
  @_spi(Archiving) @inlinable
  public var index: Int { rawValue <= UInt(Int.max) ? Int(truncatingIfNeeded: rawValue) : .max }
}

/// One object of a property list's object table.
///
/// It preserves three things that a ``PropertyListValue`` does not: null and set objects, 16-byte integers with small
/// values, and shared elements. Elements are shared because containers hold references.
public enum PropertyListObject: Sendable {
  /// The null object of a binary property list. CoreFoundation never writes it.
  case null
  /// A Boolean.
  case boolean(Bool)
  /// An integer stored in 1, 2, 4 or 8 bytes.
  case integer(Int64)
  /// An integer stored in 16 bytes, as two words in two's complement: its value is `high` · 2^64 + `low`.
  /// CoreFoundation writes each unsigned 64-bit number in this form.
  case wideInteger(high: Int64, low: UInt64)
  /// A 4-byte real.
  case float(Float)
  /// An 8-byte real.
  case double(Double)
  /// A date, in seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  /// Bytes.
  case data(Data)
  /// A string.
  case string(String)
  /// A UID: in a keyed archive, an index into `$objects`.
  case uid(UInt64)
  /// An array of references.
  case array([ObjectRef])
  /// A set of references. Only binary files contain sets. CoreFoundation reads them and never writes them.
  case set([ObjectRef])
  /// A dictionary of references to keys and values, in the order of the file.
  case dictionary(keys: [ObjectRef], values: [ObjectRef])
}

extension PropertyListObject: Equatable {
  /// Returns whether two objects have the same kind, the same width and the same bits.
  ///
  /// NaN equals itself, 0.0 differs from -0.0, and an 8-byte 1.0 differs from a 4-byte 1.0.
  /// - Parameters:
  ///   - a: An object.
  ///   - b: Another object.
  /// - Returns: Whether the objects are equal.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.boolean(let x), .boolean(let y)): x == y
    case (.integer(let x), .integer(let y)): x == y
    case (.wideInteger(let x, let a), .wideInteger(let y, let b)): x == y && a == b
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
    case (.double(let x), .double(let y)), (.date(let x), .date(let y)): x.bitPattern == y.bitPattern
    case (.data(let x), .data(let y)): x.hasSameBytes(as: y)
    case (.string(let x), .string(let y)): x.hasSameBytes(as: y)
    case (.uid(let x), .uid(let y)): x == y
    case (.array(let x), .array(let y)), (.set(let x), .set(let y)): x == y
    case (.dictionary(let k, let v), .dictionary(let l, let w)): k == l && v == w
    default: false
    }
  }
}

extension PropertyListObject {
  /// Creates an integer that is stored in 16 bytes.
  package static func wideInteger(_ value: WideInteger) -> Self { .wideInteger(high: value.high, low: value.low) }

  /// The name of the kind, as error messages and JSON output use it.
  public var kindName: String {
    switch itemKind {
    case .uid: "uid"
    case let kind: kind.name
    }
  }

  /// The kind of binary item for the object; UTF-16 for all strings.
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

  func forEachReference(_ body: (ObjectRef) -> Void) {
    switch self {
    case .array(let elements), .set(let elements): elements.forEach(body)
    case .dictionary(let keys, let values):
      keys.forEach(body)
      values.forEach(body)
    default: break
    }
  }
}
