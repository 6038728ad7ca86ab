// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Arithmetic on all bytes of a number at once. The top bits of the bytes are kept out of the carry and put back with
// exclusive or.

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The sums of the bytes of two numbers, each byte for itself and without carry.
  @inline(__always)
  func addingBytes(_ other: Self) -> Self {
    let low = Self(truncatingIfNeeded: 0x7F7F_7F7F_7F7F_7F7F as UInt64)
    return ((self & low) &+ (other & low)) ^ ((self ^ other) & ~low)
  }

  /// The means of the bytes of two numbers, rounded down.
  @inline(__always)
  func averageOfBytes(_ other: Self) -> Self {
    let low = Self(truncatingIfNeeded: 0x7F7F_7F7F_7F7F_7F7F as UInt64)
    return (self & other) &+ ((self ^ other) &>> 1 & low)
  }

  /// The differences of the bytes of two numbers, each byte for itself and without borrow.
  @inline(__always)
  func subtractingBytes(_ other: Self) -> Self {
    let low = Self(truncatingIfNeeded: 0x7F7F_7F7F_7F7F_7F7F as UInt64)
    return ((self | ~low) &- (other & low)) ^ ((self ^ ~other) & ~low)
  }
}
