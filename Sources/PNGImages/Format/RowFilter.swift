// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// The five row filters (PNG specification, 9.2): a byte is stored as its difference from a guess.
enum RowFilter: UInt8, CaseIterable {
  case none = 0
  /// The guess is the byte one pixel to the left.
  case sub = 1
  /// The guess is the byte above.
  case up = 2
  /// The guess is the mean of both, rounded down.
  case average = 3
  /// The guess is left, above or above left, whichever is nearest to left + above - above left.
  case paeth = 4
}

extension MutableRawSpan {
  /// Turns the filtered row of `count` bytes at `row` back into samples, in place.
  /// - Parameters:
  ///   - filter: what the row was filtered with.
  ///   - row: where the row begins, behind its filter byte.
  ///   - previous: where the row above begins, already unfiltered; nil for the first row, which sees zeros above.
  ///   - count: the bytes of the row.
  ///   - distance: the bytes of a pixel, at least 1.
  mutating func unfilter(_ filter: RowFilter, row: Int, previous: Int?, count: Int, distance: Int) {
    switch (filter, previous) {
    case (.none, _), (.up, nil): break
    // With zeros above, left is always the nearest guess.
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
    // The first pixel has nothing on its left, so above is the nearest guess.
    addAbove(row, above, min(distance, count))
    var i = distance
    // A pixel's three or four bytes do not depend on each other: four lanes at once. Three bytes are loaded as four
    // while a fourth is there.
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

/// The Paeth guess of one byte; ties go to left, then above.
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

/// The same for four bytes at once.
@inline(__always)
private func paethGuess(
  left: SIMD4<Int16>, above: SIMD4<Int16>, aboveLeft: SIMD4<Int16>
) -> SIMD4<Int16> {
  let p = above &- aboveLeft
  let q = left &- aboveLeft
  let r = p &+ q
  let fromLeft = pointwiseMax(p, 0 &- p)
  let fromAbove = pointwiseMax(q, 0 &- q)
  let fromAboveLeft = pointwiseMax(r, 0 &- r)
  let second = above.replacing(with: aboveLeft, where: fromAbove .> fromAboveLeft)
  return left.replacing(with: second, where: (fromLeft .> fromAbove) .| (fromLeft .> fromAboveLeft))
}
