// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// Scales by area averages, row by row, in integers.
///
/// Common factors are removed from the old width `W` and the new width `w`. An old pixel is then `w` units wide and a
/// new one `W`, so every overlap is a whole number of units. Rows work likewise. The sums of a new pixel are exact, and
/// each is divided once.
struct AreaScaler {
  private let oldWidth: Int
  private let oldHeight: Int
  private let newWidth: Int
  private let newHeight: Int
  private let unitsX: Ratio
  private let unitsY: Ratio

  /// The units of a new pixel and of an old one, without common factors.
  private struct Ratio {
    let new: Int
    let old: Int

    init(oldSize: Int, newSize: Int) {
      var (a, b) = (oldSize, newSize)
      while b != 0 { (a, b) = (b, a % b) }
      new = oldSize / a
      old = newSize / a
    }
  }

  init(from old: (width: Int, height: Int), to new: (width: Int, height: Int)) {
    (oldWidth, oldHeight) = old
    (newWidth, newHeight) = new
    unitsX = Ratio(oldSize: old.width, newSize: new.width)
    unitsY = Ratio(oldSize: old.height, newSize: new.height)
  }

  func scale(_ source: RawSpan, into target: inout MutableRawSpan) {
    // The sums of one old row and of the current new row: red, green and blue times alpha, and alpha.
    var rowArray = ContiguousArray<UInt64>(repeating: 0, count: 4 * newWidth)
    var sumArray = rowArray
    var row = rowArray.mutableSpan
    var sums = sumArray.mutableSpan
    var y = 0
    // The uncovered units of the new row.
    var missing = unitsY.new
    for oldY in 0..<oldHeight {
      addUpRow(source, at: 4 * oldY * oldWidth, into: &row)
      var left = unitsY.old
      while left > 0 {
        let overlap = min(left, missing)
        Self.add(row.span, times: UInt64(truncatingIfNeeded: overlap), to: &sums)
        left -= overlap
        missing -= overlap
        if missing == 0 {
          writeRow(&sums, into: &target, at: 4 * y * newWidth)
          y += 1
          missing = unitsY.new
        }
      }
    }
  }

  /// Sums an old row into new pixels.
  private func addUpRow(_ source: RawSpan, at start: Int, into sums: inout MutableSpan<UInt64>) {
    var to = 0
    var missing = unitsX.new
    var sum = SIMD4<UInt64>(repeating: 0)
    var from = start
    for _ in 0..<oldWidth {
      let alpha = UInt64(source.byte(at: from &+ 3))
      let pixel = SIMD4<UInt64>(
        UInt64(source.byte(at: from)) &* alpha, UInt64(source.byte(at: from &+ 1)) &* alpha,
        UInt64(source.byte(at: from &+ 2)) &* alpha, alpha)
      from &+= 4
      var left = unitsX.old
      while left > 0 {
        let overlap = min(left, missing)
        sum &+= pixel &* SIMD4(repeating: UInt64(truncatingIfNeeded: overlap))
        left &-= overlap
        missing &-= overlap
        if missing == 0 {
          sums[to] = sum.x
          sums[to &+ 1] = sum.y
          sums[to &+ 2] = sum.z
          sums[to &+ 3] = sum.w
          to &+= 4
          sum = SIMD4(repeating: 0)
          missing = unitsX.new
        }
      }
    }
  }

  private static func add(_ row: Span<UInt64>, times weight: UInt64, to sums: inout MutableSpan<UInt64>) {
    for i in 0..<sums.count { sums[i] &+= row[i] &* weight }
  }

  /// Writes the sums divided by the area, rounded to the nearest, and resets them.
  private func writeRow(_ sums: inout MutableSpan<UInt64>, into target: inout MutableRawSpan, at start: Int) {
    let area = UInt64(truncatingIfNeeded: unitsX.new) &* UInt64(truncatingIfNeeded: unitsY.new)
    var i = 0
    while i < sums.count {
      let alphaSum = sums[i &+ 3]
      let alpha = (alphaSum &+ area / 2) / area
      // A transparent pixel has no color; the check also prevents a division by zero.
      if alpha > 0 {
        for channel in 0..<3 {
          let sample = (sums[i &+ channel] &+ alphaSum / 2) / alphaSum
          target.set(UInt8(truncatingIfNeeded: sample), at: start &+ i &+ channel)
        }
        target.set(UInt8(truncatingIfNeeded: alpha), at: start &+ i &+ 3)
      }
      for channel in 0..<4 { sums[i &+ channel] = 0 }
      i &+= 4
    }
  }
}
