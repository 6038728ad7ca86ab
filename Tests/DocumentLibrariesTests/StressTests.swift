// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

private let stress = Program.built("library-stress")

/// Runs the program `library-stress` with small numbers. Its default numbers take minutes.
@Suite(
  "Stress", .enabled(if: stress != nil, "library-stress was not built beside the tests"))
struct StressTests {
  private func run(_ arguments: String...) throws -> Program.Run { try #require(stress).run(arguments) }

  @Test("keeps acknowledged saves of killed processes", .notHanging)
  func kills() throws {
    let result = try run("kills", "--rounds", "12", "--seed", "7")
    #expect(result.lastLine.hasPrefix("12 rounds, "))
    #expect(result.lastLine.hasSuffix(", 0 breaches"), "\(result.output)")
    #expect(result.code == 0)
  }

  @Test("assigns unique numbers to documents of many processes", .notHanging)
  func crowd() throws {
    let result = try run("crowd", "--processes", "4", "--documents", "20")
    #expect(
      result.lastLine.hasPrefix("4 processes, 80 distinct numbers, 0 kills, 0 unacknowledged"), "\(result.output)")
    #expect(result.code == 0)
  }

  @Test("assigns unique numbers while processes are killed", .notHanging)
  func crowdWithKills() throws {
    let result = try run("crowd", "--processes", "4", "--documents", "20", "--kill-every", "50ms")
    #expect(result.lastLine.hasPrefix("4 processes, 80 distinct numbers, "), "\(result.output)")
    #expect(result.code == 0)
  }

  @Test("keeps all changes of many processes", .notHanging)
  func edits() throws {
    let result = try run("edits", "--processes", "3", "--edits", "4")
    #expect(result.lastLine == "3 processes with 4 edits each, no update lost", "\(result.output)")
    #expect(result.code == 0)
  }

  @Test("leaves no unfinished file when a signal asks a command or another writing process to end", .notHanging)
  func interrupts() throws {
    let result = try run("interrupts", "--rounds", "3", "--creatures", "8")
    // Add, import, export and gallery.
    let words =
      result.output.split(separator: "\n").first { $0.contains("commands ended") }?.split(separator: " ") ?? []
    #expect(words.compactMap { Int($0) }.reduce(0, +) == 12, "\(result.output)")
    #expect(result.lastLine.hasPrefix("12 interrupted writes, no output lost"), "\(result.output)")
    #expect(result.code == 0)
  }

  @Test("reports a change after an idle time", .notHanging)
  func watching() throws {
    // Other tests measure what a watcher costs.
    let result = try run(
      "watching", "--documents", "20", "--seconds", "1", "--interval", "10ms", "--at-most-ppm", "1000000")
    #expect(result.lastLine.hasPrefix("an idle watcher of 20 documents takes "), "\(result.output)")
    #expect(result.code == 0)
  }

  @Test(
    "keeps each file old or new when a migration is killed, and completes later",
    .notHanging)
  func migration() throws {
    let result = try run("migration", "--files", "100", "--kills", "3", "--seed", "3")
    #expect(result.lastLine.hasPrefix("100 files, "))
    #expect(result.lastLine.hasSuffix(", 0 breaches"), "\(result.output)")
    #expect(result.code == 0)
  }
}

extension Program.Run {
  fileprivate var lastLine: String { output.split(separator: "\n").last.map(String.init) ?? "" }
}
