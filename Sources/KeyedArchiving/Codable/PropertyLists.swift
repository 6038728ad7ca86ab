// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

extension KeyedArchiver {
  /// Archives a Codable value under a key in the form that Apple's `encodeEncodable` gives it: as the property list that
  /// a `PropertyListEncoder` makes of it.
  ///
  /// Nothing is shared and no class is named; the archive holds dictionaries, arrays, strings, numbers, dates and data. To
  /// have objects archived one by one, conform the type to ``KeyedCodable``.
  ///
  /// That dictionaries and arrays are of the classes `NSMutableDictionary` and `NSMutableArray`, and that the text `$null`
  /// stands for nil, is known from the published sources of Apple's Foundation and not from an archive. Keys are in
  /// the order of their bytes. The text `$null` is stored as an object with a key, for as a bare one it would be nil.
  /// - Throws: what the value's `encode(to:)` throws, and what `PropertyListEncoder` does.
  public func encodeEncodable<Value: Encodable>(_ value: Value, forKey key: String) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    encoder.userInfo = userInfo
    // The encoder refuses strings, numbers and the like at the top, but not in an array.
    let list = try PropertyList(encoder.encode([value]))
    guard case .array(let elements) = try list.object(list.top), let element = elements.first else {
      throw KeyedArchiveError(.notEncodable, "\(Value.self) did not encode any value")
    }
    encode(try PropertyListBox.value(element, of: list), forKey: key)
  }
}

extension KeyedUnarchiver {
  /// What may be part of a property list.
  private static var propertyListTypes: [any KeyedCoding.Type] {
    [ArchivedDictionary.self, ArchivedArray.self, String.self, ArchiveNumber.self, Date.self, Data.self]
  }

  /// The Codable value for a key that was archived as a property list, by ``KeyedArchiver/encodeEncodable(_:forKey:)`` or
  /// Apple's method of that name; nil if there is none.
  public func decodeDecodable<Value: Decodable>(_ type: Value.Type, forKey key: String) -> Value? {
    kept(nil) { try decodable(type, key) }
  }

  /// The Codable value for a top-level key that was archived as a property list; nil if there is none.
  /// - Throws: ``KeyedArchiveError`` for what is no property list, and for what the value's `init(from:)` throws.
  public func decodeTopLevelDecodable<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try throwing { try decodable(type, key) }
  }

  /// The property list for a key, of ``ArchivedDictionary``, ``ArchivedArray``, `String`, ``ArchiveNumber``, `Date` and
  /// `Data`; nil if there is none.
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

/// The dictionaries and arrays of a property list that is archived.
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
    case .wideInteger(let value):
      guard let value = UInt64(exactly: value) else {
        throw KeyedArchiveError(.notEncodable, "the integer \(value) does not fit 64 bits")
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
          throw KeyedArchiveError(.notEncodable, "a dictionary has a key that is no string")
        }
        return (key: text, value: try Self.value(value, of: list))
      }
      let sorted = pairs.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      return Dictionary(keys: sorted.map(\.key), values: sorted.map(\.value))
    case .null, .uid, .set:
      throw KeyedArchiveError(.notEncodable, "a property list has a value that cannot be archived")
    }
  }
}

/// Makes a property list of archived objects.
///
/// Equal short texts and numbers stand in it once. Collections have no identity any more: those that are shared in the
/// archive are written once for each reference, for as long as there is room.
private struct PropertyListBuilder {
  private(set) var rows: [PropertyListObject] = []
  private var rowOfText: [BytewiseString: ObjectRef] = [:]
  private var rowOfInteger: [Int64: ObjectRef] = [:]
  private let coder: KeyedUnarchiver
  private var room: ExpansionBudget

  init(_ coder: KeyedUnarchiver) {
    self.coder = coder
    room = coder.storage.state.source.room
  }

  mutating func append(_ object: PropertyListObject) throws -> ObjectRef {
    // What it takes in the list that is made of it is little beside this.
    guard room.take(object.weight) else { throw coder.storage.state.source.tooLarge() }
    rows.append(object)
    return ObjectRef(rawValue: UInt32(truncatingIfNeeded: rows.count - 1))
  }

  private mutating func text(_ text: String) throws -> ObjectRef {
    // To look for a long one takes longer than there may be of them.
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
      case .unsigned(let value): return try append(.wideInteger(Int128(value)))
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
            .malformedValue, "a key of a property list must be a string, it is of type \(type(of: key))")
        }
        keys.append(try self.text(text))
      }
      var values: [ObjectRef] = []
      for value in dictionary.values { values.append(try add(value)) }
      return try append(.dictionary(keys: keys, values: values))
    default: throw KeyedArchiveError(.malformedValue, "a property list cannot hold a value of \(type(of: value))")
    }
  }
}
