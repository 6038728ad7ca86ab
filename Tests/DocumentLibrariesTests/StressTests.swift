// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

/// Runs the program `library-stress` with small numbers. Its default numbers take minutes.
@Suite(
  "Stress", .enabled(if: StressProgram.url != nil, "library-stress was not built beside the tests"))
struct StressTests {
  @Test("keeps acknowledged saves of killed processes", .notHanging)
  func kills() throws {
    let output = try StressProgram.run("kills", "--rounds", "100", "--seed", "7")
    #expect(output.lastLine.hasPrefix("100 rounds, "))
    #expect(output.lastLine.hasSuffix(", 0 breaches"), "\(output.text)")
    #expect(output.code == 0)
  }

  @Test("assigns unique numbers to documents of many processes", .notHanging)
  func crowd() throws {
    let output = try StressProgram.run("crowd", "--processes", "4", "--documents", "50")
    #expect(output.lastLine.hasPrefix("4 processes, 200 distinct numbers, 0 kills, 0 unacknowledged"), "\(output.text)")
    #expect(output.code == 0)
  }

  @Test("assigns unique numbers while processes are killed", .notHanging)
  func crowdWithKills() throws {
    let output = try StressProgram.run("crowd", "--processes", "4", "--documents", "50", "--kill-every", "50ms")
    #expect(output.lastLine.hasPrefix("4 processes, 200 distinct numbers, "), "\(output.text)")
    #expect(output.code == 0)
  }

  @Test("keeps all changes of many processes", .notHanging)
  func edits() throws {
    let output = try StressProgram.run("edits", "--processes", "4", "--edits", "25")
    #expect(output.lastLine == "4 processes with 25 edits each, no update lost", "\(output.text)")
    #expect(output.code == 0)
  }

  @Test("leaves no unfinished file when a signal asks a command or another writing process to end", .notHanging)
  func interrupts() throws {
    let output = try StressProgram.run("interrupts", "--rounds", "3")
    // Add, import, export and gallery.
    let words = output.text.split(separator: "\n").first { $0.contains("commands ended") }?.split(separator: " ") ?? []
    #expect(words.compactMap { Int($0) }.reduce(0, +) == 12, "\(output.text)")
    #expect(output.lastLine.hasPrefix("12 interrupted writes, no output lost"), "\(output.text)")
    #expect(output.code == 0)
  }

  @Test("reports a change after an idle time", .notHanging)
  func watching() throws {
    // Other tests measure what a watcher costs.
    let output = try StressProgram.run(
      "watching", "--documents", "100", "--seconds", "1", "--interval", "10ms", "--at-most-ppm", "1000000")
    #expect(output.lastLine.hasPrefix("an idle watcher of 100 documents takes "), "\(output.text)")
    #expect(output.code == 0)
  }

  @Test(
    "keeps each file old or new when a migration is killed, and completes later",
    .notHanging)
  func migration() throws {
    let output = try StressProgram.run("migration", "--files", "600", "--kills", "12", "--seed", "3")
    #expect(output.lastLine.hasPrefix("600 files, "))
    #expect(output.lastLine.hasSuffix(", 0 breaches"), "\(output.text)")
    #expect(output.code == 0)
  }
}

/// The program, as built by `swift test`.
private enum StressProgram {
  struct Output {
    var code: Int32
    var text: String
    var lastLine: String { text.split(separator: "\n").last.map(String.init) ?? "" }
  }

  static let url: URL? = {
    let tests = URL(filePath: CommandLine.arguments.first ?? "")
    let folders = [tests, URL(filePath: Bundle.main.executablePath ?? "")].map { $0.deletingLastPathComponent() }
    return folders.map { $0.appending(path: "library-stress") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }()

  static func run(_ arguments: String...) throws -> Output {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Output(code: process.terminationStatus, text: String(decoding: bytes, as: UTF8.self))
  }
}
