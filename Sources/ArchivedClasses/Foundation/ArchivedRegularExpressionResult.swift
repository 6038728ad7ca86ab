// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// What a regular expression found: an `NSTextCheckingResult`.
public struct ArchivedRegularExpressionResult: SecureKeyedCoding, DynamicArchiveClass, Hashable, Sendable {
  /// Which of Foundation's classes it is, which depends on how many groups the expression has.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No groups.
    case simple = "NSSimpleRegularExpressionCheckingResult"
    /// Up to six.
    case extended = "NSExtendedRegularExpressionCheckingResult"
    /// More.
    case complex = "NSComplexRegularExpressionCheckingResult"
  }

  /// Which of Foundation's classes it is.
  public var kind: Kind
  /// The expression.
  public var expression: ArchivedRegularExpression
  /// What the whole expression matched, then each of its groups.
  public var ranges: [ArchivedRange]

  /// Makes a result.
  public init(kind: Kind? = nil, expression: ArchivedRegularExpression, ranges: [ArchivedRange]) {
    self.kind = kind ?? (ranges.count <= 1 ? .simple : ranges.count <= 7 ? .extended : .complex)
    self.expression = expression
    self.ranges = ranges
  }

  /// `NSSimpleRegularExpressionCheckingResult`.
  public static var archiveClassName: String { Kind.simple.rawValue }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// The names of the other kinds.
  public static var archiveClassAliases: [String] { [Kind.extended.rawValue, Kind.complex.rawValue] }

  package var archivedClass: ClassDescription {
    ClassDescription(
      name: kind.rawValue,
      chain: [kind.rawValue, "NSRegularExpressionCheckingResult", "NSTextCheckingResult", "NSObject"])
  }

  /// Stores the expression, all ranges, and the first once more.
  public func encode(with coder: KeyedArchiver) throws {
    guard let whole = ranges.first else {
      throw KeyedArchiveError(.notEncodable, "a result of a regular expression has no range")
    }
    coder.encode(whole.location, forKey: "NSRangeLocation")
    coder.encode(whole.length, forKey: "NSRangeLength")
    coder.encode(expression, forKey: "NSRegularExpression")
    coder.encode(ArchivedArray(ranges, isMutable: kind == .extended), forKey: "NSRangeArray")
  }

  /// Reads expression and ranges; the first range must be that of the whole.
  public init?(coder: KeyedUnarchiver) throws {
    kind = Kind(exactly: try coder.classNameOfObject) ?? .simple
    expression = try coder.decode(ArchivedRegularExpression.self, forKey: "NSRegularExpression")
    let whole = ArchivedRange(
      location: try coder.count("NSRangeLocation"), length: try coder.count("NSRangeLength"))
    ranges = try coder.decodeIfPresent([ArchivedRange].self, forKey: "NSRangeArray") ?? [whole]
    guard ranges.first == whole else {
      throw coder.malformed("'NSRangeArray' of a result of a regular expression does not begin with the whole range")
    }
  }
}
