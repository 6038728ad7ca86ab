// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

// Numbers and Booleans. As objects they are `NSNumber` in an archive. Numbers keep their kind: Booleans, integers and
// reals are not converted into each other.

/// A number type or `Bool`. As an object it is an `NSNumber` without keys.
package protocol ArchivedNumber: PrimitiveValue {}

extension ArchivedNumber {
  /// The archived class name, `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  /// Encodes nothing, because a number is a primitive without keys.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {}

  /// Fails, because a number has no keys.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code-swift.struct/typeMismatch``.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Self.self) }

  /// Decodes a boxed number.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver.
  /// - Returns: The number, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, has another type, or is out of range.
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(number: Self.self, from: uid.rawValue)
  }
}

/// An integer type that can be archived.
protocol ArchivedInteger: ArchivedNumber, RecordedInteger {}

extension ArchivedInteger {
  /// Records a boxed number.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    RecordedValue(Self.recordedKind, UInt64(truncatingIfNeeded: self))
  }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .integer && Self(exactly: source.table.wideInteger(item, in: source.bytes.span)) != nil
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Self {
    guard item.kind == .integer else { throw .mismatch(item, Self.self, source) }
    if item.count < 8, Self.bitWidth == 64 {
      return Self(truncatingIfNeeded: source.table.integer(item, in: source.bytes.span))
    }
    let value = source.table.wideInteger(item, in: source.bytes.span)
    guard let result = Self(exactly: value) else { throw .outOfRange(value, item, Self.self, source) }
    return result
  }
}

extension KeyedUnarchiver {
  /// Returns the error of the initializers of numbers. An archive in which a number is an object with keys is damaged.
  func numberWithKeys(_ type: Any.Type) -> KeyedArchiveError {
    KeyedArchiveError(
      .typeMismatch, "invalid number: found an object with keys; expected \(type) as a primitive",
      at: storage.state.place())
  }
}

extension Int: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .int64Object }
}

extension Int8: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .int8Object }
}

extension Int16: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .int16Object }
}

extension Int32: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .int32Object }
}

extension Int64: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .int64Object }
}

extension UInt: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .uint64Object }
}

extension UInt8: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .int16Object }
}

extension UInt16: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .int32Object }
}

extension UInt32: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .int64Object }
}

extension UInt64: SecureKeyedCoding, ArchivedInteger {
  static var recordedKind: RecordedValue.Kind { .uint64Object }
}

extension Bool: SecureKeyedCoding, ArchivedNumber {
  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .true || item.kind == .false
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Bool {
    guard item.kind == .true || item.kind == .false else { throw .mismatch(item, Self.self, source) }
    return item.kind == .true
  }

  /// Records a boxed number.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    RecordedValue(.booleanObject, self ? 1 : 0)
  }
}

extension Float: SecureKeyedCoding, ArchivedNumber {
  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    guard item.kind == .double else { return item.kind == .float }
    return nearest(source.table.double(item, in: source.bytes.span)) != nil
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Float {
    if item.kind == .float { return source.table.float(item, in: source.bytes.span) }
    guard item.kind == .double else { throw .mismatch(item, Self.self, source) }
    let value = source.table.double(item, in: source.bytes.span)
    guard let narrow = nearest(value) else { throw .outOfRange(value, item, Self.self, source) }
    return narrow
  }

  /// Returns the nearest value, or nil if that is infinite or 0 and the given one is not.
  @inline(__always)
  private static func nearest(_ value: Double) -> Float? {
    let narrow = Float(value)
    guard narrow.isFinite || !value.isFinite, narrow != 0 || value == 0 else { return nil }
    return narrow
  }

  /// Records a boxed number.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    RecordedValue(.floatObject, UInt64(bitPattern))
  }
}

extension Double: SecureKeyedCoding, ArchivedNumber {
  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .double || item.kind == .float
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Double {
    if item.kind == .double { return source.table.double(item, in: source.bytes.span) }
    guard item.kind == .float else { throw .mismatch(item, Self.self, source) }
    return Double(source.table.float(item, in: source.bytes.span))
  }

  /// Records a boxed number.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    RecordedValue(.doubleObject, bitPattern)
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
    case .integer where item.count == 16:
      let isNegative = source.table.wideInteger(item, in: source.bytes.span).high < 0
      return isNegative ? .integer(try Int64.read(item, source)) : .unsigned(try UInt64.read(item, source))
    case .integer: return .integer(try Int64.read(item, source))
    default: throw .mismatch(item, Self.self, source)
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
