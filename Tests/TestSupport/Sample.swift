// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// How many of many cases a test tries. Debug builds are slow, so tests try a sample unless `WHOLE_TESTS` is set in the
/// environment, as `.ci/run whole` does.
public enum Sample {
  /// A Boolean value that indicates whether tests try all cases.
  public static let isWhole = ProcessInfo.processInfo.environment["WHOLE_TESTS"] != nil

  /// The number of cases to try.
  ///
  /// - Parameters:
  ///   - sample: The number without `WHOLE_TESTS`.
  ///   - whole: The number with it.
  /// - Returns: One of the two.
  public static func count(_ sample: Int, of whole: Int) -> Int { isWhole ? whole : sample }

  /// The calls of an operation to put a fault at.
  ///
  /// - Parameters:
  ///   - end: The number that the calls are below.
  ///   - spacing: The distance between two calls without `WHOLE_TESTS`; with it, the distance is 1.
  ///   - turn: The first call, modulo the spacing. With a spacing of 5, five successive turns try each call once.
  /// - Returns: The numbers of the calls.
  public static func calls(below end: Int, each spacing: Int, turn: Int) -> StrideTo<Int> {
    isWhole ? stride(from: 0, to: end, by: 1) : stride(from: turn % spacing, to: end, by: spacing)
  }
}
