// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

/// A type whose values stand in `$objects` as they are, without a class record: strings, numbers, booleans and data. The
/// same values may be stored inside an object.
package protocol PrimitiveValue: SecureKeyedCoding {
  /// Whether an item holds a value of this type, in range.
  static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool

  /// The value of an item.
  /// - Throws: ``KeyedArchiveError`` with code `typeMismatch` or `outOfRange`.
  static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Self
}

extension PrimitiveValue {
  /// Whether an item is of the class that this type is in an archive; it may be out of range.
  @inline(__always)
  static func accepts(_ kind: BinaryItem.Kind) -> Bool { PrimitiveValueClass.name(of: kind) == archiveClassName }

  /// The error for an item of another kind.
  static func mismatch(_ item: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .typeMismatch, "expected \(Self.self), found a value of kind \(item.kind.name)", byteOffset: item.content - 1,
      remedy: "Ask for the type that the archive holds here")
  }

  /// The error for a number that this type cannot hold.
  static func outOfRange(_ value: some Any, _ item: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .outOfRange, "\(value) does not fit \(Self.self)", byteOffset: item.content - 1,
      remedy: "Ask for a wider type")
  }
}

/// What Foundation calls the classes of bare values.
package enum PrimitiveValueClass {
  /// Whether values of a type stand as they are, without a class record.
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

extension KeyedUnarchiver {
  /// Makes a value from a bare one, or from an object of a class that the type answers to.
  @inline(__always)
  func make<Value: PrimitiveValue>(bare type: Value.Type, from uid: UInt32) throws -> Value? {
    guard uid != 0 else { return nil }
    if let value = try storage.state.bare(type, from: uid) { return value }
    return try makeUnusual(type, from: uid)
  }

  /// The same for a value that is long, nil, an object with keys, or not of the type.
  private func makeUnusual<Value: PrimitiveValue>(_ type: Value.Type, from uid: UInt32) throws -> Value? {
    let entry = try storage.state.source.entry(uid)
    switch entry.kind {
    case .dictionary: return try make(value: type, from: uid)
    case .ascii where storage.state.source.isNull(entry): return nil
    case .ascii, .utf16, .data:
      // Shorter ones take no memory of their own.
      if entry.count >= 16 { return try makeLong(type, entry, uid) }
    default: break
    }
    guard PrimitiveValueClass.name(of: entry.kind) == type.archiveClassName else { throw unexpected(entry, uid, type) }
    return try Value.read(entry, storage.state.source)
  }

  /// A long string or data is kept the second time it is made, as other shared values are.
  private func makeLong<Value: PrimitiveValue>(_ type: Value.Type, _ entry: BinaryItem, _ uid: UInt32) throws -> Value?
  {
    guard PrimitiveValueClass.name(of: entry.kind) == type.archiveClassName else { throw unexpected(entry, uid, type) }
    if storage.state.slots[Int(uid)].marks.contains(.kept), let value = keptValues.value(of: type, uid, list: nil) {
      return value
    }
    try storage.state.spend(reading: entry)
    let value = try Value.read(entry, storage.state.source)
    try checkHashed(value)
    if storage.state.markDecoded(uid) {
      let former = keptValues.keep(value, uid, list: nil)
      withExtendedLifetime(former) {}
    }
    return value
  }
}
