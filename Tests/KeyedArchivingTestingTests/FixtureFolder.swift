// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
@testable import KeyedArchivingTesting
import TestSupport
import Testing

/// A folder of fixtures that a test makes.
struct FixtureFolder {
  let scratch: ScratchFolder
  /// Another folder, for what must not be in that of the fixtures.
  let beside: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    beside = try ScratchFolder()
  }

  /// Returns the fixtures in this folder, in an environment. The damaged copies have few beginnings.
  func fixtures<Value>(
    _ fixtures: (String) -> ArchiveFixtures<Value>, environment: [String: String] = [:]
  ) -> ArchiveFixtures<Value> {
    var fixtures = fixtures(scratch.url.path)
    fixtures.recording.environment = environment
    fixtures.maximumBeginningCount = 64
    fixtures.attemptsFolder = beside.url.appending(path: "attempts")
    return fixtures
  }

  /// Puts an archive into the folder.
  func add(_ value: some KeyedCoding, as name: String) throws {
    let file = scratch.url.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try KeyedArchiveEncoder().encode(value).write(to: file)
  }

  func add(_ text: String, as name: String) throws {
    let file = scratch.url.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Makes a subfolder.
  func folder(_ name: String) throws -> URL {
    let url = scratch.url.appending(path: name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  func data(_ name: String) throws -> Data { try Data(contentsOf: scratch.url.appending(path: name)) }

  func text(_ name: String) throws -> String { String(decoding: try data(name), as: UTF8.self) }

  /// The names of the files, sorted.
  var names: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: scratch.url.path).sorted() }
  }
}

/// The environment that turns recording on.
let recording = ["RECORD_ARCHIVES": "1"]

/// Runs a check that records, and expects that it fails for this reason only.
func record(_ check: () throws -> Void) throws {
  let failure = try #require(throws: FixtureFailure.self, performing: check)
  #expect(failure.kinds.allSatisfy { $0 == .recorded }, "\(failure)")
}

let ghost = Creature(title: "Ghost", rating: 5)

/// What `keyedarchive tree` prints for the archive of `ghost`.
let ghostText = """
  root: Zoo.Creature #1
    title: "Ghost" #2
    rating: 5.0 (float)

  """

extension FixtureFailure {
  /// The kinds of the problems.
  var kinds: [Problem.Kind] { problems.map(\.kind) }
}
