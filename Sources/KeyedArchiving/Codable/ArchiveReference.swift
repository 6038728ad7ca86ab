// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// A property of a Codable class whose reference can be part of a cycle or a long chain.
///
/// ```swift
/// final class Station: Codable {
///   var name: String
///   @ArchiveReference var next: Station?
///   @ArchiveBackReference var line: Line?
/// }
/// ```
///
/// The reference is archived like any other. While decoding, the property receives its object as soon as the object is
/// complete, always before the outermost decoding call returns. `init(from:)` must not access it. Chains of any length
/// use constant stack. The object's class needs no conformance of this package. With encoders and decoders of other
/// formats, the property is an ordinary optional.
@propertyWrapper
public struct ArchiveReference<Object: Codable & AnyObject> {
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
public struct ArchiveBackReference<Object: Codable & AnyObject> {
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
  associatedtype Object: Codable & AnyObject

  /// Whether the object is archived only if another reference archives it.
  static var isConditional: Bool { get }

  var wrappedValue: Object? { get }

  init(wrappedValue: Object?)
  func deliver(_ object: Object)
}

extension DeferredReference {
  static func encodingStrategy(in coder: KeyedArchiver) -> AnyObject {
    ReferenceEncodingStrategy<Self>(coder.strategy(for: Object.self))
  }

  static func decodingStrategy(in coder: KeyedUnarchiver) -> AnyObject {
    func keyed<Keyed: KeyedCoding>(_ type: Keyed.Type) -> AnyObject {
      KeyedReferenceDecodingStrategy<Self, Keyed>(coder.strategy(for: Object.self))
    }
    if let type = Object.self as? any KeyedCoding.Type { return keyed(type) }
    return ReferenceDecodingStrategy<Self>(coder.strategy(for: Object.self))
  }
}

extension ArchiveReference: CollectionEncodable, CollectionDecodable, DeferredReference {
  static var isConditional: Bool { false }

  func deliver(_ object: Object) {
    let former = storage.object
    storage.object = object
    withExtendedLifetime(former) {}
  }
}

extension ArchiveBackReference: CollectionEncodable, CollectionDecodable, DeferredReference {
  static var isConditional: Bool { true }

  func deliver(_ object: Object) { storage.object = object }
}

private final class ReferenceEncodingStrategy<Reference: DeferredReference>: EncodingStrategy<Reference> {
  private let object: EncodingStrategy<Reference.Object>

  init(_ object: EncodingStrategy<Reference.Object>) { self.object = object }

  override func record(_ value: Reference, in coder: KeyedArchiver) -> RecordedValue {
    guard let instance = value.wrappedValue else { return RecordedValue(.null) }
    return Reference.isConditional
      ? object.recordConditionally(instance, in: coder) : object.record(instance, in: coder)
  }
}

/// The strategy of references to a class that is only Codable.
private class ReferenceDecodingStrategy<Reference: DeferredReference>: DecodingStrategy<Reference> {
  private let object: DecodingStrategy<Reference.Object>

  init(_ object: DecodingStrategy<Reference.Object>) { self.object = object }

  override func make(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> Reference? {
    let reference = Reference(wrappedValue: nil)
    // A collection contains an object for nil.
    if try coder.isNullObject(uid) { return reference }
    try `defer`(reference, uid, in: coder)
    return reference
  }

  /// Has the object delivered to a reference as soon as it is complete.
  func `defer`(_ reference: Reference, _ uid: UInt32, in coder: KeyedUnarchiver) throws {
    _ = try coder.defer(DecodableObject<Reference.Object>.self, uid) { reference.deliver($0.value) }
  }

  override func make(inline item: BinaryItem, in coder: KeyedUnarchiver) throws -> Reference? {
    Reference(wrappedValue: try object.make(inline: item, in: coder))
  }

  override func makeFromNull(in coder: KeyedUnarchiver) throws -> Reference? { Reference(wrappedValue: nil) }
}

/// The strategy of references to a class that conforms to `KeyedCoding`. `Keyed` is that class.
private final class KeyedReferenceDecodingStrategy<Reference: DeferredReference, Keyed: KeyedCoding>:
  ReferenceDecodingStrategy<Reference>
{
  override func `defer`(_ reference: Reference, _ uid: UInt32, in coder: KeyedUnarchiver) throws {
    _ = try coder.defer(Keyed.self, uid) { if let object = $0 as? Reference.Object { reference.deliver(object) } }
  }
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
