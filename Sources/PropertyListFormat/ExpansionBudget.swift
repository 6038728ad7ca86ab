// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The memory that values created from a file may still take, and the work that may still be done for the file.
///
/// Costs have 64 bits on every platform: that of a file of 40 MB can exceed 32.
///
/// - Memory: the size of the file times ``ReadLimits/maximumExpansion``. A traversal that visits shared values once for
///   each reference charges the cost of each value. A cost is the estimated memory of a value, so it also limits the
///   time to create values. A file without shared values stays far below the limit, because a reference has at least
///   one byte and a value costs 56.
/// - Work: ``workFactor`` times as many bytes may be read again, compared or hashed without creating values. An example
///   is a long key that many objects share.
@_spi(Archiving) public struct ExpansionBudget: Sendable {
  /// The cost of an element of a container, or of another value of fixed size. It is the memory of a value in an array
  /// of values of any type, including the unused capacity of such an array.
  public static let element: Int64 = 56

  /// Comparing or hashing a byte takes less than a nanosecond. Creating a value with a cost of 56 takes 50 ns.
  package static let workFactor: Int64 = 4

  @usableFromInline var left: Int64
  @usableFromInline var workLeft: Int64
  /// Whether a charge exceeded the budget.
  public var isExhausted = false

  /// The minimum size in the calculation. A smaller file gets the budget of a file of this size.
  package static let leastByteCount: Int64 = 8192

  /// Creates the budget for a file and its edits, whose objects are copied at most once.
  /// - Parameters:
  ///   - byteCount: The size of the file.
  ///   - editedWeight: The cost of all edited and added objects.
  ///   - limits: The limits on the file.
  public init(byteCount: Int64, editedWeight: Int64 = 0, limits: ReadLimits) {
    let (budget, overflow) = max(byteCount, Self.leastByteCount).multipliedReportingOverflow(
      by: Int64(limits.maximumExpansion))
    let (sum, isTooLarge) = budget.addingReportingOverflow(2 * editedWeight)
    left = overflow || isTooLarge ? .max : sum
    let (work, isLimitless) = left.multipliedReportingOverflow(by: Self.workFactor)
    workLeft = isLimitless ? .max : work
  }

  /// Charges bytes that are read again, compared or hashed.
  /// - Parameter byteCount: The number of bytes.
  /// - Returns: `false` if they exceed the remaining work.
  @inlinable @inline(__always)
  public mutating func touch(_ byteCount: Int64) -> Bool {
    guard byteCount <= workLeft else {
      isExhausted = true
      return false
    }
    workLeft &-= byteCount
    return true
  }

  /// Charges a cost.
  /// - Parameter weight: The cost.
  /// - Returns: `false` if it exceeds the remaining budget.
  @inlinable @inline(__always)
  public mutating func take(_ weight: Int64) -> Bool {
    guard weight <= left else {
      isExhausted = true
      return false
    }
    left &-= weight
    return true
  }
}

@_spi(Archiving) extension BinaryItem {
  /// The estimated memory of the value, without the elements that a container refers to.
  @inlinable
  public var weight: Int64 {
    let count = Int64(truncatingIfNeeded: count)
    return switch kind {
    case .ascii, .data: ExpansionBudget.element &+ 2 &* count
    // A UTF-16 unit takes up to three bytes in UTF-8.
    case .utf16: ExpansionBudget.element &+ 4 &* count
    case .array, .set: ExpansionBudget.element &* (count &+ 1)
    case .dictionary: ExpansionBudget.element &* (2 &* count &+ 1)
    default: ExpansionBudget.element
    }
  }
}

extension PropertyListObject {
  /// The estimated memory of the object, without the elements that a container refers to.
  package var weight: Int64 {
    switch self {
    case .string(let text): ExpansionBudget.element &+ 2 &* Int64(text.utf8.count)
    case .data(let bytes): ExpansionBudget.element &+ 2 &* Int64(bytes.count)
    case .array(let elements), .set(let elements): ExpansionBudget.element &* (Int64(elements.count) &+ 1)
    case .dictionary(let keys, let values):
      ExpansionBudget.element &* (Int64(keys.count) &+ Int64(values.count) &+ 1)
    default: ExpansionBudget.element
    }
  }
}
