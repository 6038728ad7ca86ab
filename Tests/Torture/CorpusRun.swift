// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CorpusChecks
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import SystemFiles

/// Checks what is claimed of every archive of the corpus, of the libraries and of the command `keyedarchive`, with one thread
/// for each processor.
enum CorpusRun {
  /// Runs the command `keyedarchive`, which lies beside this program. A shell separates its output from its errors.
  private static func runCommand(_ arguments: [String], _ input: Data) throws -> CommandRun {
    let folder = FileManager.default.temporaryDirectory.appending(path: "corpus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["in", "out", "errors"].map { folder.appending(path: $0) }
    try input.write(to: files[0])
    let script = #"in=$1 out=$2 errors=$3; shift 3; exec "$@" < "$in" > "$out" 2> "$errors""#
    let child = try Child(
      ["-c", script, "sh"] + files.map(\.path) + [CommandTool.program] + arguments, of: "/bin/sh")
    child.drain()
    return CommandRun(
      code: child.end(), output: try Data(contentsOf: files[1]),
      errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
  }

  /// Checks all files, or those whose names contain a text, by all checks or by those whose names contain a text.
  static func run(_ arguments: inout Arguments) throws {
    let path = try arguments.operand()
    let workers = max(1, try arguments.number("workers", ProcessInfo.processInfo.activeProcessorCount))
    let file = arguments.text("file")
    let only = arguments.text("check")
    try arguments.finish()
    let folder = CorpusFolder(URL(filePath: path))
    let files = folder.files.filter { file == nil || $0.name.contains(file ?? "") }
    guard FileManager.default.isExecutableFile(atPath: CommandTool.program) else {
      throw Breach("\(CommandTool.program) is missing. Build the product 'keyedarchive' in the same configuration")
    }
    let checks = (CorpusCheck.all + CorpusCheck.commands(runCommand)).filter {
      only == nil || $0.name.contains(only ?? "")
    }
    guard !files.isEmpty, !checks.isEmpty else { throw Breach("no archive in \(path), or no such check") }
    // The large files first, so that all workers end at about the same time.
    let jobs = files.sorted { $0.byteCount > $1.byteCount }
    let next = Locked(0)
    let results = Locked([CorpusFindings](repeating: CorpusFindings(), count: checks.count))
    try System.onThreads(workers) { _ in
      while true {
        let job = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard job < jobs.count else { return }
        for (index, check) in checks.enumerated() {
          let findings = check.findings(in: jobs[job], of: folder)
          results.withLock { $0[index].add(findings) }
        }
      }
    }
    var failed = 0
    for (check, var findings) in zip(checks, results.withLock { $0 }) {
      if file == nil {
        for (kind, range) in check.counts {
          let count = findings.counts[kind, default: 0]
          findings.expect(range.contains(count), "\(count) \(kind); expected \(range)")
        }
      }
      print("\(findings.failures.isEmpty ? "passed" : "FAILED")  \(check.name)")
      for failure in findings.failures.sorted() { print("        \(failure)") }
      failed += findings.failures.count
    }
    print("\(files.count) files, \(checks.count) checks, \(failed) failures")
    if failed > 0 { System.end(1) }
  }
}
