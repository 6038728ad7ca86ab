// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// A property of a Codable class whose reference can be part of a cycle or a long chain.
///
/// ```swift
/// final class Station: KeyedCodable {
///   var name: String
///   @ArchiveReference var next: Station?
///   @ArchiveBackReference var line: Line?
/// }
/// ```
///
/// The reference is archived like any other. While decoding, the property receives its object as soon as the object is
/// complete, always before the outermost decoding call returns. `init(from:)` must not access it. Chains of any length
/// use constant stack. With encoders and decoders of other formats, the property is an ordinary optional.
@propertyWrapper
public struct ArchiveReference<Object: KeyedCodable & AnyObject> {
  private var storage: Storage

  private final class Storage {
    var object: Object?
    init(_ object: Object?) { self.object = object }
  }

  /// Creates a reference to an object.
  /// - Parameter wrappedValue: The object.
  public init(wrappedValue: Object? = nil) { storage = Storage(wrappedValue) }

  /// The object.
  public var wrappedValue: Object? {
    get { storage.object }
    set {
      // The former object is released after the access, because its `deinit` can use the reference.
      let former = storage.object
      // Copies of the reference keep their object.
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(newValue) }
      storage.object = newValue
      withExtendedLifetime(former) {}
    }
  }
}

/// A property of a Codable class with a weak reference to an object such as a parent.
///
/// The object is archived only if another reference archives it, as with `encodeConditionalObject`; otherwise the
/// property is decoded as nil. In other respects, it behaves as ``ArchiveReference``.
@propertyWrapper
public struct ArchiveBackReference<Object: KeyedCodable & AnyObject> {
  private var storage: Storage

  private final class Storage {
    weak var object: Object?
    init(_ object: Object?) { self.object = object }
  }

  /// Creates a weak reference to an object.
  /// - Parameter wrappedValue: The object.
  public init(wrappedValue: Object? = nil) { storage = Storage(wrappedValue) }

  /// The object, while it exists.
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
  /// - Parameter encoder: The encoder of another format.
  /// - Throws: Any error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }

  /// Decodes an object, or nil, as a single value.
  /// - Parameter decoder: The decoder of another format.
  /// - Throws: Any error of the decoder.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Object?.self))
  }
}

extension ArchiveBackReference: Codable {
  /// Encodes nil, because only an archiver knows whether another reference encodes the object.
  /// - Parameter encoder: The encoder of another format.
  /// - Throws: Any error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }

  /// Decodes nil, because no other reference would retain an object.
  /// - Parameter decoder: The decoder of another format.
  /// - Throws: Nothing.
  public init(from decoder: any Decoder) throws { self.init() }
}

/// The requirements that the strategies of both kinds of references share.
protocol DeferredReference: CollectionEncodable, CollectionDecodable {
  associatedtype Object: KeyedCodable & AnyObject

  init(wrappedValue: Object?)
  func deliver(_ object: Object)
  func record(in coder: KeyedArchiver) -> RecordedValue
}

extension DeferredReference {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject { ReferenceEncodingStrategy<Self>() }

  static func decodingStrategy(in coder: KeyedUnarchiver) -> AnyObject { ReferenceDecodingStrategy<Self>() }
}

extension ArchiveReference: CollectionEncodable, CollectionDecodable, DeferredReference {
  func deliver(_ object: Object) {
    let former = storage.object
    storage.object = object
    withExtendedLifetime(former) {}
  }

  func record(in coder: KeyedArchiver) -> RecordedValue {
    wrappedValue?.record(in: coder) ?? RecordedValue(.null)
  }
}

extension ArchiveBackReference: CollectionEncodable, CollectionDecodable, DeferredReference {
  func deliver(_ object: Object) { storage.object = object }

  func record(in coder: KeyedArchiver) -> RecordedValue {
    wrappedValue.map { coder.recorded($0, conditional: true) } ?? RecordedValue(.null)
  }
}

private final class ReferenceEncodingStrategy<Reference: DeferredReference>: EncodingStrategy<Reference> {
  override func record(_ value: Reference, in coder: KeyedArchiver) -> RecordedValue { value.record(in: coder) }
}

private final class ReferenceDecodingStrategy<Reference: DeferredReference>: DecodingStrategy<Reference> {
  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Reference? {
    let reference = Reference(wrappedValue: nil)
    _ = try coder.defer(Reference.Object.self, uid) { reference.deliver($0) }
    return reference
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Reference? {
    Reference(wrappedValue: try coder.inline(Reference.Object.self, item))
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> Reference? { Reference(wrappedValue: nil) }
}

// The compiler's code for a wrapped property decodes the wrapper even if the key is absent.
extension KeyedDecodingContainer {
  /// Decodes the reference for a key.
  /// - Parameters:
  ///   - type: The type of the reference.
  ///   - key: The key of the property.
  /// - Returns: The reference, which is empty if the key is absent or stores nil.
  /// - Throws: Any error of the decoder.
  public func decode<Object>(_ type: ArchiveReference<Object>.Type, forKey key: Key) throws -> ArchiveReference<Object>
  {
    try decodeIfPresent(type, forKey: key) ?? ArchiveReference()
  }

  /// Decodes the weak reference for a key.
  /// - Parameters:
  ///   - type: The type of the reference.
  ///   - key: The key of the property.
  /// - Returns: The reference, which is empty if the key is absent or stores nil.
  /// - Throws: Any error of the decoder.
  public func decode<Object>(
    _ type: ArchiveBackReference<Object>.Type, forKey key: Key
  ) throws -> ArchiveBackReference<Object> {
    try decodeIfPresent(type, forKey: key) ?? ArchiveBackReference()
  }
}
