// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Dispatch
import HarnessSupport
import SystemFiles

/// Sends many mutants of sound files through every door.
final class MutationRun: Sendable {
  private static let perReport = 1000
  private let files: [String]
  private let seed: Int
  private let executions: Int
  private let failures = Locked<[String]>([])

  static func run(_ arguments: inout Arguments) throws {
    let executions = try arguments.number("executions", 1_000_000)
    let seed = try arguments.number("seed", 1)
    let workers = max(1, try arguments.number("workers", ProcessInfo.processInfo.activeProcessorCount))
    let files = try arguments.files()
    try arguments.finish()
    let start = ContinuousClock.now
    let run = MutationRun(files: files, seed: seed, executions: executions)
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      let range = executions * worker / workers..<executions * (worker + 1) / workers
      run.supervise(range)
    }
    let failures = run.failures.withLock { $0 }
    for failure in failures { print("FAILED \(failure)") }
    let seconds = Int(((ContinuousClock.now - start) / .seconds(1)).rounded())
    print("\(files.count) files, seed \(seed), \(executions) executions, \(seconds) s")
    print("\(executions - failures.count) passed, \(failures.count) failed")
    if !failures.isEmpty { System.end(1) }
  }

  private init(files: [String], seed: Int, executions: Int) {
    self.files = files
    self.seed = seed
    self.executions = executions
  }

  /// Runs a range; what kills a worker is found by running the last thousand again, one by one.
  private func supervise(_ range: Range<Int>) {
    var next = range.lowerBound
    while next < range.upperBound {
      guard let died = worker(next..<range.upperBound, each: Self.perReport, &next) else { return }
      var single = next
      let last = min(next + Self.perReport, range.upperBound)
      if let exact = worker(next..<last, each: 1, &single) {
        failures.withLock { $0.append("#\(single): \(exact)") }
        next = single + 1
      } else {
        failures.withLock { $0.append("#\(next) or one of the next \(Self.perReport): \(died), not when run again") }
        next = last
      }
    }
  }

  /// Returns what became of a worker that did not come to its end.
  private func worker(_ range: Range<Int>, each count: Int, _ next: inout Int) -> String? {
    do {
      let worker = try Child(
        [
          "mutate-worker", "--seed", "\(seed)", "--from", "\(range.lowerBound)", "--to", "\(range.upperBound)",
          "--each", "\(count)",
        ] + files)
      do {
        while let line = try worker.line(timeout: 60) {
          if line.hasPrefix("at "), let number = Int(line.dropFirst(3)) { next = number }
          if line.hasPrefix("FAILED ") { failures.withLock { $0.append(String(line.dropFirst(7))) } }
        }
      } catch {
        worker.kill()
        _ = worker.end()
        return "it hangs"
      }
      let end = worker.end()
      return end == 0 ? nil : end < 0 ? "it crashes with signal \(-end)" : "the process ends with code \(end)"
    } catch {
      return "\(error)"
    }
  }
}

/// Runs mutants in a process of its own.
enum MutationWorker {
  static func run(_ arguments: inout Arguments) throws {
    let seed = try arguments.number("seed", 1)
    let from = try arguments.number("from", 0)
    let to = try arguments.number("to", 0)
    let each = max(1, try arguments.number("each", 1))
    let files = try arguments.files()
    try arguments.finish()
    let seeds = try files.map { Mutator.Seed(try Data(contentsOf: URL(filePath: $0))) }
    for number in from..<max(from, to) {
      if (number - from) % each == 0 { System.say("at \(number)") }
      var mutator = Mutator(seeds, number: UInt64(seed) << 32 | UInt64(number))
      let bytes = mutator.next()
      for door in Door.ofArchives {
        let start = System.processorTime()
        do {
          try door.enter(bytes)
        } catch {
          System.say("FAILED #\(number), \(door.rawValue): \(error)")
        }
        let seconds = System.processorTime() - start
        if seconds > 5 { System.say("FAILED #\(number), \(door.rawValue): it took \(seconds) s") }
      }
    }
  }
}
