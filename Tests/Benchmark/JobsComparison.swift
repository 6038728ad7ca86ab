// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving

/// Measures what `-j N` of the command `keyedarchive` gains: its wall time with N threads and with one, on generated inputs.
enum JobsComparison {
  /// A command line, without `-j` and its value.
  private struct Run {
    var name: String
    var arguments: [String]
    /// The file that is its standard input.
    var input: URL?
  }

  private static let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "keyedarchive")

  /// Runs each command with one thread and with several in alternation, prints a table, and returns whether the ratio of
  /// the times is at least `goal` for each.
  ///
  /// The median of the rounds counts. The first round fills the caches and does not count.
  static func run(jobs: Int, goal: Double, fileCount: Int, rounds: Int) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: "jobs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let runs = try generate(in: folder, fileCount)
    print(pad("", 24) + pad("-j 1, s", -10) + pad("-j \(jobs), s", -10) + pad("ratio", -8))
    var isReached = true
    for run in runs {
      var rows: [(one: Double, several: Double)] = []
      for _ in 0...rounds { rows.append((try seconds(run, jobs: 1), try seconds(run, jobs: jobs))) }
      rows.removeFirst()
      let (one, several) = (median(rows.map(\.one)), median(rows.map(\.several)))
      let ratio = median(rows.map { $0.one / $0.several })
      isReached = isReached && ratio >= goal
      print(pad(run.name, 24) + [one, several, ratio].map { pad(number($0), -9) + " " }.joined())
    }
    print(isReached ? "each ratio is at least \(goal)" : "MISSED: a ratio is below \(goal)")
    return isReached
  }

  private static func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

  // MARK: Inputs

  /// Writes archives of about 12 KB into folders and into a file of records.
  private static func generate(in folder: URL, _ count: Int) throws -> [Run] {
    let tree = folder.appending(path: "tree")
    let records = folder.appending(path: "records")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: records)
    let lines = try FileHandle(forWritingTo: records)
    defer { try? lines.close() }
    for number in 0..<count {
      let nodes = ScalingNode.graph(.cyclic, 100 + number % 100)
      let data = try KeyedArchiver.archivedData(withRootObject: nodes, requiringSecureCoding: true)
      nodes.dismantle()
      let parent = tree.appending(path: "\(number / 500)")
      if number % 500 == 0 { try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true) }
      try data.write(to: parent.appending(path: "\(number).plist"))
      try lines.write(contentsOf: Data("\(number)\t\(data.base64EncodedString())\n".utf8))
    }
    return [
      Run(name: "info --records", arguments: ["info", "--records"], input: records),
      Run(name: "audit --records", arguments: ["audit", "--records"], input: records),
      Run(name: "scan", arguments: ["scan", tree.path]),
      Run(name: "migrate --dry-run", arguments: ["migrate", "-n", "-q", "--rename-class", "Node=Knot", tree.path]),
    ]
  }

  // MARK: Runs

  private static func seconds(_ run: Run, jobs: Int) throws -> Double {
    let process = Process()
    process.executableURL = program
    process.arguments = run.arguments + ["-j", "\(jobs)"]
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = try run.input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    process.waitUntilExit()
    let time = ContinuousClock.now - start
    guard process.terminationStatus == 0 else {
      throw BenchmarkError(
        "'keyedarchive \(run.arguments.joined(separator: " "))' ended with \(process.terminationStatus)")
    }
    return time / .seconds(1)
  }
}
