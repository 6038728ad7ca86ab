// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CorpusChecks
import Foundation
import TestSupport
import Testing

@Suite(
  "Every class that Apple's programs wrote, in a sample of the corpus",
  .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct CorpusClassTests {
  private static let folder = Locations.shared.map { CorpusFolder($0.appending(path: "corpus")) }

  private func check(_ check: CorpusCheck) throws {
    let findings = check.findingsInSample(of: try #require(Self.folder))
    #expect(findings.failures == [])
    #expect(findings.counts["files of the sample", default: 0] > 20)
  }

  @Test("is decoded to a value and archived from it with the same keys and values")
  func bothWays() throws { try check(.archivedAgain) }

  @Test("keeps keys that its type does not know, as a newer system writes them")
  func unknownKeys() throws { try check(.unknownKeys) }

  @Test("is refused with the place where any of its keys holds what no archiver stores")
  func wrongKinds() throws { try check(.wrongKinds) }

  @Test("and that Swift has a type of its own for says the same as that")
  func swiftTypes() throws { try check(.swiftTypes) }
}
