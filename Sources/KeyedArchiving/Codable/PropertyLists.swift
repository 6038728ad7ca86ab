// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

extension KeyedArchiver {
  /// Encodes a Codable value for a key as Apple's `encodeEncodable` does: as the property list that Foundation's
  /// `PropertyListEncoder` makes of it.
  ///
  /// The archive contains dictionaries, arrays, strings, numbers, dates and data, without references to shared objects
  /// or names of the value's types. To archive each object separately, conform the type to ``KeyedCodable``.
  ///
  /// The classes `NSMutableDictionary` and `NSMutableArray`, and the use of the string `$null` for nil, follow the
  /// published sources of Apple's Foundation; no archive confirms them. Keys are sorted by their bytes. The string
  /// `$null` itself is stored as an object with a key, because as a primitive it would be nil.
  /// - Parameters:
  ///   - value: The value to encode.
  ///   - key: The key of the value.
  /// - Throws: Any error of the value's `encode(to:)`. `EncodingError` if it encodes nothing, uses several kinds of
  ///   containers of one encoder, or nests too deeply.
  public func encodeEncodable<Value: Encodable>(_ value: Value, forKey key: String) throws {
    var options = PropertyListCodingOptions.foundation
    options.userInfo = userInfo
    encode(try PropertyListBox.value(PropertyListValueEncoder(options: options).encode(value)), forKey: key)
  }
}

extension KeyedUnarchiver {
  /// The types in a property list.
  private static var propertyListTypes: [any KeyedCoding.Type] {
    [ArchivedDictionary.self, ArchivedArray.self, String.self, ArchiveNumber.self, Date.self, Data.self]
  }

  /// Decodes the Codable value for a key that was archived as a property list, by
  /// ``KeyedArchiver/encodeEncodable(_:forKey:)`` or Apple's method of the same name.
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - key: The key of the value.
  /// - Returns: The value, or nil if the key is absent, stores nil, or the call fails. ``KeyedArchiver/encodeEncodable(_:forKey:)``
  ///   stores a nil optional as the string `$null`. It is decoded as nil for each type that has no value for nil itself.
  public func decodeDecodable<Value: Decodable>(_ type: Value.Type, forKey key: String) -> Value? {
    recordingErrors(nil) { try decodable(type, key) } ?? fallback(nil, for: key)
  }

  /// Decodes the Codable value for a top-level key that was archived as a property list.
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - key: The top-level key.
  /// - Returns: The value, or nil if the key is absent or stores nil, also as the string `$null`.
  /// - Throws: ``KeyedArchiveError`` if the object is not a property list or the value's `init(from:)` fails.
  public func decodeTopLevelDecodable<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try throwing { try decodable(type, key) }
  }

  /// Decodes the property list for a key, which consists of ``ArchivedDictionary``, ``ArchivedArray``, `String`,
  /// ``ArchiveNumber``, `Date` and `Data`.
  /// - Parameter key: The key of the property list.
  /// - Returns: The property list, or nil if the key is absent, stores nil, or the call fails.
  public func decodePropertyList(forKey key: String) -> (any KeyedCoding)? {
    decodeObject(of: KeyedUnarchiver.propertyListTypes, forKey: key)
  }

  private func decodable<Value: Decodable>(_ type: Value.Type, _ key: String) throws -> Value? {
    guard let value = try object(KeyedUnarchiver.propertyListTypes, key) else { return nil }
    var reader = PropertyListReader(self)
    var options = PropertyListCodingOptions.foundation
    options.userInfo = userInfo
    let list = try reader.value(of: value)
    // The form of nil. The encoder's form of the string is the same, and Foundation's decoder takes it for nil too.
    let isNil = list == .string("$null")
    if isNil, type == String.self { return nil }
    do {
      return try PropertyListValueDecoder(options: options).decode(type, from: list)
    } catch {
      if isNil { return nil }
      throw (error as? DecodingError).map { placed($0, key) } ?? error
    }
  }

  /// Returns an error with the place of the property list, because its coding path begins there.
  private func placed(_ error: DecodingError, _ key: String) -> DecodingError {
    func placed(_ context: DecodingError.Context) -> DecodingError.Context {
      guard context.underlyingError == nil else { return context }
      // It has no underlying error itself, because that would be thrown in place of the error.
      var cause = KeyedArchiveError(error)
      cause.underlying = nil
      cause.place = place(to: key)
      return DecodingError.Context(
        codingPath: context.codingPath, debugDescription: context.debugDescription, underlyingError: cause)
    }
    switch error {
    case .typeMismatch(let type, let context): return .typeMismatch(type, placed(context))
    case .valueNotFound(let type, let context): return .valueNotFound(type, placed(context))
    case .keyNotFound(let key, let context): return .keyNotFound(key, placed(context))
    case .dataCorrupted(let context): return .dataCorrupted(placed(context))
    @unknown default: return error
    }
  }
}

/// The wrappers for dictionaries and arrays of an archived property list.
private enum PropertyListBox {
  struct Dictionary: EncodableBox {
    let keys: [String]
    let values: [any KeyedCoding]

    static var archiveClassName: String { "NSMutableDictionary" }
    static var archiveClassChain: [String] { ["NSMutableDictionary", "NSDictionary", "NSObject"] }

    func encode(with coder: KeyedArchiver) {
      coder.encodeReferences(to: keys, forKey: "NS.keys")
      coder.encodeReferences(toMixed: values, forKey: "NS.objects")
    }
  }

  struct Array: EncodableBox {
    let elements: [any KeyedCoding]

    static var archiveClassName: String { "NSMutableArray" }
    static var archiveClassChain: [String] { ["NSMutableArray", "NSArray", "NSObject"] }

    func encode(with coder: KeyedArchiver) { coder.encodeReferences(toMixed: elements, forKey: "NS.objects") }
  }

  static func value(_ value: PropertyListValue) throws -> any KeyedCoding {
    switch value {
    case .boolean(let value): return value
    case .integer(let value): return value
    case .wideInteger(let high, let low):
      let value = WideInteger(high: high, low: low)
      guard let value = UInt64(exactly: value) else {
        throw KeyedArchiveError(
          .notEncodable, "the integer \(value) does not fit 64 bits", remedy: "Encode it as a string or as data")
      }
      return value
    case .float(let value): return value
    case .double(let value): return value
    case .date(let date): return date
    case .data(let data): return data
    case .string(let text): return text
    case .array(let elements): return Array(elements: try elements.map { try Self.value($0) })
    // The keys are sorted by their bytes.
    case .dictionary(let entries):
      return Dictionary(keys: entries.map(\.key), values: try entries.map { try Self.value($0.value) })
    case .uid: throw KeyedArchiveError(.notEncodable, "a property list contains a UID, which cannot be archived")
    }
  }
}

/// Converts archived objects to a property list.
///
/// Collections have no identity here: a shared one is copied for each reference. All conversions of a decoder have one budget,
/// because many objects can request the same collection.
private struct PropertyListReader {
  let coder: KeyedUnarchiver
  private var stack = StackGuard()

  init(_ coder: KeyedUnarchiver) { self.coder = coder }

  /// Charges the memory of a value without the contents of a container, which has `count` elements, keys and values.
  private func charge(_ object: PropertyListObject, _ count: Int = 0) throws {
    try coder.storage.state.charge(converting: object.weight &+ ExpansionBudget.element &* Int64(count))
  }

  mutating func value(of value: any KeyedCoding) throws -> PropertyListValue {
    switch value {
    case let text as String:
      try charge(.string(text))
      return .string(text)
    case let data as Data:
      try charge(.data(data))
      return .data(data)
    case let date as Date:
      try charge(.null)
      return .date(date)
    case let number as ArchiveNumber:
      try charge(.null)
      switch number {
      case .boolean(let value): return .boolean(value)
      case .integer(let value): return .integer(value)
      case .unsigned(let value): return PropertyListValue(value)
      case .float(let value): return .float(value)
      case .double(let value): return .double(value)
      }
    case let array as ArchivedArray:
      try stack.checkNestedCollection()
      try charge(.null, array.elements.count)
      return .array(try array.elements.map { try self.value(of: $0) })
    case let dictionary as ArchivedDictionary:
      try stack.checkNestedCollection()
      try charge(.null, 2 * dictionary.keys.count)
      var entries: [(String, PropertyListValue)] = []
      entries.reserveCapacity(dictionary.keys.count)
      for (key, value) in zip(dictionary.keys, dictionary.values) {
        guard let key = key as? String else {
          throw KeyedArchiveError(
            .malformedValue, "invalid property list: found a key of type \(type(of: key)); expected a string")
        }
        try charge(.string(key))
        entries.append((key, try self.value(of: value)))
      }
      let list = PropertyListDictionary(entries)
      guard list.count == entries.count else {
        throw KeyedArchiveError(.malformedValue, "duplicate key of a dictionary: one of its values would be lost")
      }
      return .dictionary(list)
    default: throw KeyedArchiveError(.malformedValue, "invalid property list: found a value of type \(type(of: value))")
    }
  }
}
