// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing

/// The C library, called by Foundation's formats, is the oracle. Tests try a sample of the numbers; with `WHOLE_TESTS`, all.
@Suite("Exact decimal numbers")
struct ExactDecimalTests {
  private func check(_ values: some Sequence<Double>) {
    for value in values {
      let (found, expected) = (ExactDecimal.text(value), String(format: "%.17g", value))
      if Array(found.utf8) != Array(expected.utf8) {
        Issue.record("\(value.bitPattern) is printed as \(found), C prints \(expected)")
      }
    }
  }

  @Test("have the text of C's %.17g for limits, powers of two and ten, and their neighbors")
  func special() {
    var values: [Double] = [0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .pi, 0.1, 0.5]
    values += (-1074...1023).map { Double(sign: .plus, exponent: $0, significand: 1) }
    // With the last digits before and behind each change between the two notations.
    values += (-323...308).compactMap { Double("1e\($0)") }
    values += (-323...308).compactMap { Double("9.9999999999999995e\($0)") }
    // Integers above 2^53 with 18 digits, some halfway between two numbers of 17 digits.
    values += (0..<1000).map { Double(100_000_000_000_000_000 + 16 * $0) + 5 }
    values += (0..<1000).map { Double(4_503_599_627_370_496 + $0) + 0.5 }
    values += values.flatMap { [$0.nextUp, $0.nextDown] }
    values = values.filter(\.isFinite)
    check(Sample.cases(values + values.map(-), each: 10))
  }

  @Test("have the text of C's %.17g for random numbers")
  func random() {
    for seed in Sample.cases(0..<20 as Range<UInt64>, each: 20) {
      var random = SeededRandom(seed: 170 + seed)
      check((0..<5000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite))
      // Numbers without a normal exponent.
      check((0..<500).map { _ in Double(bitPattern: random.next() >> 12) })
    }
  }
}
