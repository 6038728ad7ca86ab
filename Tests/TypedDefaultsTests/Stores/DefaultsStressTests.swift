// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

/// The stress program. With large numbers it runs for minutes.
private let stress = Program.built("library-stress")

@Suite("Stress of stores", .enabled(if: stress != nil, "library-stress was not built beside the tests"))
struct DefaultsStressTests {
  private func run(_ arguments: String...) throws -> Program.Run {
    let folder = try ScratchFolder()
    return try #require(stress).run(arguments + ["--at", folder.url.path])
  }

  @Test("observers receive the last value of each key from many threads")
  func threads() throws {
    let run = try run("defaults-threads", "--changes", "1000")
    #expect(run.code == 0 && run.output.contains("16 threads with 1000 changes each"), "\(run.output)")
  }

  @Test("several processes lose no change")
  func processes() throws {
    let run = try run("defaults-processes", "--processes", "3", "--changes", "200")
    #expect(run.output.hasPrefix("3 processes with 200 changes each to one file, none lost"), "\(run.output)")
    #expect(run.code == 0)
  }

  @Test("a process that ends, also by a signal, loses no deferred change")
  func exits() throws {
    // Other tests take the processor meanwhile, so the window of a kill is measured elsewhere.
    let run = try run("defaults-exits", "--rounds", "2", "--window", "600s")
    #expect(run.output.contains("10 ends with deferred changes, none lost"), "\(run.output)")
    #expect(run.output.contains("kills lost changes of the last "), "\(run.output)")
    #expect(run.code == 0)
  }

  @Test("a killed process leaves a valid file with all acknowledged changes")
  func kills() throws {
    let run = try run("defaults-kills", "--rounds", "40", "--seed", "7")
    #expect(run.output.contains("40 kills, ") && run.output.contains(", 0 breaches"), "\(run.output)")
    #expect(run.output.contains(#/ [1-9]\d* kills of repairs, /#), "\(run.output)")
    #expect(run.code == 0)
  }
}
