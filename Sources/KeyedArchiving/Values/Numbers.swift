// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

// Numbers and booleans. Asked for as objects they are what `NSNumber` is in an archive; a number stays of its kind:
// booleans, integers and reals are not taken for each other.

/// An integer type that can be archived.
protocol ArchivedInteger: PrimitiveValue, FixedWidthInteger {
  /// How CoreFoundation stores numbers made from this type.
  static var noteKind: _RecordedValue.Kind { get }
}

extension ArchivedInteger {
  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .integer && Self(exactly: source.table.wideInteger(item, in: source.bytes.span)) != nil
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Self {
    guard item.kind == .integer else { throw mismatch(item) }
    if item.count < 8, Self.bitWidth == 64 {
      return Self(truncatingIfNeeded: source.table.integer(item, in: source.bytes.span))
    }
    let value = source.table.wideInteger(item, in: source.bytes.span)
    guard let result = Self(exactly: value) else { throw outOfRange(value, item) }
    return result
  }
}

extension KeyedUnarchiver {
  /// What the initialisers of numbers throw: an archive in which a number is an object with keys is damaged.
  func numberWithKeys(_ type: Any.Type) -> KeyedArchiveError {
    KeyedArchiveError(
      .typeMismatch, "expected \(type) as a bare value, found an object with keys", keyPath: storage.state.keyPath())
  }
}

extension Int: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .int64Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Int.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(Int.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Int? {
    try coder.make(bare: Int.self, from: uid.rawValue)
  }
}

extension Int8: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .int8Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Int8.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(Int8.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Int8? {
    try coder.make(bare: Int8.self, from: uid.rawValue)
  }
}

extension Int16: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .int16Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Int16.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(Int16.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Int16? {
    try coder.make(bare: Int16.self, from: uid.rawValue)
  }
}

extension Int32: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .int32Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Int32.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(Int32.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Int32? {
    try coder.make(bare: Int32.self, from: uid.rawValue)
  }
}

extension Int64: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .int64Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Int64.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(Int64.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Int64? {
    try coder.make(bare: Int64.self, from: uid.rawValue)
  }
}

extension UInt: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .uint64Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(UInt.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(UInt.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> UInt? {
    try coder.make(bare: UInt.self, from: uid.rawValue)
  }
}

extension UInt8: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .int16Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(UInt8.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(UInt8.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> UInt8? {
    try coder.make(bare: UInt8.self, from: uid.rawValue)
  }
}

extension UInt16: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .int32Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(UInt16.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(UInt16.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> UInt16? {
    try coder.make(bare: UInt16.self, from: uid.rawValue)
  }
}

extension UInt32: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .int64Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(UInt32.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(UInt32.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> UInt32? {
    try coder.make(bare: UInt32.self, from: uid.rawValue)
  }
}

extension UInt64: SecureKeyedCoding, ArchivedInteger {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  static var noteKind: _RecordedValue.Kind { .uint64Object }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(UInt64.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(UInt64.noteKind, UInt64(truncatingIfNeeded: self))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> UInt64? {
    try coder.make(bare: UInt64.self, from: uid.rawValue)
  }
}

extension Bool: SecureKeyedCoding, PrimitiveValue {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .true || item.kind == .false
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Bool {
    guard item.kind == .true || item.kind == .false else { throw mismatch(item) }
    return item.kind == .true
  }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Bool.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(.booleanObject, self ? 1 : 0)
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Bool? {
    try coder.make(bare: Bool.self, from: uid.rawValue)
  }
}

extension Float: SecureKeyedCoding, PrimitiveValue {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .float || (item.kind == .double && Float(source.table.double(item, in: source.bytes.span)).isFinite)
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Float {
    if item.kind == .float { return source.table.float(item, in: source.bytes.span) }
    guard item.kind == .double else { throw mismatch(item) }
    let value = source.table.double(item, in: source.bytes.span)
    let narrow = Float(value)
    guard narrow.isFinite || !value.isFinite else { throw outOfRange(value, item) }
    return narrow
  }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Float.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(.floatObject, UInt64(bitPattern))
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Float? {
    try coder.make(bare: Float.self, from: uid.rawValue)
  }
}

extension Double: SecureKeyedCoding, PrimitiveValue {
  /// `NSNumber`.
  public static var archiveClassName: String { "NSNumber" }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .double || item.kind == .float
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Double {
    if item.kind == .double { return source.table.double(item, in: source.bytes.span) }
    guard item.kind == .float else { throw mismatch(item) }
    return Double(source.table.float(item, in: source.bytes.span))
  }

  /// Numbers are archived as bare values; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// A number is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws { throw coder.numberWithKeys(Double.self) }

  /// A bare number.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(.doubleObject, bitPattern)
  }

  /// A bare number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Double? {
    try coder.make(bare: Double.self, from: uid.rawValue)
  }
}
