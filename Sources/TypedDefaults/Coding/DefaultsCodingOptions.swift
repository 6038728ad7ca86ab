// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// How types that have more than one form in a property list are encoded.
///
/// What is read is not bound to them where forms cannot be mistaken for each other: a URL is read from a text, from a
/// dictionary and from an archive, whatever ``urls`` says.
public struct DefaultsCodingOptions: Sendable {
  /// The forms of a URL.
  public enum URLForm: Sendable, Hashable {
    /// Its text; with a base, as ``dictionary``, since the text alone would lose it.
    case string
    /// A dictionary of `relative` and, if there is one, `base`, as `PropertyListEncoder` writes it.
    case dictionary
    /// Data: the keyed archive of an `NSURL`, as Apple's `UserDefaults` keeps it.
    case archive
  }

  /// The forms of a date.
  public enum DateForm: Sendable, Hashable {
    /// A property list's own date.
    case native
    /// A real: seconds since 1970.
    case secondsSince1970
    /// A real: seconds since 2001.
    case secondsSinceReferenceDate
    /// A text as in ISO 8601, with milliseconds.
    case iso8601
  }

  /// The forms of a UUID.
  public enum UUIDForm: Sendable, Hashable {
    /// Its text.
    case string
    /// Its 16 bytes.
    case data
  }

  /// The forms of a decimal number.
  public enum DecimalForm: Sendable, Hashable {
    /// Its text.
    case string
    /// The dictionary of its inner parts that `PropertyListEncoder` writes.
    case dictionary
  }

  /// What becomes of a nil that a type encodes. An optional property without a value is not encoded at all.
  public enum NilForm: Sendable, Hashable {
    /// The dictionary `{"$null": true}`. A dictionary of exactly that content gets one more `$`, and loses it when it is
    /// read, so no value can be mistaken for nil.
    case marker
    /// In a dictionary it is left out; in an array it is an error, since the other elements would change their places.
    case omitted
    /// The text `$null`, as `PropertyListEncoder` writes it. That text itself is read as nil then.
    case text
  }

  /// The form of URLs.
  public var urls: URLForm = .string
  /// The form of dates.
  public var dates: DateForm = .native
  /// The form of UUIDs.
  public var uuids: UUIDForm = .string
  /// The form of decimal numbers.
  public var decimals: DecimalForm = .string
  /// The form of nil.
  public var nils: NilForm = .marker
  /// What types find in their encoder and decoder.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  private(set) var hooks: [ObjectIdentifier: any Sendable] = [:]

  /// The forms that are used where none are given.
  public init() {}

  /// The forms that `PropertyListEncoder` of Foundation uses.
  public static var foundation: Self {
    var options = Self()
    options.urls = .dictionary
    options.decimals = .dictionary
    options.nils = .text
    return options
  }

  /// Has a type converted by two functions, wherever a value of it is met.
  public mutating func convert<Value>(
    _ type: Value.Type, encode: @escaping @Sendable (Value) throws -> PropertyListValue,
    decode: @escaping @Sendable (PropertyListValue) throws -> Value
  ) {
    hooks[ObjectIdentifier(type)] = CodingHook(encode: encode, decode: decode)
  }

  @inline(__always)
  func hook<Value>(for type: Value.Type) -> CodingHook<Value>? {
    hooks.isEmpty ? nil : hooks[ObjectIdentifier(type)] as? CodingHook<Value>
  }
}

/// How a type is converted by functions of the caller's.
struct CodingHook<Value>: Sendable {
  let encode: @Sendable (Value) throws -> PropertyListValue
  let decode: @Sendable (PropertyListValue) throws -> Value
}

/// What stands for nil.
enum NilMarker {
  static let text = "$null"
  static let value = PropertyListValue.dictionary([text: true])

  /// A key that is the marker's, with any number of further dollar signs.
  private static func isLike(_ key: String, atLeast dollars: Int) -> Bool {
    guard key.utf8.count >= dollars + 4, key.hasSuffix("null") else { return false }
    return key.utf8.dropLast(4).allSatisfy { $0 == 0x24 }
  }

  /// A dictionary in a form that differs from the marker.
  @inline(__always)
  static func escaped(_ entries: PropertyListDictionary) -> PropertyListDictionary {
    guard entries.count == 1, entries[0].value == true, isLike(entries[0].key, atLeast: 1) else { return entries }
    return ["$" + entries[0].key: true]
  }

  /// The dictionary that ``escaped(_:)`` was given.
  @inline(__always)
  static func unescaped(_ entries: PropertyListDictionary) -> PropertyListDictionary {
    guard entries.count == 1, entries[0].value == true, isLike(entries[0].key, atLeast: 2) else { return entries }
    return [String(entries[0].key.rest(after: "$") ?? ""): true]
  }

  static func isMarker(_ value: PropertyListValue, _ options: DefaultsCodingOptions) -> Bool {
    switch value {
    case .dictionary(let entries): entries.count == 1 && entries[0].key == text && entries[0].value == true
    case .string(let string): options.nils == .text && string == text
    default: false
    }
  }
}
