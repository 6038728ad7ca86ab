// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

extension KeyedArchiver {
  /// Encodes a Codable value for a key as Apple's `encodeEncodable` does: as the property list of a
  /// `PropertyListEncoder`.
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
  /// - Throws: Any error of the value's `encode(to:)` or of `PropertyListEncoder`.
  public func encodeEncodable<Value: Encodable>(_ value: Value, forKey key: String) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    encoder.userInfo = userInfo
    // The encoder rejects a primitive as the top object, but not in an array.
    let list = try PropertyList(encoder.encode([value]))
    guard case .array(let elements) = try list.object(list.top), let element = elements.first else {
      throw KeyedArchiveError(
        .notEncodable, "\(Value.self) did not encode any value", remedy: "Encode a value or a container in encode(to:)")
    }
    encode(try PropertyListBox.value(element, of: list), forKey: key)
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
  /// - Returns: The value, or nil if the key is absent, stores nil, or the call fails.
  public func decodeDecodable<Value: Decodable>(_ type: Value.Type, forKey key: String) -> Value? {
    recordingErrors(nil) { try decodable(type, key) } ?? fallback(nil, for: key)
  }

  /// Decodes the Codable value for a top-level key that was archived as a property list.
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - key: The top-level key.
  /// - Returns: The value, or nil if the key is absent or stores nil.
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
    var builder = PropertyListBuilder(self)
    let element = try builder.add(value)
    let top = try builder.append(.array([element]))
    let data = try PropertyList(table: builder.rows, top: top, limits: limits).data(format: .binary)
    let decoder = PropertyListDecoder()
    decoder.userInfo = userInfo
    return try decoder.decode([Value].self, from: data).first
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

  static func value(_ ref: ObjectRef, of list: PropertyList) throws -> any KeyedCoding {
    switch try list.object(ref) {
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
    case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let data): return data
    case .string(let text): return text
    case .array(let elements): return Array(elements: try elements.map { try value($0, of: list) })
    case .dictionary(let keys, let values):
      let pairs = try zip(keys, values).map { key, value in
        guard case .string(let text) = try list.object(key) else {
          throw KeyedArchiveError(
            .notEncodable, "a dictionary key is not a string", remedy: "Encode a dictionary with string keys")
        }
        return (key: text, value: try Self.value(value, of: list))
      }
      let sorted = pairs.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      return Dictionary(keys: sorted.map(\.key), values: sorted.map(\.value))
    case .null, .uid, .set:
      throw KeyedArchiveError(.notEncodable, "a property list contains a null, UID or set, which cannot be archived")
    }
  }
}

/// Builds a property list from archived objects.
///
/// Equal short strings and integers share an object. Collections have no identity here: a shared one is copied for each
/// reference, within the decoding budget.
private struct PropertyListBuilder {
  private(set) var rows: [PropertyListObject] = []
  private var rowOfText: [BytewiseString: ObjectRef] = [:]
  private var rowOfInteger: [Int64: ObjectRef] = [:]
  private let coder: KeyedUnarchiver
  private var budget: ExpansionBudget

  init(_ coder: KeyedUnarchiver) {
    self.coder = coder
    budget = coder.storage.state.source.budget
  }

  mutating func append(_ object: PropertyListObject) throws -> ObjectRef {
    // The size in the finished list is small beside this cost.
    guard budget.take(object.weight) else { throw coder.storage.state.source.tooLarge() }
    rows.append(object)
    return ObjectRef(rawValue: UInt32(truncatingIfNeeded: rows.count - 1))
  }

  private mutating func text(_ text: String) throws -> ObjectRef {
    // Hashing long strings would cost more than storing them again.
    guard text.utf8.count <= 256 else { return try append(.string(text)) }
    if let row = rowOfText[BytewiseString(text)] { return row }
    let row = try append(.string(text))
    rowOfText[BytewiseString(text)] = row
    return row
  }

  private mutating func integer(_ value: Int64) throws -> ObjectRef {
    if let row = rowOfInteger[value] { return row }
    let row = try append(.integer(value))
    rowOfInteger[value] = row
    return row
  }

  mutating func add(_ value: any KeyedCoding) throws -> ObjectRef {
    switch value {
    case let text as String: return try self.text(text)
    case let data as Data: return try append(.data(data))
    case let date as Date: return try append(.date(date.timeIntervalSinceReferenceDate))
    case let number as ArchiveNumber:
      switch number {
      case .boolean(let value): return try append(.boolean(value))
      case .integer(let value): return try integer(value)
      case .unsigned(let value): return try append(.wideInteger(high: 0, low: value))
      case .float(let value): return try append(.float(value))
      case .double(let value): return try append(.double(value))
      }
    case let array as ArchivedArray:
      var elements: [ObjectRef] = []
      for element in array.elements { elements.append(try add(element)) }
      return try append(.array(elements))
    case let dictionary as ArchivedDictionary:
      var keys: [ObjectRef] = []
      for key in dictionary.keys {
        guard let text = key as? String else {
          throw KeyedArchiveError(
            .malformedValue, "invalid property list: found a key of type \(type(of: key)); expected a string")
        }
        keys.append(try self.text(text))
      }
      var values: [ObjectRef] = []
      for value in dictionary.values { values.append(try add(value)) }
      return try append(.dictionary(keys: keys, values: values))
    default: throw KeyedArchiveError(.malformedValue, "invalid property list: found a value of type \(type(of: value))")
    }
  }
}
