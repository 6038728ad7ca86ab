// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// One of the values that a class stores: its key, and where the type that stands for the class has it.
///
/// A type with many values lists them once, in the order in which they are encoded. Both directions follow that list.
package struct ArchiveField<Root>: Sendable {
  package typealias Place<Value> = any WritableKeyPath<Root, Value> & Sendable

  package let encode: @Sendable (Root, KeyedArchiver) -> Void
  package let decode: @Sendable (inout Root, KeyedUnarchiver) throws -> Void

  /// A value with a way of its own.
  package init(
    encode: @escaping @Sendable (Root, KeyedArchiver) -> Void,
    decode: @escaping @Sendable (inout Root, KeyedUnarchiver) throws -> Void
  ) {
    self.encode = encode
    self.decode = decode
  }

  /// An object; nothing is stored as a reference to nothing.
  package static func object<Value: KeyedCoding & SendableMetatype>(_ key: String, _ place: Place<Value?>) -> Self {
    Self(
      encode: { $1.encode($0[keyPath: place], forKey: key) },
      decode: { $0[keyPath: place] = try $1.decodeIfPresent(Value.self, forKey: key) })
  }

  /// An object that must be there.
  package static func neededObject<Value: KeyedCoding & SendableMetatype>(_ key: String, _ place: Place<Value>) -> Self
  {
    Self(
      encode: { $1.encode($0[keyPath: place], forKey: key) },
      decode: { $0[keyPath: place] = try $1.decode(Value.self, forKey: key) })
  }

  /// A number or an object that is stored only if there is one.
  package static func optional<Value: KeyedCoding & SendableMetatype>(_ key: String, _ place: Place<Value?>) -> Self {
    Self(
      encode: { root, coder in
        if let value = root[keyPath: place] { coder.record(value._record(in: coder).inlined, key) }
      },
      decode: { $0[keyPath: place] = try $1.decodeIfPresent(Value.self, forKey: key) })
  }

  /// A number that is always stored, and must be there unless something is meant by its absence.
  package static func number<Value: PrimitiveValue>(_ key: String, _ place: Place<Value>, ifAbsent: Value? = nil)
    -> Self
  where Value: Sendable {
    Self(
      encode: { $1.record($0[keyPath: place]._record(in: $1).inlined, key) },
      decode: { root, coder in
        root[keyPath: place] = try coder.bare(Value.self, key) ?? ifAbsent ?? coder.needed(Value.self, key)
      })
  }

  /// A number that is stored only if it is not the usual one.
  package static func unusual<Value: PrimitiveValue & Equatable>(_ key: String, _ place: Place<Value>, usual: Value)
    -> Self
  where Value: Sendable {
    Self(
      encode: { root, coder in
        let value = root[keyPath: place]
        if value != usual { coder.record(value._record(in: coder).inlined, key) }
      },
      decode: { $0[keyPath: place] = try $1.bare(Value.self, key) ?? usual })
  }

  /// A boolean that is stored only if it is true.
  package static func flag(_ key: String, _ place: Place<Bool>) -> Self { unusual(key, place, usual: false) }
}

extension KeyedArchiver {
  /// Stores the values of an object.
  package func encode<Root>(_ root: Root, _ fields: [ArchiveField<Root>]) {
    for field in fields { field.encode(root, self) }
  }
}

extension KeyedUnarchiver {
  /// Reads the values of the object that is being decoded.
  package func decode<Root>(_ fields: [ArchiveField<Root>], into root: inout Root) throws {
    for field in fields { try field.decode(&root, self) }
  }
}
