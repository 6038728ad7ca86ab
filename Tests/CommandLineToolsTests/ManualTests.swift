// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@Suite("Manual pages")
struct ManualTests {
  private static let topics = [[]] + Tool.beasts.commands.map { [$0.help.name] }
  private static let groff = Program.installed("groff")
  private static let mandoc = Program.installed("mandoc")

  @Test("are ASCII without dates, with their sections in the usual order", arguments: topics)
  func parts(topic: [String]) {
    let run = ToolRun(.beasts, ["manual"] + topic)
    #expect(run.code == .fine && run.data.allSatisfy { $0 < 0x7F && ($0 >= 0x20 || $0 == 0x0A) })
    let headings = run.lines.filter { $0.hasPrefix(".SH ") }.map { String($0.dropFirst(5).dropLast()) }
    let usual = [
      "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPERANDS", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO",
    ]
    #expect(headings == usual.filter(headings.contains))
    #expect(Set(["NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"]).isSubset(of: headings))
    #expect(run.lines[0].hasSuffix(#" 1 "" "beasts 3.1" "User Commands""#))
  }

  @Test("groff formats them without warnings", .enabled(if: groff != nil, "groff is not installed"), arguments: topics)
  func warnings(topic: [String]) throws {
    let page = ToolRun(.beasts, ["manual"] + topic).data
    let run = try #require(Self.groff).run(["-Tutf8", "-man", "-ww", "-P-c", "-P-b", "-P-u"], input: page)
    #expect(run.code == 0 && run.errors == "")
    #expect(run.output.contains("SYNOPSIS"))
  }

  @Test("groff shows texts unchanged", .enabled(if: groff != nil, "groff is not installed"))
  func verbatim() throws {
    let page = ToolRun(.beasts, ["manual"]).data
    // Without colors and overstriking, in long lines.
    let run = try #require(Self.groff).run(
      ["-Tutf8", "-man", "-rLL=300n", "-P-c", "-P-b", "-P-u"], input: page)
    #expect(run.output.contains(Tool.beasts.notes[0]), "\(run.output)")
    #expect(run.output.contains("beasts - keep beasts") && run.output.contains("beasts-list(1), beasts-delete(1)"))
    #expect(run.output.contains("-h, --help"))
  }

  @Test("mandoc has no warnings", .enabled(if: mandoc != nil, "mandoc is not installed"), arguments: topics)
  func lint(topic: [String]) throws {
    let page = ToolRun(.beasts, ["manual"] + topic).data
    let run = try #require(Self.mandoc).run(["-Tlint", "-Wwarning"], input: page)
    // The date is omitted intentionally.
    let warnings = run.output.split(separator: "\n").filter { !$0.contains("missing date") }
    #expect(warnings == [])
  }
}
