// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

/// A number with its kind, as in `NSNumber`: 1, 1.0 and true differ.
public enum ArchiveNumber: Hashable, Sendable {
  /// A Boolean.
  case boolean(Bool)
  /// A signed integer.
  case integer(Int64)
  /// An unsigned integer, which recent Apple systems store as such whatever its value.
  case unsigned(UInt64)
  /// A single-precision number.
  case float(Float)
  /// A double-precision number.
  case double(Double)

  /// The value as an integer, if it is an integer that fits. Booleans are not integers.
  public var integer: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .unsigned(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The value as a real, if it is one. Integers and Booleans are not reals.
  public var real: Double? {
    switch self {
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The value as a Boolean, if it is one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }
}

extension ArchiveNumber: SecureKeyedCoding, ArchivedNumber {
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

  /// Records a boxed number of its kind.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    switch self {
    case .boolean(let value): value.record(in: coder)
    case .integer(let value): value.record(in: coder)
    case .unsigned(let value): value.record(in: coder)
    case .float(let value): value.record(in: coder)
    case .double(let value): value.record(in: coder)
    }
  }
}
