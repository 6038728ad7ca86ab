// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// How much may still be made of a file, and how much work may still be done for it.
///
/// - Memory: the file's size times ``ReadLimits/maximumExpansion``. A walk that visits shared values once per reference
///   takes the weight of each value. A weight is about what a value takes in memory, so it also limits the time that it
///   takes to make values. A file whose values are not shared is far from the limit: a reference to a value has at least
///   one byte, and a value weighs 56.
/// - Work: ``workFactor`` times as many bytes may be read again, compared or hashed without anything being made of them,
///   such as a long key that many objects share.
@_spi(Archiving) public struct ExpansionBudget: Sendable {
  /// What an element of a container, or any other value of a fixed size, weighs: what it takes in an array of values of
  /// any type, with what such an array is larger than it must be.
  public static let element = 56

  /// To compare or hash a byte takes less than a nanosecond, to make a value that weighs 56 takes fifty.
  static let workFactor = 4

  @usableFromInline var left: Int
  @usableFromInline var workLeft: Int
  /// Whether something asked for more than there was.
  public var isExhausted = false

  /// A smaller file counts as one of so many bytes.
  package static let leastByteCount = 8192

  /// The room for what is made of a file, and of what edits added to it: no more is made of that than a copy.
  /// - Parameters:
  ///   - byteCount: the size of the file.
  ///   - editedWeight: the weight of all objects that edits added.
  ///   - limits: how many times its size may be made of the file.
  public init(byteCount: Int, editedWeight: Int = 0, limits: ReadLimits) {
    let (room, overflow) = max(byteCount, Self.leastByteCount).multipliedReportingOverflow(by: limits.maximumExpansion)
    let (sum, isTooLarge) = room.addingReportingOverflow(2 * editedWeight)
    left = overflow || isTooLarge ? .max : sum
    let (work, isLimitless) = left.multipliedReportingOverflow(by: Self.workFactor)
    workLeft = isLimitless ? .max : work
  }

  /// Takes away bytes that are read again, compared or hashed; returns false if there is not as much work left.
  @inlinable @inline(__always)
  public mutating func touch(_ byteCount: Int) -> Bool {
    guard byteCount <= workLeft else {
      isExhausted = true
      return false
    }
    workLeft &-= byteCount
    return true
  }

  /// Takes away a weight; false if there is not as much room.
  @inlinable @inline(__always)
  public mutating func take(_ weight: Int) -> Bool {
    guard weight <= left else {
      isExhausted = true
      return false
    }
    left &-= weight
    return true
  }
}

@_spi(Archiving) extension BinaryItem {
  /// About what its value takes in memory, without what the elements of a container take beyond their references.
  @inlinable
  public var weight: Int {
    switch kind {
    case .ascii, .data: ExpansionBudget.element &+ 2 &* count
    // Up to three bytes come of each unit.
    case .utf16: ExpansionBudget.element &+ 4 &* count
    case .array, .set: ExpansionBudget.element &* (count &+ 1)
    case .dictionary: ExpansionBudget.element &* (2 &* count &+ 1)
    default: ExpansionBudget.element
    }
  }
}

extension PropertyListObject {
  /// About what it takes in memory.
  package var weight: Int {
    switch self {
    case .string(let text): ExpansionBudget.element &+ 2 &* text.utf8.count
    case .data(let bytes): ExpansionBudget.element &+ 2 &* bytes.count
    case .array(let elements), .set(let elements): ExpansionBudget.element &* (elements.count &+ 1)
    case .dictionary(let keys, let values): ExpansionBudget.element &* (keys.count &+ values.count &+ 1)
    default: ExpansionBudget.element
    }
  }
}
