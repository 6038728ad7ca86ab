// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSIndexSet`. With `KeyedArchivingFoundation`, Foundation's `IndexSet` has the same archived form.
public struct ArchivedIndexSet: SecureKeyedCoding, MutableClassPair, Hashable, Sendable {
  /// The ascending ranges of indexes, which do not overlap.
  public var ranges: [Range<Int>]

  /// A Boolean value that indicates whether the class is `NSMutableIndexSet`.
  public var isMutable: Bool
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates an index set.
  /// - Parameters:
  ///   - ranges: The ascending ranges of indexes, which do not overlap.
  ///   - isMutable: Whether the class is `NSMutableIndexSet`.
  public init(_ ranges: [Range<Int>] = [], isMutable: Bool = false) {
    self.ranges = ranges
    self.isMutable = isMutable
  }

  /// The archived class name, `NSIndexSet`.
  public static var archiveClassName: String { "NSIndexSet" }
  /// Other matching class names: `NSMutableIndexSet`.
  public static var archiveClassAliases: [String] { ["NSMutableIndexSet"] }

  package static var mutableName: String { "NSMutableIndexSet" }

  /// Encodes the number of ranges; and one range as two integers, or several as varints, alternating location and
  /// length.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    guard ArchivedIndexSet.isInOrder(ranges) else {
      throw KeyedArchiveError(
        .notEncodable, "invalid index set: the ranges must be ascending, nonnegative and not empty")
    }
    coder.encode(ranges.count, forKey: "NSRangeCount")
    if ranges.count == 1 {
      coder.encode(ranges[0].lowerBound, forKey: "NSLocation")
      coder.encode(ranges[0].count, forKey: "NSLength")
    } else if ranges.count > 1 {
      var bytes: [UInt8] = []
      for range in ranges {
        Varint.append(UInt64(range.lowerBound), to: &bytes)
        Varint.append(UInt64(range.count), to: &bytes)
      }
      coder.encode(ArchivedMutableData(bytes), forKey: "NSRangeData")
    }
    otherValues.encode(with: coder)
  }

  /// Decodes the ranges and checks their number.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    isMutable = try coder.classNameOfObject == Self.mutableName
    let count = try coder.count("NSRangeCount")
    var numbers: [UInt64] = []
    if count == 1 {
      numbers = [UInt64(try coder.count("NSLocation")), UInt64(try coder.count("NSLength"))]
    } else if count > 1 {
      numbers = try coder.varints("NSRangeData")
    }
    guard numbers.count.isMultiple(of: 2), numbers.count / 2 == count else {
      throw coder.malformed("invalid index set of \(count) ranges: 'NSRangeData' has \(numbers.count) numbers")
    }
    ranges = []
    for place in 0..<count {
      guard let location = Int(exactly: numbers[2 * place]), let length = Int(exactly: numbers[2 * place + 1]),
        case let (end, isTooLarge) = location.addingReportingOverflow(length), !isTooLarge
      else {
        throw KeyedArchiveError(
          .outOfRange, "invalid index set: \(numbers[2 * place + 1]) indexes from \(numbers[2 * place])",
          at: coder.place(), remedy: PropertyListError.useAnotherCopy)
      }
      ranges.append(location..<end)
    }
    guard ArchivedIndexSet.isInOrder(ranges) else {
      throw coder.malformed("invalid index set: the ranges are empty or overlap")
    }
    otherValues = try coder.otherValues(except: ["NSRangeCount", "NSLocation", "NSLength", "NSRangeData"])
  }

  private static func isInOrder(_ ranges: [Range<Int>]) -> Bool {
    var end = 0
    for range in ranges {
      guard range.lowerBound >= end, !range.isEmpty else { return false }
      end = range.upperBound
    }
    return true
  }
}
