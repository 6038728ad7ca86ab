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

/// Has workers run all jobs, each case in a process of its own, and survives whatever becomes of them.
final class Supervisor: Sendable {
  /// What all jobs came to.
  struct Tally {
    var passed = 0
    var failures: [(number: Int, text: String)] = []
    /// What the manifest asks for and this program does not know.
    var unknown: [String] = []
    var messages: [(number: Int, text: String)] = []
    var largest = (name: "", kilobytes: 0)
    var slowest = (name: "", seconds: 0.0)
    var crashes = 0
    var hangs = 0
  }

  private let folder: URL
  private let jobs: Jobs
  private let rules: Bool
  private let tally = Locked(Tally())

  static func run(_ arguments: inout Arguments) throws {
    let folder = URL(filePath: arguments.command, directoryHint: .isDirectory)
    let rules = !arguments.flag("no-rules")
    let wantsMessages = arguments.flag("messages")
    let only = arguments.text("only")
    let workers = max(1, try arguments.number("workers", ProcessInfo.processInfo.activeProcessorCount))
    try arguments.finish()
    let start = ContinuousClock.now
    let supervisor = Supervisor(folder: folder, jobs: try Jobs(in: folder, rules: rules), rules: rules)
    let tally = supervisor.run(workers, only)
    if wantsMessages {
      for message in tally.messages.sorted(by: { $0.number < $1.number }) { print(message.text) }
    }
    for failure in tally.failures.sorted(by: { $0.number < $1.number }) { print("FAILED \(failure.text)") }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print(
      "\(supervisor.jobs.caseCount) files, \(tally.passed + tally.failures.count) executions, "
        + "\(Int(seconds.rounded())) s, \(tally.crashes) crashes, \(tally.hangs) hangs, slowest "
        + "\(Int(tally.slowest.seconds * 1000)) ms (\(tally.slowest.name)), peak memory "
        + "\(tally.largest.kilobytes) kB over idle (\(tally.largest.name))")
    let unknown = supervisor.jobs.unknownRules + tally.unknown.sorted()
    for text in unknown { print("NOT KNOWN \(text)") }
    print(
      "\(tally.passed) passed, \(tally.failures.count) failed"
        + (unknown.isEmpty ? "" : ", \(unknown.count) not known and not tried"))
    if !tally.failures.isEmpty || !unknown.isEmpty || tally.passed == 0 { System.end(1) }
  }

  private init(folder: URL, jobs: Jobs, rules: Bool) {
    self.folder = folder
    self.jobs = jobs
    self.rules = rules
  }

  private func run(_ workers: Int, _ only: String?) -> Tally {
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      // Each case alone; what follows from rules in one process for as long as that lives.
      for number in stride(from: worker, to: jobs.caseCount, by: workers) where isWanted(number, only) {
        _ = supervise(number, number + 1, 1)
      }
      guard only == nil else { return }
      var next = jobs.caseCount + worker
      while next < jobs.count { next = supervise(next, jobs.count, workers) }
    }
    return tally.withLock { $0 }
  }

  private func isWanted(_ number: Int, _ only: String?) -> Bool { only == nil || jobs[number].name == only }

  /// Runs jobs in a new process until it has done all or has died. Returns the first job that is not done.
  private func supervise(_ from: Int, _ to: Int, _ stride: Int) -> Int {
    var next = from
    do {
      let worker = try Child(
        [
          "worker", folder.path, "--from", "\(from)", "--to", "\(to)", "--stride", "\(stride)",
        ] + (rules ? [] : ["--no-rules"]))
      var isRunning = true
      while isRunning, next < to {
        let limit = jobs[next].subject.limits ?? .standard
        do {
          guard let line = try worker.line(timeout: Int(limit.seconds) * 2 + 10) else {
            isRunning = false
            continue
          }
          guard let verdict = Verdict(line: line), verdict.number == next else { continue }
          note(verdict)
          next += stride
        } catch {
          worker.kill()
          _ = worker.end()
          fail(next, "it hangs")
          tally.withLock { $0.hangs += 1 }
          return next + stride
        }
      }
      let end = worker.end()
      guard next < to else { return next }
      fail(next, end < 0 ? "it crashes with signal \(-end)" : "the process ends with code \(end)")
      tally.withLock { $0.crashes += 1 }
    } catch {
      fail(next, "\(error)")
    }
    return next + stride
  }

  private func note(_ verdict: Verdict) {
    let result = verdict.result
    tally.withLock { tally in
      let name = jobs[verdict.number].name
      if result.kilobytes > tally.largest.kilobytes { tally.largest = (name, result.kilobytes) }
      if result.seconds > tally.slowest.seconds { tally.slowest = (name, result.seconds) }
      if let unknown = result.unknown {
        tally.unknown.append("\(name): \(unknown)")
      } else if let failure = result.failure {
        tally.failures.append((verdict.number, "\(name): \(failure)"))
      } else {
        tally.passed += 1
      }
      if !result.message.isEmpty, verdict.number < jobs.caseCount {
        tally.messages.append((verdict.number, "\(name): \(result.message)"))
      }
    }
  }

  private func fail(_ number: Int, _ text: String) {
    tally.withLock { $0.failures.append((number, "\(jobs[number].name): \(text)")) }
  }
}
