// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchiving
import PropertyListFormat

/// Runs jobs in a process of its own and says before each that it begins, and after it how it went.
struct Worker {
  private let jobs: Jobs

  static func run(_ arguments: inout Arguments) throws {
    let folder = URL(filePath: try arguments.operand(), directoryHint: .isDirectory)
    let rules = !arguments.flag("no-rules")
    let from = try arguments.number("from", 0)
    let to = try arguments.number("to", 0)
    let stride = try arguments.number("stride", 1)
    try arguments.finish()
    let worker = Worker(jobs: try Jobs(in: folder, rules: rules))
    for number in Swift.stride(from: from, to: min(to, worker.jobs.count), by: max(1, stride)) {
      System.say("begin \(number)")
      System.say(Verdict(worker.run(worker.jobs[number]), of: number).line)
    }
  }

  /// Decodes, and compares with what is owed.
  private func run(_ job: Jobs.Job) -> Verdict.Result {
    var result = Verdict.Result()
    let bytes: Data
    do {
      bytes = try jobs.bytes(job)
    } catch {
      result.failure = "cannot be read: \(error)"
      return result
    }
    let idle = Memory.reset()
    let songs = Canary.songs
    if let kind = job.subject.summary?.unknownKind {
      result.unknown = "no summary is called '\(kind)'"
      return result
    }
    // What the file costs, not what else the machine does; the supervisor has an eye on the clock.
    let start = System.processorTime()
    let outcome: Outcome =
      switch job.subject.mode {
      case .plist: list(bytes, job)
      case .archive: archive(bytes, job)
      }
    result.seconds = System.processorTime() - start
    result.kilobytes = max(0, Memory.peak() - idle)
    result.failure = outcome.failure
    result.message = outcome.message
    if job.subject.mode == .archive, result.failure == nil {
      do {
        try CallsDoor.enter(bytes)
      } catch {
        result.failure = "by other calls: \(error)"
      }
    }
    // Text and a list that hold a large file would take more memory than the file may.
    if result.failure == nil, job.mutant == nil, bytes.count <= 1 << 20 {
      do {
        try RecordsDoor.enter(archive: bytes)
        try InsideDoor.enter(archive: bytes)
      } catch {
        result.failure = "as a record or inside of a list: \(error)"
      }
    }
    let limits = job.subject.limits ?? .standard
    if result.seconds > limits.seconds { result.failure = "it took \(result.seconds) s" }
    if result.kilobytes > limits.memory * 1024 { result.failure = "it took \(result.kilobytes) kB of memory" }
    // Without secure coding a list may name a canary; then it may sing.
    let isNamed = job.subject.secure == false && (job.subject.allow ?? []).contains { Fixture.all[$0] != nil }
    if Canary.songs != songs, !isNamed { result.failure = "the initialiser of a class that is not allowed ran" }
    return result
  }

  /// What came of a job.
  private struct Outcome {
    var failure: String?
    var message = ""
  }

  private func list(_ bytes: Data, _ job: Jobs.Job) -> Outcome {
    judge(job.expect) {
      let list = try PropertyListSubject.decode(bytes)
      guard job.expect == .ok, let summary = job.subject.summary else { return nil }
      return try PropertyListSubject.difference(list, summary)
    }
  }

  private func archive(_ bytes: Data, _ job: Jobs.Job) -> Outcome {
    guard let steps = job.subject.steps else {
      return judge(job.expect) {
        let subject = try ArchiveSubject(bytes, secure: job.subject.secure ?? true)
        let value = try subject.decode(job.subject.key ?? KeyedArchiver.rootKey, allow: job.subject.allow ?? [])
        guard job.expect == .ok, let summary = job.subject.summary else { return nil }
        return ArchiveSubject.difference(value, summary)
      }
    }
    var messages: [String] = []
    do {
      let subject = try ArchiveSubject(bytes, secure: job.subject.secure ?? true)
      for step in steps {
        let outcome = judge(step.expect) {
          _ = try subject.decode(step.key, allow: step.allow)
          return nil
        }
        messages.append(outcome.message)
        if let failure = outcome.failure { return Outcome(failure: "key '\(step.key)': \(failure)") }
      }
    } catch {
      return judge(job.expect) { throw error }
    }
    return Outcome(message: messages.filter { !$0.isEmpty }.joined(separator: "; "))
  }

  /// Holds what happens against what is expected. The body returns how its value differs from the summary.
  private func judge(_ expect: Manifest.Expectation, _ body: () throws -> String?) -> Outcome {
    do {
      let difference = try body()
      if expect == .error { return Outcome(failure: "it decoded, and an error is owed") }
      return Outcome(failure: difference.map { "it decoded to something else: \($0)" })
    } catch {
      guard error is KeyedArchiveError || error is PropertyListError else {
        return Outcome(failure: "the error is of type \(type(of: error)): \(error)")
      }
      if expect == .ok { return Outcome(failure: "it is valid, and an error came: \(error)") }
      return Outcome(message: "\(error)")
    }
  }
}

/// What a worker says of a job.
struct Verdict {
  struct Result {
    var failure: String?
    /// What of the job is not known here, and so was not tried.
    var unknown: String?
    var message = ""
    var seconds = 0.0
    var kilobytes = 0
  }

  let number: Int
  let result: Result

  init(_ result: Result, of number: Int) {
    self.number = number
    self.result = result
  }

  /// Tab-separated; texts have no tabs and line ends.
  var line: String {
    func plain(_ text: String) -> String {
      String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
    let fields = [
      "end", "\(number)", "\(result.seconds)", "\(result.kilobytes)", plain(result.failure ?? ""),
      plain(result.message), plain(result.unknown ?? ""),
    ]
    return fields.joined(separator: "\t")
  }

  init?(line: String) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 7, fields[0] == "end", let number = Int(fields[1]), let seconds = Double(fields[2]),
      let kilobytes = Int(fields[3])
    else { return nil }
    self.number = number
    result = Result(
      failure: fields[4].isEmpty ? nil : String(fields[4]),
      unknown: fields[6].isEmpty ? nil : String(fields[6]), message: String(fields[5]), seconds: seconds,
      kilobytes: kilobytes)
  }
}
