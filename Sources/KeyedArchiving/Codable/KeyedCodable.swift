// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A Codable type that can be archived. The conformance needs no further code.
///
/// ```swift
/// final class Creature: KeyedCodable {
///   var title: String
///   var rating: Double
///   var friends: [Creature]
/// }
/// ```
///
/// The values of `encode(to:)` are archived as by the `encode(with:)` of a class with the same keys. Such a class can
/// decode them, also on Apple's systems:
///
/// - Keys are the coding keys' string values. Numbers and Booleans are stored inline.
/// - Each nested class, struct or enum is a separate object with its class name, whether it conforms to this protocol
///   or only to `Codable`. An instance that is referenced twice is archived once and decoded as one.
/// - Strings, data, dates, arrays, dictionaries, sets and all other types that conform to ``KeyedCoding`` are archived
///   as elsewhere, for example arrays as `NSArray`.
/// - An optional is archived as its value. The key of a nil optional is omitted, as by every encoder, and Apple's
///   decoder returns nil for it. (The open-source Foundation reports an error unless `containsValue(forKey:)` is called
///   first.) An optional of an optional that contains nil is decoded as nil.
/// - A struct or enum that encodes itself as a single value, such as an enum with raw values, is archived as that
///   value.
/// - A nested container is an `NSDictionary` or `NSArray`. The values of a type's own unkeyed container are stored as
///   `NSCoder` stores unkeyed values, in order.
///
/// Decoding allows only the types that `init(from:)` requests; a class name in an archive never selects a type. A
/// subclass may substitute for its superclass if ``KeyedCoding/archiveSubclasses`` declares it. A reference that closes
/// a cycle cannot be decoded by `init(from:)`, which needs a complete object; declare it with ``ArchiveReference`` or
/// ``ArchiveBackReference``.
///
/// An error of `encode(to:)` or `init(from:)` ends the archiving or decoding, and is the
/// ``KeyedArchiveError/underlying`` error. An `encode(to:)` cannot catch the errors of nested values, because these are
/// encoded after it returns.
public protocol KeyedCodable: SecureKeyedCoding, Codable {}

extension KeyedCodable {
  /// Encodes the values that `encode(to:)` encodes.
  /// - Parameter coder: The archiver that encodes this value.
  /// - Throws: Any error of `encode(to:)`.
  public func encode(with coder: KeyedArchiver) throws { try coder.encodeContents(of: self) }

  /// Creates a value with `init(from:)`.
  /// - Parameter coder: The unarchiver that decodes this value.
  /// - Throws: Any error of `init(from:)`.
  public init(coder: KeyedUnarchiver) throws { self = try Self(from: ArchiveDecoder(coder: coder)) }

  /// Decodes a struct or enum from an object, or from the single value as which it was archived.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver that decodes the object.
  /// - Returns: The value, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged or its class is not allowed, and any error of
  ///   `init(from:)`.
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Self? {
    try coder.makeCodable(Self.self, from: uid.rawValue)
  }
}

extension KeyedCodable where Self: AnyObject {
  /// Decodes an instance of a class, or returns the one that was already decoded.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver that decodes the object.
  /// - Returns: The instance, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, its class is not allowed, or `init(from:)` fails.
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(Self.self, from: uid.rawValue)
  }
}

extension Encoder {
  /// The archiver of an encoder. It has features without a Codable counterpart, such as conditional references.
  ///
  /// It encodes into the object whose `encode(to:)` received the encoder. Nil for the encoder of a nested container, which
  /// is another object, after that `encode(to:)` returned, and for encoders of other formats.
  public var keyedArchiver: KeyedArchiver? {
    guard let encoder = self as? ArchiveEncoder, encoder.node == nil,
      encoder.coder.storage.state.encodedObject.id == encoder.object
    else { return nil }
    return encoder.coder
  }
}

extension Decoder {
  /// The unarchiver of a decoder. It has features without a Codable counterpart, such as deferred references.
  ///
  /// It decodes from the current object. Nil for a decoder of a single value or of a nested container, which is not
  /// that object, and for decoders of other formats.
  public var keyedUnarchiver: KeyedUnarchiver? {
    guard let decoder = self as? ArchiveDecoder, case .scope = decoder.source else { return nil }
    return decoder.coder
  }
}
