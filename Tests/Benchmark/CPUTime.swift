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

/// A number with two decimals.
func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

/// A text in a column of a width; negative widths put it to the right.
func pad(_ text: String, _ width: Int) -> String {
  let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
  return width < 0 ? blanks + text : text + blanks
}
