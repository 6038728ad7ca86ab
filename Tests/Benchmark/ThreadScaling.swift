// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport

/// Measures how much more several threads archive and unarchive in the same time than one thread does.
///
/// Threads that share no state would reach their number on a machine that does nothing else. Each case is therefore measured
/// beside a control: threads that only calculate, and have no memory in common.
enum ThreadScaling {
  /// The part of a run that counts.
  private static let time = Duration.milliseconds(200)

  /// Measures workloads in both directions, prints a table, and returns whether each factor reaches `goal`, or the same share
  /// of the control's factor as `goal` is of the number of threads.
  ///
  /// In each round, one thread and several take turns, first with the case and then with the control. Of each, the most turns
  /// in a round count, because other programs only reduce them.
  static func run(_ workloads: [Workload], threads: Int, goal: Double, rounds: Int = 9) async throws -> Bool {
    print(
      pad("", 20) + pad("encode", -9) + pad("control", -9) + pad("decode", -9) + pad("control", -9)
        + "  of \(threads) threads, relative to one")
    var isReached = true
    for workload in workloads {
      let count = workload.sizes(quick: true)[0]
      var line = pad("\(workload) \(count)", 20)
      for isEncoding in [true, false] {
        var (factor, control) = (Factor(), Factor())
        for _ in 0..<rounds {
          try await factor.add(threads) { try Self.turn(workload, count, isEncoding) }
          try await control.add(threads) { { calculate() } }
        }
        line += pad(number(factor.value), -9) + pad(number(control.value), -9)
        isReached = isReached && factor.value >= goal * min(1, control.value / Double(threads))
      }
      print(line)
    }
    return isReached
  }

  /// What several threads do, relative to one.
  private struct Factor {
    var one = 1
    var all = 0
    var value: Double { Double(all) / Double(one) }

    mutating func add(_ threads: Int, _ make: @escaping @Sendable () throws -> () throws -> Void) async throws {
      one = max(one, try await ThreadScaling.turns(1, make))
      all = max(all, try await ThreadScaling.turns(threads, make))
    }
  }

  /// Returns an operation on values of its own.
  private static func turn(_ workload: Workload, _ count: Int, _ isEncoding: Bool) throws -> () throws -> Void {
    let job = try Job(.keyed, workload, count)
    let data = try job.encode()
    return { if isEncoding { _ = try job.encode() } else { _ = try job.decode(data) } }
  }

  /// Calculates for about as long as a small archive takes.
  private static func calculate() {
    var random = SeededRandom(seed: 1)
    var sum: UInt64 = 0
    for _ in 0..<2000 { sum ^= random.next() }
    precondition(sum != 0)
  }

  /// Returns how often several threads together perform an operation in the same time.
  private static func turns(
    _ threads: Int, _ make: @escaping @Sendable () throws -> () throws -> Void
  ) async throws -> Int {
    // The values are made before the start.
    let start = ContinuousClock.now + .milliseconds(100)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<threads {
        group.addTask {
          let turn = try make()
          var turns = 0
          while ContinuousClock.now < start + time {
            try turn()
            if ContinuousClock.now >= start { turns += 1 }
          }
          return turns
        }
      }
      return try await group.reduce(0, +)
    }
  }
}
