// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSRegularExpression`, which is not compiled.
public struct ArchivedRegularExpression: SecureKeyedCoding, Hashable, Sendable {
  /// The pattern.
  public var pattern: String
  /// The raw value of `NSRegularExpression.Options`.
  public var options: Int
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates an expression.
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - options: The raw value of `NSRegularExpression.Options`.
  public init(pattern: String, options: Int = 0) {
    self.pattern = pattern
    self.options = options
  }

  /// Returns whether all properties are equal. Compares strings by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.pattern == b.pattern && a.options == b.options && a.otherValues == b.otherValues
  }

  /// Hashes all properties.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(pattern)
    hasher.combine(options)
  }

  /// The archived class name, `NSRegularExpression`.
  public static var archiveClassName: String { "NSRegularExpression" }

  /// Encodes the pattern and options.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(pattern, forKey: "NSPattern")
    coder.encode(options, forKey: "NSOptions")
    otherValues.encode(with: coder)
  }

  /// Decodes the pattern and options.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    options = try coder.primitive(Int.self, "NSOptions") ?? 0
    otherValues = try coder.otherValues(except: ["NSPattern", "NSOptions"])
    // Last, so that the error of a pattern that does not compile has its path.
    pattern = try coder.decode(String.self, forKey: "NSPattern")
  }
}

/// The result of matching a regular expression, an `NSTextCheckingResult`.
public struct ArchivedRegularExpressionResult: SecureKeyedCoding, DynamicArchiveClass, Hashable, Sendable {
  /// The class of a result, which depends on the number of capture groups.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No capture groups.
    case simple = "NSSimpleRegularExpressionCheckingResult"
    /// Up to six capture groups.
    case extended = "NSExtendedRegularExpressionCheckingResult"
    /// More than six capture groups.
    case complex = "NSComplexRegularExpressionCheckingResult"
  }

  /// The class of the result.
  public var kind: Kind
  /// The expression.
  public var expression: ArchivedRegularExpression
  /// The range of the whole match, followed by those of the capture groups.
  public var ranges: [ArchivedRange]
  /// Whether the ranges are stored as a mutable array; nil before they are decoded.
  private var isArrayMutable = StoredForm<Bool?>(nil)
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a result.
  /// - Parameters:
  ///   - kind: The class of the result; nil chooses it by the number of ranges.
  ///   - expression: The expression.
  ///   - ranges: The range of the whole match, followed by those of the capture groups.
  public init(kind: Kind? = nil, expression: ArchivedRegularExpression, ranges: [ArchivedRange]) {
    self.kind = kind ?? (ranges.count <= 1 ? .simple : ranges.count <= 7 ? .extended : .complex)
    self.expression = expression
    self.ranges = ranges
  }

  /// The archived class name, `NSSimpleRegularExpressionCheckingResult`.
  public static var archiveClassName: String { Kind.simple.rawValue }
  /// Other matching class names, those of the other kinds.
  public static var archiveClassAliases: [String] { [Kind.extended.rawValue, Kind.complex.rawValue] }

  package var archivedClass: ClassDescription {
    ClassDescription(
      name: kind.rawValue,
      chain: [kind.rawValue, "NSRegularExpressionCheckingResult", "NSTextCheckingResult", "NSObject"])
  }

  /// Encodes the expression and the ranges. The first range is stored twice.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    guard let whole = ranges.first else {
      throw KeyedArchiveError(.notEncodable, "invalid result of a regular expression: no range")
    }
    coder.encode(whole.location.storedPosition, forKey: "NSRangeLocation")
    coder.encode(whole.length, forKey: "NSRangeLength")
    coder.encode(expression, forKey: "NSRegularExpression")
    coder.encode(ArchivedArray(ranges, isMutable: isArrayMutable.form ?? (kind == .extended)), forKey: "NSRangeArray")
    otherValues.encode(with: coder)
  }

  /// Decodes the expression and the ranges. The first range must be that of the whole match.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    kind = Kind(exactly: try coder.classNameOfObject) ?? .simple
    expression = try coder.decode(ArchivedRegularExpression.self, forKey: "NSRegularExpression")
    let whole = ArchivedRange(
      location: try coder.position("NSRangeLocation"), length: try coder.count("NSRangeLength"))
    ranges = try coder.decodeIfPresent([ArchivedRange].self, forKey: "NSRangeArray") ?? [whole]
    isArrayMutable.form = try coder.isArrayMutable(forKey: "NSRangeArray")
    guard ranges.first == whole else {
      throw coder.malformed(
        "invalid result of a regular expression: 'NSRangeArray' does not begin with the whole range")
    }
    otherValues = try coder.otherValues(
      except: ["NSRegularExpression", "NSRangeLocation", "NSRangeLength", "NSRangeArray"])
  }
}
