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

/// Checks what is claimed of every archive of the corpus, with one thread for each processor.
enum CorpusRun {
  /// Checks all files, or those whose names contain a text, by all checks or by those whose names contain a text.
  static func run(_ arguments: inout Arguments) throws {
    let path = try arguments.operand()
    let workers = try arguments.number("workers", ProcessInfo.processInfo.activeProcessorCount)
    let file = arguments.text("file")
    let only = arguments.text("check")
    try arguments.finish()
    let folder = CorpusFolder(URL(filePath: path))
    let files = folder.files.filter { file == nil || $0.name.contains(file ?? "") }
    let checks = CorpusCheck.all.filter { only == nil || $0.name.contains(only ?? "") }
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
