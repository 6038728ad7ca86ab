// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// How many of many cases a test tries. Debug builds are slow, so tests try a sample unless `WHOLE_TESTS` is set in the
/// environment, as `.ci/run whole` does.
public enum Sample {
  /// A Boolean value that indicates whether tests try all cases.
  public static let isWhole = ProcessInfo.processInfo.environment["WHOLE_TESTS"] != nil

  /// Which of the samples to try: any number. `.ci/run` takes it from the commit, so that in time each case has its turn.
  private static let turn = Int(ProcessInfo.processInfo.environment["SAMPLE_TURN"] ?? "") ?? 0

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
  ///   - turn: The first call, modulo the spacing. With a spacing of 5, five successive turns try each call once. The turn
  ///     of the environment, `SAMPLE_TURN`, is added.
  /// - Returns: The numbers of the calls.
  public static func calls(below end: Int, each spacing: Int, turn: Int) -> StrideTo<Int> {
    isWhole ? stride(from: 0, to: end, by: 1) : stride(from: (turn + Self.turn) % spacing, to: end, by: spacing)
  }

  /// The cases to try.
  ///
  /// - Parameters:
  ///   - cases: All cases.
  ///   - spacing: The distance between two cases without `WHOLE_TESTS`.
  /// - Returns: All cases with `WHOLE_TESTS`; otherwise those in the sample.
  public static func cases<Cases: Collection>(_ cases: Cases, each spacing: Int) -> [Cases.Element] {
    cases.enumerated().filter { includes($0.offset, each: spacing) }.map(\.element)
  }

  /// Returns whether to try a case.
  ///
  /// - Parameters:
  ///   - number: The number of the case.
  ///   - spacing: The distance between two cases without `WHOLE_TESTS`.
  /// - Returns: `true` with `WHOLE_TESTS`; otherwise whether the case is in the sample.
  public static func includes(_ number: Int, each spacing: Int) -> Bool {
    isWhole || (number + turn).isMultiple(of: spacing)
  }
}
