// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The forms in which ``PropertyListValueEncoder`` stores types that have more than one.
///
/// A decoder reads all forms that cannot be confused, whatever its options are. For example, it reads a URL from a
/// string and from a dictionary.
public struct PropertyListCodingOptions: Sendable {
  /// A form of a URL.
  public struct URLForm: Sendable {
    let encode: @Sendable (URL) throws -> PropertyListValue

    /// Creates a form.
    /// - Parameter encode: A function that encodes a URL.
    public init(_ encode: @escaping @Sendable (URL) throws -> PropertyListValue) { self.encode = encode }

    /// A string. A URL with a base URL is stored as a ``dictionary``, because its string has no base.
    public static let string = Self { url in
      url.baseURL == nil ? .string(url.relativeString) : URLCoding.dictionary(url)
    }

    /// A dictionary with the keys `relative` and, if the URL has a base, `base`, as `PropertyListEncoder` writes it.
    public static let dictionary = Self { URLCoding.dictionary($0) }
  }

  /// A form of a date.
  public enum DateForm: Sendable, Hashable {
    /// A date of the property list.
    case native
    /// A real: the seconds since 1970.
    case secondsSince1970
    /// A real: the seconds since 2001.
    case secondsSinceReferenceDate
    /// A string in ISO 8601 format with milliseconds.
    case iso8601
  }

  /// A form of a UUID.
  public enum UUIDForm: Sendable, Hashable {
    /// A string.
    case string
    /// Data of 16 bytes.
    case data
  }

  /// A form of a decimal number.
  public enum DecimalForm: Sendable, Hashable {
    /// A string.
    case string
    /// A dictionary of the number's components, as `PropertyListEncoder` writes it.
    case dictionary
  }

  /// A form of a nil that a type encodes. An optional property without a value is not encoded at all.
  public enum NilForm: Sendable, Hashable {
    /// The dictionary `{"$null": true}`. If a value is this very dictionary, the encoder adds another `$` to its key
    /// and the decoder removes it. Thus no value is confused with nil.
    case marker
    /// Nothing. A dictionary does not store the key. In an array, nil is an error, because the indexes of the following
    /// elements would change.
    case omitted
    /// The string `$null`, as `PropertyListEncoder` writes it. With this form, the same string is decoded as nil, and the
    /// dictionary of the ``marker`` is an ordinary one.
    case text
  }

  /// The form of URLs.
  public var urls = URLForm.string
  /// A function that decodes a URL from data. If it is nil, as it is by default, a URL in data is an error.
  public var urlFromData: (@Sendable (Data) throws -> URL?)?
  /// The form of dates.
  public var dates = DateForm.native
  /// The form of UUIDs.
  public var uuids = UUIDForm.string
  /// The form of decimal numbers.
  public var decimals = DecimalForm.string
  /// The form of nil.
  public var nils = NilForm.marker
  /// The user info that types find in their encoder or decoder.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Whether the coders do what Foundation's do where no form differs.
  ///
  /// An integer is decoded from a real without fraction, and a real from an integer that it rounds. A dictionary whose keys
  /// are an enumeration of strings becomes an array of keys and values. A nested value that encodes nothing becomes an
  /// empty dictionary.
  private(set) var followsFoundation = false

  private var conversions: [ObjectIdentifier: any Sendable] = [:]

  /// Creates the default options.
  public init() {}

  /// The forms that Foundation's `PropertyListEncoder` uses.
  ///
  /// With these options, a dictionary whose keys are an enumeration of strings becomes an array of keys and values. A nested
  /// value that encodes nothing becomes an empty dictionary.
  ///
  /// With these options, the decoder reads each value that `PropertyListDecoder` reads, with equal results, except:
  ///
  /// - A real that is out of the range of `Float` or `Double` is an error. `PropertyListDecoder` decodes infinity from XML
  ///   files.
  /// - Of XML files, a date that does not exist (`2020-02-30`, or 60 seconds) is an error. So are Base64 without its padding, with
  ///   padding inside or with other characters. So are a file without the element `plist` or with bytes after it, and encodings
  ///   other than UTF-8, UTF-16 and ISO 8859-1.
  /// - Of XML files, the integer `- 5` and the real `nan(1)` are errors. `PropertyListDecoder` reads -5 and NaN.
  /// - The date `-2001-01-01T00:00:00Z` of an XML file is before year 0. `PropertyListDecoder` reads it without the sign.
  /// - An integer of 16 bytes in a binary file has all of its bits. `PropertyListDecoder` ignores the upper eight bytes. It
  ///   decodes -1 as a `UInt64` of 2^64 - 1, and 2^64 as 0. Here, both are errors.
  /// - Dates of XML files before 15 October 1582 are in the Gregorian calendar, as `PropertyListSerialization` reads them.
  ///   `PropertyListDecoder` reads them in the Julian calendar.
  /// - A key is found by its bytes. `PropertyListDecoder` finds another spelling of the same characters, too.
  /// - Values that nest deeper than ``ReadLimits/maximumDepth`` are an error. So are values beyond other ``ReadLimits``, null
  ///   objects in binary files, and damaged objects, also those without a reference.
  ///
  /// It also decodes values that `PropertyListDecoder` rejects:
  ///
  /// - The string `$null` as a `String`. The encoder writes it for that string as well as for nil, so a type that requests
  ///   a string gets its own value back.
  /// - A `URL` from a string, and a `Decimal` from a string or an integer, because any options read all forms of a type.
  /// - A `Float` from a `Double` of a binary file, which it rounds. `PropertyListDecoder` rounds only those of XML files,
  ///   and a ``PropertyListValue`` does not tell the format of its file.
  public static var foundation: Self {
    var options = Self()
    options.urls = .dictionary
    options.decimals = .dictionary
    options.nils = .text
    options.followsFoundation = true
    return options
  }

  /// Converts all values of a type with two functions, at the top and inside of other values.
  /// - Parameters:
  ///   - type: The type.
  ///   - encode: A function that encodes a value.
  ///   - decode: A function that decodes a value.
  public mutating func convert<Value>(
    _ type: Value.Type, encode: @escaping @Sendable (Value) throws -> PropertyListValue,
    decode: @escaping @Sendable (PropertyListValue) throws -> Value
  ) {
    conversions[ObjectIdentifier(type)] = CustomConversion(encode: encode, decode: decode)
  }

  @inline(__always)
  func conversion<Value>(for type: Value.Type) -> CustomConversion<Value>? {
    conversions.isEmpty ? nil : conversions[ObjectIdentifier(type)] as? CustomConversion<Value>
  }

  /// Returns whether ``convert(_:encode:decode:)`` set functions for a type.
  package func converts(_ type: Any.Type) -> Bool { conversions[ObjectIdentifier(type)] != nil }
}

/// The functions that a caller set for a type.
struct CustomConversion<Value>: Sendable {
  let encode: @Sendable (Value) throws -> PropertyListValue
  let decode: @Sendable (PropertyListValue) throws -> Value
}

/// The stored forms of nil.
enum NilMarker {
  static let text = "$null"
  static let value = PropertyListValue.dictionary([text: true])

  /// Returns whether a key is `null` after a minimum number of dollar signs.
  private static func isLike(_ key: String, atLeast dollars: Int) -> Bool {
    guard key.utf8.count >= dollars + 4, key.hasSuffix("null") else { return false }
    return key.utf8.dropLast(4).allSatisfy { $0 == UInt8(ascii: "$") }
  }

  /// Returns another key for the only value of a dictionary, so that the dictionary differs from the marker.
  /// - Returns: The key, or nil if the dictionary is not like the marker.
  @inline(__always)
  static func escaped(
    _ key: String, _ value: EncodedValues.Cell, _ options: PropertyListCodingOptions
  ) -> String? {
    guard value.kind == .true, isLike(key, atLeast: 1), options.nils != .text else { return nil }
    return "$" + key
  }

  /// Returns the dictionary whose key was passed to ``escaped(_:_:_:)``.
  @inline(__always)
  static func unescaped(
    _ entries: PropertyListDictionary, _ options: PropertyListCodingOptions
  ) -> PropertyListDictionary {
    guard entries.count == 1, entries[0].value == true, isLike(entries[0].key, atLeast: 2), options.nils != .text else {
      return entries
    }
    return [String(entries[0].key.rest(after: "$") ?? ""): true]
  }

  static func isMarker(_ value: PropertyListValue, _ options: PropertyListCodingOptions) -> Bool {
    switch value {
    case .dictionary(let entries):
      options.nils != .text && entries.count == 1 && entries[0].key == text && entries[0].value == true
    case .string(let string): options.nils == .text && string == text
    default: false
    }
  }
}
