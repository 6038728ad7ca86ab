// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import CorpusChecks
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite(
  "The tool on the corpus", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct CorpusTests {
  @Test("the corpus is complete")
  func count() {
    #expect(Corpus.valid.count == 442 && Corpus.invalid.count == 12)
  }

  @Test("info refuses every invalid archive with exit code 4", arguments: Corpus.invalid)
  func refuses(file: TestFile) {
    let run = ToolRun("info", file.url.path)
    #expect(run.code == .notAnArchive && run.output == "")
    #expect(run.errors.hasPrefix("keyedarchive: \(file.url.path): "))
  }

  /// The tool in this process.
  private static let checks = CorpusCheck.commands { arguments, input in
    let run = ToolRun(arguments, input: input)
    return CommandRun(code: run.code.rawValue, output: run.data, errors: run.errors)
  }

  /// Half of the checks; with `WHOLE_TESTS`, all. `archive-torture corpus` checks all files, with the release build of the
  /// tool.
  @Test(
    "a sample of the archives passes each check of the tool on the whole corpus",
    arguments: Sample.cases(checks.indices, each: 2))
  func sample(index: Int) throws {
    let check = Self.checks[index]
    let findings = check.findingsInSample(of: CorpusFolder(try #require(Locations.shared).appending(path: "corpus")))
    #expect(findings.failures == [], "\(check.name)")
    #expect(findings.counts["files of the sample", default: 0] > 9, "\(check.name)")
  }
}
