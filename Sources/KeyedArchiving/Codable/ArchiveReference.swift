// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// A property of a Codable class that refers to an object which may refer back, in a circle or a long chain.
///
/// ```swift
/// final class Station: KeyedCodable {
///   var name: String
///   @ArchiveReference var next: Station?
///   @ArchiveBackReference var line: Line?
/// }
/// ```
///
/// It is archived as any other reference. When it is decoded, the object is put in as soon as it is complete, always
/// before the outermost decoding call returns: `init(from:)` must not look at it. Chains of any length are decoded in
/// constant stack. With other encoders and decoders than those of archives it is an optional like any other.
@propertyWrapper
public struct ArchiveReference<Object: KeyedCodable & AnyObject> {
  private var storage: Storage

  private final class Storage {
    var object: Object?
    init(_ object: Object?) { self.object = object }
  }

  /// Wraps an object.
  public init(wrappedValue: Object? = nil) { storage = Storage(wrappedValue) }

  /// The object.
  public var wrappedValue: Object? {
    get { storage.object }
    set {
      // The former object is released after the access, because its `deinit` can use the reference.
      let former = storage.object
      // A copy of a struct keeps what it had.
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(newValue) }
      storage.object = newValue
      withExtendedLifetime(former) {}
    }
  }
}

/// A property of a Codable class that refers back, as to a parent, without owning the object.
///
/// The object is archived only if something else archives it too, as `encodeConditionalObject` does; else the property
/// comes out as nil. Apart from that and from being weak it is as ``ArchiveReference``.
@propertyWrapper
public struct ArchiveBackReference<Object: KeyedCodable & AnyObject> {
  private var storage: Storage

  private final class Storage {
    weak var object: Object?
    init(_ object: Object?) { self.object = object }
  }

  /// Wraps an object.
  public init(wrappedValue: Object? = nil) { storage = Storage(wrappedValue) }

  /// The object, while it is there.
  public var wrappedValue: Object? {
    get { storage.object }
    set {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(newValue) }
      storage.object = newValue
    }
  }
}

extension ArchiveReference: Codable {
  /// Encodes the object, or nil, as a single value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }

  /// Decodes an object, or nil, as a single value.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Object?.self))
  }
}

extension ArchiveBackReference: Codable {
  /// Encodes nil: only an archiver knows whether something else encodes the object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }

  /// Decodes nil: without another reference nothing would keep an object.
  public init(from decoder: any Decoder) throws { self.init() }
}

extension ArchiveReference: CollectionEncodable, CollectionDecodable {
  static func encodingWay(in coder: KeyedArchiver) -> AnyObject { ReferenceWay<Object>() }

  static func decodingWay(in coder: KeyedUnarchiver) -> AnyObject { ReferenceDecodingWay<Object>() }

  fileprivate func deliver(_ object: Object) {
    let former = storage.object
    storage.object = object
    withExtendedLifetime(former) {}
  }
}

extension ArchiveBackReference: CollectionEncodable, CollectionDecodable {
  static func encodingWay(in coder: KeyedArchiver) -> AnyObject { BackReferenceWay<Object>() }

  static func decodingWay(in coder: KeyedUnarchiver) -> AnyObject { BackReferenceDecodingWay<Object>() }

  fileprivate func deliver(_ object: Object) { storage.object = object }
}

private final class ReferenceWay<Object: KeyedCodable & AnyObject>: EncodingStrategy<ArchiveReference<Object>> {
  override func note(_ value: ArchiveReference<Object>, in coder: KeyedArchiver) -> _RecordedValue {
    value.wrappedValue?._record(in: coder) ?? _RecordedValue(.null)
  }
}

private final class BackReferenceWay<Object: KeyedCodable & AnyObject>: EncodingStrategy<ArchiveBackReference<Object>> {
  override func note(_ value: ArchiveBackReference<Object>, in coder: KeyedArchiver) -> _RecordedValue {
    value.wrappedValue.map { coder.note($0, conditional: true) } ?? _RecordedValue(.null)
  }
}

private final class ReferenceDecodingWay<Object: KeyedCodable & AnyObject>: DecodingStrategy<ArchiveReference<Object>> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> ArchiveReference<Object>? {
    let reference = ArchiveReference<Object>()
    _ = try coder.defer(Object.self, uid) { reference.deliver($0) }
    return reference
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> ArchiveReference<Object>? {
    ArchiveReference(wrappedValue: try coder.inline(Object.self, item))
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> ArchiveReference<Object>? { ArchiveReference() }
}

private final class BackReferenceDecodingWay<Object: KeyedCodable & AnyObject>: DecodingStrategy<
  ArchiveBackReference<Object>
>
{
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> ArchiveBackReference<Object>? {
    let reference = ArchiveBackReference<Object>()
    _ = try coder.defer(Object.self, uid) { reference.deliver($0) }
    return reference
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> ArchiveBackReference<Object>? {
    ArchiveBackReference(wrappedValue: try coder.inline(Object.self, item))
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> ArchiveBackReference<Object>? {
    ArchiveBackReference()
  }
}

// What the compiler writes for a property with a wrapper asks for the wrapper even where the key is absent.
extension KeyedDecodingContainer {
  /// The reference for a key; an empty one if there is none.
  public func decode<Object>(_ type: ArchiveReference<Object>.Type, forKey key: Key) throws -> ArchiveReference<Object>
  {
    try decodeIfPresent(type, forKey: key) ?? ArchiveReference()
  }

  /// The reference for a key; an empty one if there is none.
  public func decode<Object>(
    _ type: ArchiveBackReference<Object>.Type, forKey key: Key
  ) throws -> ArchiveBackReference<Object> {
    try decodeIfPresent(type, forKey: key) ?? ArchiveBackReference()
  }
}
