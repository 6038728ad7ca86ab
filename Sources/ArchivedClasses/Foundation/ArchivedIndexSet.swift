// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSIndexSet`: indexes as ranges. `IndexSet` of Foundation is archived as one of these too, where
/// `KeyedArchivingFoundation` is imported.
public struct ArchivedIndexSet: SecureKeyedCoding, MutableClassPair, Hashable, Sendable {
  /// The indexes, in ascending ranges that do not overlap.
  public var ranges: [Range<Int>]

  /// Whether it is archived as an `NSMutableIndexSet`.
  public var isMutable: Bool

  /// Makes a set.
  public init(_ ranges: [Range<Int>] = [], isMutable: Bool = false) {
    self.ranges = ranges
    self.isMutable = isMutable
  }

  /// `NSIndexSet`.
  public static var archiveClassName: String { "NSIndexSet" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `NSMutableIndexSet`.
  public static var archiveClassAliases: [String] { ["NSMutableIndexSet"] }

  package static var mutableName: String { "NSMutableIndexSet" }

  /// Stores how many ranges there are; then one as two integers, or several as varints, location and length in turn.
  public func encode(with coder: KeyedArchiver) throws {
    guard ArchivedIndexSet.isInOrder(ranges) else {
      throw KeyedArchiveError(.notEncodable, "the ranges of an index set must ascend from 0 and not be empty")
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
  }

  /// Reads the ranges, of which there must be as many as the archive says.
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
      throw coder.malformed("'NSRangeData' of an index set of \(count) ranges holds \(numbers.count) numbers")
    }
    ranges = []
    for place in 0..<count {
      guard let location = Int(exactly: numbers[2 * place]), let length = Int(exactly: numbers[2 * place + 1]),
        case let (end, isTooLarge) = location.addingReportingOverflow(length), !isTooLarge
      else {
        throw KeyedArchiveError(
          .outOfRange, "an index set with \(numbers[2 * place + 1]) indexes from \(numbers[2 * place])",
          keyPath: coder.keyPath())
      }
      ranges.append(location..<end)
    }
    guard ArchivedIndexSet.isInOrder(ranges) else {
      throw coder.malformed("the ranges of an index set are empty or overlap")
    }
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
