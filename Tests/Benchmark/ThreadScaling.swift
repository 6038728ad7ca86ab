// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// Measures how much more several threads archive and unarchive in the same time than one thread does.
///
/// Threads that share no state would reach their number. They share the memory allocator, and what the package keeps for
/// all coders.
enum ThreadScaling {
  /// The part of a run that counts.
  private static let time = Duration.milliseconds(400)

  /// Measures every workload in both directions, prints a table, and returns whether each factor is at least `goal`.
  ///
  /// One thread and several take turns. The largest factor of the rounds counts, because other programs only reduce it.
  static func run(threads: Int, goal: Double, rounds: Int = 5) async throws -> Bool {
    print(pad("", 20) + pad("encode", -9) + pad("decode", -9) + "  of \(threads) threads, relative to one")
    var isReached = true
    for workload in Workload.allCases {
      let count = workload.sizes(quick: true)[0]
      var factors: [Double] = []
      for isEncoding in [true, false] {
        var best = 0.0
        for _ in 0..<rounds {
          let one = try await turns(workload, count, isEncoding, threads: 1)
          let all = try await turns(workload, count, isEncoding, threads: threads)
          best = max(best, Double(all) / Double(max(one, 1)))
        }
        factors.append(best)
      }
      isReached = isReached && factors.allSatisfy { $0 >= goal }
      print(pad("\(workload) \(count)", 20) + factors.map { pad(number($0), -9) }.joined())
    }
    return isReached
  }

  /// Returns how often several threads together perform an operation in the same time. Each has its own values.
  private static func turns(
    _ workload: Workload, _ count: Int, _ isEncoding: Bool, threads: Int
  ) async throws -> Int {
    // The values are made before the start.
    let start = ContinuousClock.now + .milliseconds(200)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<threads {
        group.addTask {
          let job = try Job(.keyed, workload, count)
          let data = try job.encode()
          var turns = 0
          while ContinuousClock.now < start + time {
            if isEncoding { _ = try job.encode() } else { _ = try job.decode(data) }
            if ContinuousClock.now >= start { turns += 1 }
          }
          return turns
        }
      }
      return try await group.reduce(0, +)
    }
  }
}
