// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport

// What archiving and unarchiving costs. Always with optimisation: swift run -c release archive-benchmark …

let usage = """
  usage: archive-benchmark compare [--quick] [--json] [--thresholds FILE] [--write-thresholds FILE]
         archive-benchmark scaling [--objects N]
         archive-benchmark keypath [--objects N]
         archive-benchmark defaults [--slack N]
         archive-benchmark threads [--workload NAME] [--threads N] [--percent N]
         archive-benchmark jobs [--jobs N] [--percent N] [--files N] [--rounds N]
         archive-benchmark run --workload NAME --count N --operation encode|decode [--coder NAME] [--turns N]

    compare    this library, Foundation's archiver and Foundation's coders for property lists and JSON, taking turns
    scaling    time against the number of objects, for graphs of several shapes
    keypath    one value of a large archive against all of it
    defaults   typed defaults against JSON in Foundation's UserDefaults; fails if they are not five
             times faster; with --slack, only if they miss that N times over
    threads    several threads against one, with values of their own; fails if two do less than 190 % of what one does, or
               another percentage, or on a busy machine the same share of what threads do that only calculate
    jobs       the command keyedarchive beside this program with '-j 2' against '-j 1', in alternating rounds; fails if it
               is less than 1.8 times as fast, or another percentage; measures wall time, so on an idle machine
    run        one case and nothing else, to be watched by a profiler

    --quick             small sizes, less than a minute
    --json              figures for programs
    --thresholds        fail if this library is less ahead of the others than the file says
    --write-thresholds  write such a file from this run
    --objects           how many; a million for scaling and 100,000 for keypath unless given
    --turns             how often; once unless given
    --coder             keyed, or keyedCodable for the methods that the compiler generates; keyed unless given
  """

do {
  var arguments = try Arguments(CommandLine.arguments.dropFirst(), flags: ["quick", "json"])
  switch arguments.command {
  case "compare":
    let (quick, json) = (arguments.flag("quick"), arguments.flag("json"))
    let (file, target) = (arguments.text("thresholds"), arguments.text("write-thresholds"))
    try arguments.finish()
    let thresholds = try file.map { try Thresholds(contentsOf: $0) }
    let comparison = try Comparison.run(quick: quick)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    print(json ? String(decoding: try encoder.encode(comparison), as: UTF8.self) : comparison.table)
    if let target { try encoder.encode(Thresholds(comparison)).write(to: URL(filePath: target)) }
    let failures = thresholds?.failures(comparison) ?? []
    for failure in failures { print("TOO SLOW \(failure)") }
    exit(failures.isEmpty ? 0 : 1)
  case "scaling":
    let count = try arguments.number("objects", 1_000_000)
    try arguments.finish()
    exit(try Scaling.run(count: max(count, 1000), limit: 13) ? 0 : 1)
  case "keypath":
    let count = try arguments.number("objects", 100_000)
    try arguments.finish()
    exit(try KeyPathReading.run(count: max(count, 1000)) ? 0 : 1)
  case "defaults":
    let slack = try arguments.number("slack", 1)
    try arguments.finish()
    exit(try DefaultsComparison.run(slack: slack) ? 0 : 1)
  case "threads":
    let (threads, percent) = (try arguments.number("threads", 2), try arguments.number("percent", 190))
    let name = arguments.text("workload")
    let workloads = Workload.allCases.filter { name == nil || $0.rawValue == name }
    guard !workloads.isEmpty else { throw UsageError() }
    try arguments.finish()
    let goal = Double(percent) / 100
    exit(try await ThreadScaling.run(workloads, threads: max(threads, 1), goal: goal) ? 0 : 1)
  case "jobs":
    let (jobs, percent) = (try arguments.number("jobs", 2), try arguments.number("percent", 180))
    let (files, rounds) = (try arguments.number("files", 2000), try arguments.number("rounds", 5))
    try arguments.finish()
    let goal = Double(percent) / 100
    exit(
      try JobsComparison.run(jobs: max(jobs, 2), goal: goal, fileCount: max(files, 1), rounds: max(rounds, 1)) ? 0 : 1)
  case "run":
    guard let workload = arguments.text("workload").flatMap(Workload.init), let operation = arguments.text("operation"),
      operation == "encode" || operation == "decode"
    else { throw UsageError() }
    let (count, turns) = (try arguments.number("count", 1), try arguments.number("turns", 1))
    guard let coder = Coder(rawValue: arguments.text("coder") ?? Coder.keyed.rawValue), coder.has(workload) else {
      throw UsageError()
    }
    try arguments.finish()
    let job = try Job(coder, workload, count)
    let data = try job.encode()
    for _ in 0..<turns {
      if operation == "encode" { _ = try job.encode() } else { _ = try job.decode(data) }
    }
  default: throw UsageError()
  }
} catch is UsageError {
  print(usage)
  exit(2)
} catch {
  print("archive-benchmark: \(error)")
  exit(1)
}
