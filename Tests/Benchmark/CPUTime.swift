// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// What went wrong in a measurement, so that it is not taken for a result.
struct BenchmarkError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// Processor time of this process, which neighbours on the machine disturb less than the time on the wall.
enum CPUTime {
  static func now() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

  static func of(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return now() - start
  }
}

/// Lets the process keep the memory it was given.
///
/// Otherwise the C library hands every block of more than 32 MB back to the system when it is freed, and the next run pays
/// for getting it again, page by page, while smaller blocks are used again at no cost: the large graph of a comparison
/// would be charged for the system's work and the small one not.
func keepMemory() {
  #if canImport(Glibc)
    let (trimThreshold, topPad, mmapMax): (Int32, Int32, Int32) = (-1, -2, -4)
    _ = mallopt(mmapMax, 0)
    _ = mallopt(trimThreshold, .max)
    _ = mallopt(topPad, 256 << 20)
  #endif
}

#if canImport(Glibc)
  // <malloc.h> is not part of the module Glibc.
  @_silgen_name("mallopt") private func mallopt(_ parameter: Int32, _ value: Int32) -> Int32
#endif

/// A number with two decimals.
func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

/// A text in a column of a width; negative widths put it to the right.
func pad(_ text: String, _ width: Int) -> String {
  let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
  return width < 0 ? blanks + text : text + blanks
}
