// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import Foundation
import ScaryCreatures
import TestSupport
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

/// Whether a command has ended.
private actor End {
  private(set) var isReached = false
  func reach() { isReached = true }
}

@Suite("scarycreatures watch")
struct WatchTests {
  /// Runs the command while `body` changes the library, and returns the run.
  ///
  /// The command does not tell when it begins to watch. The changes are therefore repeated until it ends.
  private func watch(
    _ scratch: Scratch, _ arguments: [String], _ body: (ScaryCreatureDatabase) throws -> Void
  ) async throws -> ToolRun {
    let (end, library) = (End(), scratch.library)
    let run = Task.detached {
      // The command waits, which a thread of the concurrency runtime must not do.
      let run = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(returning: ToolRun(.scaryCreatures, ["watch", "--library", library] + arguments))
        }
      }
      await end.reach()
      return run
    }
    let database = try scratch.database()
    while await !end.isReached {
      try body(database)
      // Otherwise, tests of a higher priority can keep the task that reads the changes from running.
      try await Task.sleep(for: .milliseconds(5))
    }
    return await run.value
  }

  @Test("prints a line for each change, with the number and the title", .notHanging)
  func lines() async throws {
    let scratch = try Scratch()
    let run = try await watch(scratch, ["--count", "6"]) { database in
      try database.addCreature(title: "Witch\nof a line", rating: 1)
    }
    #expect(run.code == .fine && run.errors == "" && run.lines.count == 6)
    let numbers = run.lines.compactMap { line -> Int? in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard parts.count == 3, ["added", "changed"].contains(parts[0]), parts[2].hasPrefix("Witch") else { return nil }
      return Int(parts[1])
    }
    #expect(numbers.count == 6 && numbers == numbers.sorted(), "\(run.output)")
  }

  @Test("ends after a time, without changes")
  func time() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3)
    let run = scratch.run("watch", "--for", "0.1", "--interval", "0.02")
    #expect(run.code == .fine && run.output == "" && run.errors == "")
    #expect(scratch.run("watch", "--count", "0").code == .fine)
  }

  @Test("rejects invalid times", arguments: ["", "-1", "1s", "0x3", "nan", "1e3", "99999999999"])
  func invalidTimes(_ text: String) throws {
    for option in ["--for", "--interval"] {
      let run = ToolRun(.scaryCreatures, ["watch", "\(option)=\(text)"])
      #expect(run.code == .usage && run.errors.contains("for '\(option)'"), "\(run.errors)")
    }
  }

  @Test("reports a missing library")
  func missing() throws {
    let run = try Scratch().run("watch", "--for", "1", "--json")
    #expect(run.code == .negative && run.errors.contains("\"notFound\""))
  }

  @Test(
    "writes JSON that is valid by the schema of its page", .notHanging,
    .enabled(if: (try? Python.run("import jsonschema")) != nil, "Python's jsonschema is not installed"))
  func schema() async throws {
    let scratch = try Scratch()
    let run = try await watch(scratch, ["--count", "6", "--json"]) { database in
      let creature = try database.addCreature(title: "Witch", rating: 1)
      try creature.setRating(Float.random(in: 0...5))
      if Bool.random() { try creature.delete() }
    }
    let validator = """
      import json, re, sys
      from jsonschema import Draft202012Validator
      page = open(sys.argv[1], encoding='utf-8').read()
      schema = json.loads(re.search(r'^```json\\n(\\{\\n.*?)^```', page, re.M | re.S).group(1))
      Draft202012Validator.check_schema(schema)
      validator = Draft202012Validator(schema)
      assert not validator.is_valid({'schema': 1, 'change': 'added'})
      assert not validator.is_valid({'schema': 1, 'change': 'moved', 'number': 1})
      for line in sys.stdin:
          validator.validate(json.loads(line))
      """
    let page = Locations.package.appending(path: "Sources/ScaryCreatures/ScaryCreatures.docc/WatchingLibraries.md").path
    _ = try Python.run(validator, [page], input: run.data)
  }
}
