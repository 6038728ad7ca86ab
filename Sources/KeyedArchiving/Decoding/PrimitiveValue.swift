// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

/// A type of primitives: strings, numbers, Booleans and data. They are stored boxed in `$objects`, without a class
/// record, or inline.
package protocol PrimitiveValue: SecureKeyedCoding {
  /// Returns whether an item is a value of this type, in range.
  static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool

  /// Reads the value of an item.
  /// - Throws: ``KeyedArchiveError`` with code `typeMismatch` or `outOfRange`.
  static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Self
}

extension KeyedArchiveError {
  /// Returns the error for an item of another kind than the requested type.
  @inline(never)
  static func mismatch(
    _ item: BinaryItem, _ type: any PrimitiveValue.Type, _ source: borrowing ArchiveSource
  ) -> Self {
    Self(
      .typeMismatch, "type mismatch: found a value of kind \(item.kind.name); expected \(type)",
      byteOffset: source.offset(of: item), remedy: "Request the type that the archive has here"
    ).requesting(type)
  }

  /// Returns the error for a number that the requested type cannot represent.
  @inline(never)
  static func outOfRange(
    _ value: Any, _ item: BinaryItem, _ type: any PrimitiveValue.Type, _ source: borrowing ArchiveSource
  ) -> Self {
    Self(
      .outOfRange, "\(value) does not fit \(type)", byteOffset: source.offset(of: item), remedy: "Request a wider type"
    ).requesting(type)
  }
}

/// Foundation's class names of primitives.
package enum PrimitiveValueClass {
  /// Returns whether values of a type are primitives.
  package static func includes(_ type: any KeyedCoding.Type) -> Bool { type is any PrimitiveValue.Type }

  static func name(of kind: BinaryItem.Kind) -> String? {
    switch kind {
    case .ascii, .utf16: "NSString"
    case .true, .false, .integer, .float, .double: "NSNumber"
    case .data: "NSData"
    case .date: "NSDate"
    case .null, .uid, .array, .set, .dictionary: nil
    }
  }
}

extension AllowList {
  /// Returns a type, or the one that an optional wraps, if its values are primitives.
  static func primitiveType(_ type: any KeyedCoding.Type) -> (any PrimitiveValue.Type)? {
    (type as? any AnyOptional.Type)?.wrappedType ?? type as? any PrimitiveValue.Type
  }
}

extension KeyedUnarchiver {
  /// Decodes a string or data, or an object of a class that matches the type.
  @inline(__always)
  func make<Value: PrimitiveValue>(bare type: Value.Type, from uid: UInt32) throws -> Value? {
    guard uid != 0 else { return nil }
    if let value = try storage.state.primitive(type, from: uid) { return value }
    return try makeUnusual(type, from: uid)
  }

  /// Decodes a number.
  @inline(__always)
  func make<Value: PrimitiveValue>(number type: Value.Type, from uid: UInt32) throws -> Value? {
    guard uid != 0 else { return nil }
    if let entry = try storage.state.number(from: uid) { return try storage.state.read(type, entry) }
    var value: Any?
    // A number is never long.
    _ = try unusualEntry(type, uid, &value)
    return try value.map { try cast($0, to: type, uid) }
  }

  /// Decodes a string or data on the slow path. A long one is cached when it is decoded the second time, as other shared
  /// values are.
  @inline(never)
  private func makeUnusual<Value: PrimitiveValue>(_ type: Value.Type, from uid: UInt32) throws -> Value? {
    var other: Any?
    guard let entry = try unusualEntry(type, uid, &other) else { return try other.map { try cast($0, to: type, uid) } }
    let value = try Value.read(entry, storage.state.source)
    try checkHashed(value, entry)
    if storage.state.markDecoded(uid) {
      let former = valueCache.insert(value, type, uid, list: nil)
      withExtendedLifetime(former) {}
    }
    return value
  }

  /// Returns the entry of a long value that is not cached. The caller reads it, because a value in an existential must be
  /// cast. Otherwise sets `value`: it is cached, short, nil, or an object with keys.
  /// - Throws: ``KeyedArchiveError`` if the object is not of the type.
  private func unusualEntry(
    _ type: any PrimitiveValue.Type, _ uid: UInt32, _ value: inout Any?
  ) throws -> BinaryItem? {
    let entry = try storage.state.source.entry(uid)
    switch entry.kind {
    case .dictionary:
      value = try makeOnSlowPath(type, from: uid)
      return nil
    case .ascii where storage.state.source.isNull(entry): return nil
    default: break
    }
    guard PrimitiveValueClass.name(of: entry.kind) == type.archiveClassName else { throw unexpected(entry, uid, type) }
    // Swift stores shorter strings inline, without an allocation.
    guard entry.count >= 16, entry.kind == .ascii || entry.kind == .utf16 || entry.kind == .data else {
      try storage.state.count(text: entry)
      value = try type.read(entry, storage.state.source)
      return nil
    }
    if storage.state.objects[uid].flags.contains(.cached) {
      value = valueCache.value(of: type, uid, list: nil)?.value
      if value != nil {
        try storage.state.count(repeating: entry)
        return nil
      }
    }
    try storage.state.charge(reading: entry)
    return entry
  }
}

/// An optional type. It allows decoding an optional inline number, and an optional as its wrapped type on an allow
/// list.
protocol AnyOptional {
  static var wrappedType: (any PrimitiveValue.Type)? { get }
  static var wrapped: (any KeyedCoding.Type)? { get }
}

extension Optional: AnyOptional {
  static var wrappedType: (any PrimitiveValue.Type)? { Wrapped.self as? any PrimitiveValue.Type }
  static var wrapped: (any KeyedCoding.Type)? { Wrapped.self as? any KeyedCoding.Type }
}
