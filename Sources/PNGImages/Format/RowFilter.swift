// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// The five row filters (PNG specification, 9.2), which store a byte as the difference from a prediction.
enum RowFilter: UInt8, CaseIterable {
  case none = 0
  /// Predicts the byte one pixel to the left.
  case sub = 1
  /// Predicts the byte above.
  case up = 2
  /// Predicts the mean of both, rounded down.
  case average = 3
  /// Predicts the one of left, above and above left that is nearest to left + above - above left.
  case paeth = 4
}

extension MutableRawSpan {
  /// Unfilters a row in place.
  /// - Parameters:
  ///   - filter: The row's filter.
  ///   - row: The offset of the row, after its filter byte.
  ///   - previous: The offset of the unfiltered row above; nil for the first row, which has zeros above.
  ///   - count: The number of bytes in the row.
  ///   - distance: The number of bytes per pixel, at least 1.
  mutating func unfilter(_ filter: RowFilter, row: Int, previous: Int?, count: Int, distance: Int) {
    switch (filter, previous) {
    case (.none, _), (.up, nil): break
    // With zeros above, left is always the nearest prediction.
    case (.sub, _), (.paeth, nil): addLeft(row, count, distance)
    case (.up, let above?): addAbove(row, above, count)
    case (.average, nil): addHalfOfLeft(row, count, distance)
    case (.average, let above?): addAverage(row, above, count, distance)
    case (.paeth, let above?): addPaeth(row, above, count, distance)
    }
  }

  private mutating func addLeft(_ row: Int, _ count: Int, _ distance: Int) {
    var i = distance
    if distance == 4, count >= 4 {
      var left = halfWord(at: row)
      while i < count {
        left = halfWord(at: row &+ i).addingBytes(left)
        set(left, at: row &+ i)
        i &+= 4
      }
      return
    }
    while i < count {
      set(byte(at: row &+ i) &+ byte(at: row &+ i &- distance), at: row &+ i)
      i &+= 1
    }
  }

  private mutating func addAbove(_ row: Int, _ above: Int, _ count: Int) {
    var i = 0
    while i &+ 8 <= count {
      set(word(at: row &+ i).addingBytes(word(at: above &+ i)), at: row &+ i)
      i &+= 8
    }
    while i < count {
      set(byte(at: row &+ i) &+ byte(at: above &+ i), at: row &+ i)
      i &+= 1
    }
  }

  private mutating func addHalfOfLeft(_ row: Int, _ count: Int, _ distance: Int) {
    var i = distance
    while i < count {
      set(byte(at: row &+ i) &+ byte(at: row &+ i &- distance) >> 1, at: row &+ i)
      i &+= 1
    }
  }

  private mutating func addAverage(_ row: Int, _ above: Int, _ count: Int, _ distance: Int) {
    var i = 0
    if distance == 4 {
      var left: UInt32 = 0
      while i &+ 4 <= count {
        left = halfWord(at: row &+ i).addingBytes(left.averageOfBytes(halfWord(at: above &+ i)))
        set(left, at: row &+ i)
        i &+= 4
      }
      return
    }
    while i < count {
      let left = i < distance ? 0 : Int(byte(at: row &+ i &- distance))
      let guess = (left &+ Int(byte(at: above &+ i))) >> 1
      set(byte(at: row &+ i) &+ UInt8(truncatingIfNeeded: guess), at: row &+ i)
      i &+= 1
    }
  }

  private mutating func addPaeth(_ row: Int, _ above: Int, _ count: Int, _ distance: Int) {
    // The first pixel has zeros on its left, so above is the nearest prediction.
    addAbove(row, above, min(distance, count))
    var i = distance
    // The bytes of a pixel are independent, so four are computed at once. Three bytes are loaded as four while a fourth
    // follows.
    if distance == 4 || distance == 3, count > distance {
      var left = SIMD4<Int16>(truncatingIfNeeded: pixel(at: row))
      var aboveLeft = SIMD4<Int16>(truncatingIfNeeded: pixel(at: above))
      while i &+ 4 <= count {
        let aboveHere = SIMD4<Int16>(truncatingIfNeeded: pixel(at: above &+ i))
        let guess = paethGuess(left: left, above: aboveHere, aboveLeft: aboveLeft)
        let value = pixel(at: row &+ i) &+ SIMD4<UInt8>(truncatingIfNeeded: guess)
        if distance == 4 {
          set(value, at: row &+ i)
        } else {
          set(value.x, at: row &+ i)
          set(value.y, at: row &+ i &+ 1)
          set(value.z, at: row &+ i &+ 2)
        }
        left = SIMD4<Int16>(truncatingIfNeeded: value)
        aboveLeft = aboveHere
        i &+= distance
      }
    }
    while i < count {
      let guess = paethGuess(
        left: byte(at: row &+ i &- distance), above: byte(at: above &+ i), aboveLeft: byte(at: above &+ i &- distance))
      set(byte(at: row &+ i) &+ guess, at: row &+ i)
      i &+= 1
    }
  }
}

/// Returns the Paeth prediction for a byte; ties prefer left, then above.
@inline(__always)
func paethGuess(left: UInt8, above: UInt8, aboveLeft: UInt8) -> UInt8 {
  let a = Int32(left)
  let b = Int32(above)
  let c = Int32(aboveLeft)
  let fromLeft = abs(b &- c)
  let fromAbove = abs(a &- c)
  let fromAboveLeft = abs(a &+ b &- c &- c)
  if fromLeft <= fromAbove, fromLeft <= fromAboveLeft { return left }
  return fromAbove <= fromAboveLeft ? above : aboveLeft
}

/// Returns the Paeth predictions for four bytes.
@inline(__always)
private func paethGuess(left: SIMD4<Int16>, above: SIMD4<Int16>, aboveLeft: SIMD4<Int16>) -> SIMD4<Int16> {
  let p = above &- aboveLeft
  let q = left &- aboveLeft
  let r = p &+ q
  let fromLeft = pointwiseMax(p, 0 &- p)
  let fromAbove = pointwiseMax(q, 0 &- q)
  let fromAboveLeft = pointwiseMax(r, 0 &- r)
  let second = above.replacing(with: aboveLeft, where: fromAbove .> fromAboveLeft)
  return left.replacing(with: second, where: (fromLeft .> fromAbove) .| (fromLeft .> fromAboveLeft))
}

// Arithmetic on all bytes of a number at once. The top bit of each byte is added separately by exclusive or, so that no
// carry crosses bytes.

extension FixedWidthInteger where Self: UnsignedInteger {
  /// Returns the sums of corresponding bytes, without carry.
  @inline(__always)
  func addingBytes(_ other: Self) -> Self {
    let low = Self(truncatingIfNeeded: 0x7F7F_7F7F_7F7F_7F7F as UInt64)
    return ((self & low) &+ (other & low)) ^ ((self ^ other) & ~low)
  }

  /// Returns the means of corresponding bytes, rounded down.
  @inline(__always)
  func averageOfBytes(_ other: Self) -> Self {
    let low = Self(truncatingIfNeeded: 0x7F7F_7F7F_7F7F_7F7F as UInt64)
    return (self & other) &+ ((self ^ other) &>> 1 & low)
  }

  /// Returns the differences of corresponding bytes, without borrow.
  @inline(__always)
  func subtractingBytes(_ other: Self) -> Self {
    let low = Self(truncatingIfNeeded: 0x7F7F_7F7F_7F7F_7F7F as UInt64)
    return ((self | ~low) &- (other & low)) ^ ((self ^ ~other) & ~low)
  }
}
