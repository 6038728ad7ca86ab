// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CorpusChecks
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@testable import ArchiveTools

@Suite(
  "A sample of real archives, compared, audited and migrated",
  .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct CorpusDifferenceTests {
  private static let folder = Locations.shared.map { CorpusFolder($0.appending(path: "corpus")) }

  @Test("passes each check of the whole corpus", arguments: CorpusCheck.tools.indices)
  func sample(index: Int) throws {
    let check = CorpusCheck.tools[index]
    let findings = check.findingsInSample(of: try #require(Self.folder))
    #expect(findings.failures == [], "\(check.name)")
    #expect(findings.counts["files of the sample", default: 0] > 10, "\(check.name)")
  }

  @Test("invalid archives are refused, or are compared if what is wrong does not matter", arguments: Corpus.invalid)
  func invalid(file: TestFile) throws {
    let sound = try KeyedArchive(Data(contentsOf: Locations.fixtures.appending(path: "apple/NSURL.plist")))
    guard let archive = try? KeyedArchive(file.data(), archivers: .any) else { return }
    do {
      #expect(try !archive.differences(from: sound).isEmpty)
    } catch {
      #expect(error.code != .limitReached)
    }
  }
}
