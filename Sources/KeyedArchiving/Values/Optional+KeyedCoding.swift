// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

extension Optional: KeyedCoding where Wrapped: KeyedCoding {
  /// That of the wrapped type.
  public static var archiveClassName: String { Wrapped.archiveClassName }

  /// Those of the wrapped type.
  public static var archiveClassAliases: [String] { Wrapped.archiveClassAliases }

  /// Those of the wrapped type.
  public static var archiveSubclasses: [any KeyedCoding.Type] { Wrapped.archiveSubclasses }

  /// That of the wrapped type.
  public static var archiveClassChain: [String] { Wrapped.archiveClassChain }

  /// Encodes the wrapped value, if there is one.
  public func encode(with coder: KeyedArchiver) throws { try self?.encode(with: coder) }

  /// Decodes a wrapped value.
  public init?(coder: KeyedUnarchiver) throws { self = try Wrapped(coder: coder) }

  /// The wrapped value's, or nil's. Inside a collection nil is archived as ``ArchiveNull``.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { self?._record(in: coder) ?? _RecordedValue(.null) }

  /// Nil for nil and for ``ArchiveNull``, else a wrapped value.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Wrapped?? {
    if let value = try coder.isNullObject(uid.rawValue) ? nil : Wrapped._decode(from: uid, coder) {
      return .some(value)
    }
    return .some(nil)
  }
}

extension Optional: SecureKeyedCoding where Wrapped: SecureKeyedCoding {
  /// Whether the wrapped type does.
  public static var supportsSecureCoding: Bool { Wrapped.supportsSecureCoding }
}

extension KeyedUnarchiver {
  func isNullObject(_ uid: UInt32) throws -> Bool {
    guard uid != 0, let classUID = try storage.state.classUID(of: uid) else { return false }
    return try classRecord(classUID).name == ArchiveNull.archiveClassName
  }
}

/// Lets an optional number be read from where a number is stored inline, and an optional stand for its type on a list.
protocol AnyOptional {
  static var wrappedType: (any PrimitiveValue.Type)? { get }
  static var wrapped: (any KeyedCoding.Type)? { get }
}

extension Optional: AnyOptional {
  static var wrappedType: (any PrimitiveValue.Type)? { Wrapped.self as? any PrimitiveValue.Type }
  static var wrapped: (any KeyedCoding.Type)? { Wrapped.self as? any KeyedCoding.Type }
}
