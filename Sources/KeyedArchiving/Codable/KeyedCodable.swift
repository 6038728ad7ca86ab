// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A Codable type that can be archived: this one line of conformance is all that is needed.
///
/// ```swift
/// final class Creature: KeyedCodable {
///   var title: String
///   var rating: Double
///   var friends: [Creature]
/// }
/// ```
///
/// What `encode(to:)` stores is archived as `encode(with:)` of a class with the same keys would archive it, so that such a
/// class reads it, on Apple's systems too:
///
/// - Keys are the coding keys' string values. Numbers and booleans are stored inside the object.
/// - Each nested class, struct or enum is an object of its own with its class name, whether it conforms to this protocol
///   or to `Codable` alone. Instances of classes that are referred to twice are archived once and come out as one.
/// - Strings, data, dates, arrays, dictionaries, sets and all other types that conform to ``KeyedCoding`` become what
///   they are elsewhere in an archive, arrays `NSArray` for instance. An optional is its value; where it is nil its key is
///   left out, as by every encoder, which Apple's decoder reads as nil. (The open-source Foundation takes it for an error
///   unless it is asked with `containsValue(forKey:)` first.) An optional of an optional that holds nil comes back as nil.
/// - A struct or enum that encodes itself as a single value, such as an enum with raw values, is archived as that value.
/// - A nested container is an `NSDictionary` or `NSArray`. What a type encodes in an unkeyed container of its own is what
///   `NSCoder` stores without keys, in order.
///
/// Decoding admits what `init(from:)` asks for by type, and nothing else: the name of a class in an archive never chooses
/// a type. A reference that closes a circle cannot be decoded by `init(from:)`, which must have its object complete;
/// declare it with ``ArchiveReference`` or ``ArchiveBackReference``. For a class whose subclasses may stand for it, list
/// them in ``KeyedCoding/archiveSubclasses``.
///
/// Errors that `encode(to:)` and `init(from:)` throw end the archiving or decoding; they are found in
/// ``KeyedArchiveError/underlying``. What goes wrong in nested values while encoding is not seen by the `encode(to:)` of the
/// containing one, for it is over by then.
public protocol KeyedCodable: SecureKeyedCoding, Codable {}

extension KeyedCodable {
  /// Encodes what `encode(to:)` encodes.
  public func encode(with coder: KeyedArchiver) throws { try encode(to: ArchiveEncoder(coder: coder, node: nil)) }

  /// Decodes what `init(from:)` asks for.
  public init(coder: KeyedUnarchiver) throws { self = try Self(from: ArchiveDecoder(coder: coder)) }

  /// Makes a struct or enum, from an object or from the single value as which it was archived.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Self? {
    try coder.makeCodable(Self.self, from: uid.rawValue)
  }
}

extension KeyedCodable where Self: AnyObject {
  /// Makes, or finds, an instance of a class.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(Self.self, from: uid.rawValue)
  }
}

extension Encoder {
  /// The archiver that is behind an encoder, for what Codable has no words for, such as a conditional reference.
  ///
  /// What is encoded with it goes into the object that is being encoded.
  public var keyedArchiver: KeyedArchiver? { (self as? ArchiveEncoder)?.coder }
}

extension Decoder {
  /// The unarchiver that is behind a decoder, for what Codable has no words for, such as a deferred reference.
  ///
  /// What is decoded with it comes from the object that is being decoded. Nil for a decoder of a single value or of a
  /// nested container, which is not that object.
  public var keyedUnarchiver: KeyedUnarchiver? {
    guard let decoder = self as? ArchiveDecoder, case .scope = decoder.place else { return nil }
    return decoder.coder
  }
}
