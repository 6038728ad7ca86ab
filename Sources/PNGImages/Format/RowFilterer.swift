// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// Selects a filter for each row: the one with the smallest sum of differences, taken as signed numbers.
///
/// The PNG specification recommends this heuristic (12.7); it needs no trial compression.
struct RowFilterer {
  /// The number of zeros before and after each row. Those before are the pixel to the left of the first; those after
  /// allow reads of eight bytes.
  private static let margin = 8

  private let byteCount: Int
  private let distance: Int
  private let stride: Int
  /// The current row and the one above, alternating, and one filtered row per filter.
  private var buffer: [UInt8]
  private var currentIsFirst = true

  /// Allocates rows of `byteCount` bytes with pixels of `distance` bytes, 1 to 4.
  init(byteCount: Int, distance: Int) {
    self.byteCount = byteCount
    self.distance = distance
    stride = byteCount + 2 * Self.margin
    buffer = [UInt8](repeating: 0, count: stride * 6)
  }

  /// Filters a row and writes it with its filter byte.
  /// - Parameters:
  ///   - filtered: The destination.
  ///   - target: The offset of the `byteCount + 1` bytes to write.
  ///   - fill: Writes the row's samples at an offset.
  mutating func filter(into filtered: inout MutableRawSpan, at target: Int, fill: (inout MutableRawSpan, Int) -> Void) {
    let current = (currentIsFirst ? 0 : stride) + Self.margin
    let above = (currentIsFirst ? stride : 0) + Self.margin
    currentIsFirst.toggle()
    let (byteCount, distance, stride) = (byteCount, distance, stride)
    buffer.withMutableBytes { bytes in
      fill(&bytes, current)
      var best = RowFilter.none
      var bestFrom = current
      var least = bytes.cost(at: current, count: byteCount)
      for filter in [RowFilter.sub, .up, .average, .paeth] where least > 0 {
        let candidate = stride * (Int(filter.rawValue) + 1) + Self.margin
        bytes.apply(filter, from: current, above: above, to: candidate, count: byteCount, distance: distance)
        let cost = bytes.cost(at: candidate, count: byteCount)
        if cost < least { (best, bestFrom, least) = (filter, candidate, cost) }
      }
      filtered.set(best.rawValue, at: target)
      filtered.copy(bytes.bytes.extracting(bestFrom..<bestFrom + byteCount), to: target + 1)
    }
  }
}

extension MutableRawSpan {
  /// Writes the differences of a row from the predictions of `filter`.
  fileprivate mutating func apply(
    _ filter: RowFilter, from row: Int, above: Int, to target: Int, count: Int, distance: Int
  ) {
    var i = 0
    switch filter {
    case .none: break
    case .sub:
      while i < count {
        set(word(at: row &+ i).subtractingBytes(word(at: row &+ i &- distance)), at: target &+ i)
        i &+= 8
      }
    case .up:
      while i < count {
        set(word(at: row &+ i).subtractingBytes(word(at: above &+ i)), at: target &+ i)
        i &+= 8
      }
    case .average:
      while i < count {
        let guess = word(at: row &+ i &- distance).averageOfBytes(word(at: above &+ i))
        set(word(at: row &+ i).subtractingBytes(guess), at: target &+ i)
        i &+= 8
      }
    case .paeth:
      while i < count {
        let guess = paethGuess(
          left: byte(at: row &+ i &- distance), above: byte(at: above &+ i),
          aboveLeft: byte(at: above &+ i &- distance))
        set(byte(at: row &+ i) &- guess, at: target &+ i)
        i &+= 1
      }
    }
  }

  /// Returns the sum of the bytes' distances from zero, 0 to 128 each.
  fileprivate func cost(at start: Int, count: Int) -> Int {
    var sum = 0
    var i = 0
    while i < count {
      var bytes = word(at: start &+ i)
      if count &- i < 8 { bytes &= (1 &<< UInt64(truncatingIfNeeded: 8 &* (count &- i))) &- 1 }
      // Negate negative bytes without carry into the next byte.
      let negative = bytes >> 7 & 0x0101_0101_0101_0101
      let sizes = (bytes ^ negative &* 0xFF) &+ negative
      let pairs = (sizes & 0x00FF_00FF_00FF_00FF) &+ (sizes >> 8 & 0x00FF_00FF_00FF_00FF)
      sum &+= Int(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) >> 48)
      i &+= 8
    }
    return sum
  }
}
