// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

extension String: SecureKeyedCoding, PrimitiveValue {
  /// The archived class name, `NSString`.
  public static var archiveClassName: String { "NSString" }

  /// The archived class name of mutable strings, `NSMutableString`, which is an object with the key `NS.string`.
  public static var archiveClassAliases: [String] { ["NSMutableString"] }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .ascii || item.kind == .utf16
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> String {
    guard item.kind == .ascii || item.kind == .utf16 else { throw .mismatch(item, Self.self, source) }
    return try source.string(item)
  }

  /// Encodes the text for the key `NS.string`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encodeText(self, forKey: "NS.string") }

  /// Decodes the text for the key `NS.string`, or from UTF-8 for the key `NS.bytes`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the text is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    if let text = try coder.primitive(String.self, "NS.string") {
      self = text
    } else {
      let bytes = try coder.needed([UInt8].self, "NS.bytes")
      guard let text = String(validUTF8: bytes) else {
        throw coder.malformed("invalid 'NS.bytes' of a string: expected valid UTF-8")
      }
      try coder.checkHashed(text)
      if !text.isASCII { try coder.storage.state.countHashing(text) }
      self = text
    }
  }

  /// Records a boxed string. The text `$null` would decode as nil, so it is recorded as an object with a key.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    if utf8.count == 5, let object = ArchiveNull.object(ifNull: self) {
      return coder.storage.state.recorded(value: object)
    }
    return RecordedValue(.string, coder.storage.state.add(string: self))
  }

  /// Decodes a boxed string, or the object of a mutable string.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver.
  /// - Returns: The text, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged or has another type.
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> String? {
    try coder.make(bare: String.self, from: uid.rawValue)
  }
}

extension KeyedArchiver {
  /// Encodes a string as an object.
  /// - Parameters:
  ///   - value: The string.
  ///   - key: The key, which the object uses once.
  public func encode(_ value: String, forKey key: String) { record(value.record(in: self), key) }
}

/// A string that is archived as an `NSMutableString`: an object with a key, while a `String` is a primitive.
///
/// A request for `String` decodes either.
public struct ArchivedMutableString: SecureKeyedCoding, Hashable, Sendable {
  /// The text.
  public var text: String

  /// Creates a mutable string.
  /// - Parameter text: The text.
  public init(_ text: String) { self.text = text }

  /// Returns whether the texts have the same bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether the texts have the same bytes.
  public static func == (a: Self, b: Self) -> Bool { a.text == b.text }

  /// Hashes the text.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// The archived class name, `NSMutableString`.
  public static var archiveClassName: String { "NSMutableString" }

  /// The superclass chain, which includes `NSString`.
  public static var archiveClassChain: [String] { ["NSMutableString", "NSString", "NSObject"] }

  /// Encodes the text for the key `NS.string`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { text.encode(with: coder) }

  /// Decodes the text for the key `NS.string`, or from UTF-8 for the key `NS.bytes`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the text is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws { text = try String.made(by: coder) }
}
