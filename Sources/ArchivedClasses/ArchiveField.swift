// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// A value that a class stores: its key, and the key path of the Swift property.
///
/// A type with many values lists its fields once, in the order of encoding. Encoding and decoding both follow the list.
struct ArchiveField<Root>: Sendable {
  typealias Place<Value> = any WritableKeyPath<Root, Value> & Sendable

  let key: String
  let encode: @Sendable (Root, KeyedArchiver) -> Void
  let decode: @Sendable (inout Root, KeyedUnarchiver) throws -> Void

  /// Creates a field with custom coding.
  init(
    _ key: String,
    encode: @escaping @Sendable (Root, KeyedArchiver) -> Void,
    decode: @escaping @Sendable (inout Root, KeyedUnarchiver) throws -> Void
  ) {
    self.key = key
    self.encode = encode
    self.decode = decode
  }

  /// An object. Nil is stored as a reference to nil.
  static func object<Value: KeyedCoding & SendableMetatype>(_ key: String, _ path: Place<Value?>) -> Self {
    Self(
      key,
      encode: { $1.encode($0[keyPath: path], forKey: key) },
      decode: { $0[keyPath: path] = try $1.decodeIfPresent(Value.self, forKey: key) })
  }

  /// A required object.
  static func neededObject<Value: KeyedCoding & SendableMetatype>(_ key: String, _ path: Place<Value>) -> Self {
    Self(
      key,
      encode: { $1.encode($0[keyPath: path], forKey: key) },
      decode: { $0[keyPath: path] = try $1.decode(Value.self, forKey: key) })
  }

  /// A number or an object that is stored only if it is not nil.
  static func optional<Value: KeyedCoding & SendableMetatype>(_ key: String, _ path: Place<Value?>) -> Self {
    Self(
      key,
      encode: { root, coder in
        if let value = root[keyPath: path] { coder.record(value.record(in: coder).inlined, key) }
      },
      decode: { $0[keyPath: path] = try $1.decodeIfPresent(Value.self, forKey: key) })
  }

  /// A number that is always stored. Decoding requires it unless `ifAbsent` has a value for its absence.
  static func number<Value: PrimitiveValue>(_ key: String, _ path: Place<Value>, ifAbsent: Value? = nil)
    -> Self
  where Value: Sendable {
    Self(
      key,
      encode: { $1.record($0[keyPath: path].record(in: $1).inlined, key) },
      decode: { root, coder in
        root[keyPath: path] = try coder.primitive(Value.self, key) ?? ifAbsent ?? coder.needed(Value.self, key)
      })
  }

  /// A number that is stored only if it differs from the usual one.
  static func unusual<Value: PrimitiveValue & Equatable>(_ key: String, _ path: Place<Value>, usual: Value)
    -> Self
  where Value: Sendable {
    Self(
      key,
      encode: { root, coder in
        let value = root[keyPath: path]
        if value != usual { coder.record(value.record(in: coder).inlined, key) }
      },
      decode: { $0[keyPath: path] = try $1.primitive(Value.self, key) ?? usual })
  }

  /// A Boolean that is stored only if it is true.
  static func flag(_ key: String, _ path: Place<Bool>) -> Self { unusual(key, path, usual: false) }
}

extension KeyedArchiver {
  /// Encodes the fields of an object, and the values for other keys.
  func encode<Root: OtherValuesKeeping>(_ root: Root, _ fields: [ArchiveField<Root>]) {
    for field in fields { field.encode(root, self) }
    root.otherValues.encode(with: self)
  }

  /// Encodes a real that a decoder requires to be finite. NaN and infinity fail.
  /// - Parameters:
  ///   - value: The number.
  ///   - key: The key.
  ///   - isShort: Whether to store four bytes.
  func encode(finite value: Double, forKey key: String, isShort: Bool = false) {
    guard value.isFinite, !isShort || Float(value).isFinite else {
      return failWithError(
        KeyedArchiveError(
          .notEncodable, "invalid value for '\(key)': found \(value); expected a finite number",
          keyPath: keyPath(to: key), remedy: "Set a finite number"))
    }
    if isShort { encode(Float(value), forKey: key) } else { encode(value, forKey: key) }
  }
}

extension KeyedUnarchiver {
  /// Decodes the fields of the current object, and the values for other keys.
  func decode<Root: OtherValuesKeeping>(_ fields: [ArchiveField<Root>], into root: inout Root) throws {
    for field in fields { try field.decode(&root, self) }
    root.otherValues = try otherValues(except: fields.map(\.key))
  }

  /// Decodes a finite number as a real, which must be present.
  func finite(_ key: String) throws -> Double { try real(key) ?? needed(Double.self, key) }

  /// Decodes a finite number as a real. Integers are accepted, because Apple's coders accept them.
  func real(_ key: String) throws -> Double? {
    guard let number = try primitive(ArchiveNumber.self, key) else { return nil }
    guard let value = number.real ?? number.integer.map(Double.init), value.isFinite else {
      throw malformed("invalid '\(key)': found \(number); expected a finite number")
    }
    return value
  }
}
