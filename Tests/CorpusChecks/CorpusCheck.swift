// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The result of a check of one file or of several.
package struct CorpusFindings: Sendable {
  /// A description of each failure.
  package private(set) var failures: [String] = []
  /// The number of cases by kind.
  package private(set) var counts: [String: Int] = [:]

  /// Creates an empty result.
  package init() {}

  /// Records a failure if a condition is false.
  package mutating func expect(_ condition: Bool, _ failure: @autoclosure () -> String) {
    if !condition { failures.append(failure()) }
  }

  /// Counts cases.
  package mutating func count(_ kind: String = "archives", _ number: Int = 1) { counts[kind, default: 0] += number }

  /// Adds the result of another check.
  package mutating func add(_ other: CorpusFindings) {
    failures += other.failures
    counts.merge(other.counts, uniquingKeysWith: +)
  }
}

/// A claim about every archive of the corpus.
///
/// `archive-torture corpus` checks all files, in a release build. Tests check a sample of small files, because debug builds
/// are slow.
package struct CorpusCheck: Sendable {
  /// The claim, as a sentence without its subject.
  package let name: String
  /// The number of cases that all files must give, by kind.
  package let counts: [String: ClosedRange<Int>]
  /// A sample has each file at a multiple of this position and at most ``sampleBytes`` bytes.
  let sampleStep: Int
  let sampleBytes: Int
  private let body: @Sendable (CorpusFile, CorpusFolder, inout CorpusFindings) throws -> Void

  init(
    _ name: String, counts: [String: ClosedRange<Int>] = [:], sampleStep: Int, sampleBytes: Int = 32_768,
    _ body: @escaping @Sendable (CorpusFile, CorpusFolder, inout CorpusFindings) throws -> Void
  ) {
    self.name = name
    self.counts = counts
    self.sampleStep = sampleStep
    self.sampleBytes = sampleBytes
    self.body = body
  }

  /// Checks one file. An error that the check does not expect is a failure.
  package func findings(in file: CorpusFile, of folder: CorpusFolder) -> CorpusFindings {
    var findings = CorpusFindings()
    do {
      try body(file, folder, &findings)
    } catch {
      findings.expect(false, "\(file.name): \(error)")
    }
    return findings
  }

  /// Checks the sample.
  package func findingsInSample(of folder: CorpusFolder) -> CorpusFindings {
    var findings = CorpusFindings()
    for file in folder.files where file.index.isMultiple(of: sampleStep) && file.byteCount <= sampleBytes {
      findings.add(self.findings(in: file, of: folder))
      findings.count("files of the sample")
    }
    return findings
  }

  /// All checks of the libraries.
  package static let all = [keptInXML] + graph + classes + tools
  /// Checks of the graph as data.
  package static let graph = [understood, rebuiltBytes, rebuiltGraph]
  /// Checks of the types for Apple's classes.
  package static let classes = [archivedAgain, unknownKeys, wrongKinds, swiftTypes]
  /// Checks of comparison, audit and migration.
  package static let tools =
    [equalToItself] + EditedArchive.Edit.allCases.map { showsEdit($0) } + [
      differentFromOthers, smallestList, classNames, migrated,
    ]
}
