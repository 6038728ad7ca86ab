// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

/// A number with its kind, as `NSNumber` has it: 1, 1.0 and true are three.
public enum ArchiveNumber: Hashable, Sendable {
  /// A boolean.
  case boolean(Bool)
  /// A signed integer.
  case integer(Int64)
  /// An unsigned integer, as recent Apple systems store it whatever its value.
  case unsigned(UInt64)
  /// A 4-byte real.
  case float(Float)
  /// An 8-byte real.
  case double(Double)

  /// The value as an integer, if it is one that fits; booleans are not integers.
  public var integer: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .unsigned(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The value as a real; integers and booleans are not reals.
  public var real: Double? {
    switch self {
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The value as a boolean, if it is one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }
}

extension ArchiveNumber: SecureKeyedCoding, PrimitiveValue {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    PrimitiveValueClass.name(of: item.kind) == archiveClassName
  }

  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError)
    -> ArchiveNumber
  {
    switch item.kind {
    case .true: return .boolean(true)
    case .false: return .boolean(false)
    case .float: return .float(try Float.read(item, source))
    case .double: return .double(try Double.read(item, source))
    case .integer where item.count == 16: return .unsigned(try UInt64.read(item, source))
    case .integer: return .integer(try Int64.read(item, source))
    default: throw mismatch(item)
    }
  }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(ArchiveNumber.self) }

  /// A bare number of its kind.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    switch self {
    case .boolean(let value): value._record(in: coder)
    case .integer(let value): value._record(in: coder)
    case .unsigned(let value): value._record(in: coder)
    case .float(let value): value._record(in: coder)
    case .double(let value): value._record(in: coder)
    }
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> ArchiveNumber? {
    try coder.make(bare: ArchiveNumber.self, from: uid.rawValue)
  }
}
