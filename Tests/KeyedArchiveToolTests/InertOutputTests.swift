// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("Terminal safety")
struct InertOutputTests {
  /// Characters that control a terminal or move text: escape sequences in 7 and 8 bits, bell, carriage return,
  /// backspace, delete, all line ends, directional marks and invisible tags.
  private static let hostile =
    "\u{1B}[2J\u{9B}31m\u{1B}]0;title\u{7}\u{8}\r\n\u{85}\u{7F}\u{2028}\u{2029}\u{202E}\u{2066}\u{200F}\u{61C}\u{E0041}\u{FEFF}x"

  /// The hostile text as each kind of text: keys, values, class names, superclasses, hints, URLs.
  private static let file = Handmade.archive(
    [
      .dictionary([
        (hostile, .uid(2)), ("inline", .string(hostile)),
        ("list", [.string(hostile), .dictionary([(hostile, .integer(1))])]),
        ("url", .uid(4)), ("pairs", .uid(6)), ("text", .uid(8)), ("$class", .uid(3)),
      ]),
      .string(hostile),
      ["$classname": .string(hostile), "$classes": [.string(hostile)], "$classhints": [.string(hostile)]],
      ["NS.base": .uid(0), "NS.relative": .uid(2), "$class": .uid(5)], Handmade.classRecord("NSURL"),
      ["NS.keys": [.uid(2)], "NS.objects": [.uid(2)], "$class": .uid(7)], Handmade.classRecord("NSDictionary"),
      ["NS.string": .string(hostile), "$class": .uid(9)], Handmade.classRecord("NSMutableString"),
    ], top: .dictionary([("root", .uid(1)), (hostile, .uid(99))]), archiver: .string(hostile))

  private func isInert(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0 != "\n" && EscapedText.isHostile($0) }
  }

  @Test("every command but those that are asked for the bytes, on a terminal and in a pipe", arguments: [false, true])
  func allCommands(isTerminal: Bool) {
    let more = [
      ["get", "-", "root.text"], ["get", "-", "root.url"], ["get", "-", "root.inline"], ["get", "-", "#3"],
    ]
    for command in BombTests.commands + more where !["xml", "binary"].contains(command.last) {
      for command in [command, command + ["--any-archiver"]] {
        let run = ToolRun(command, input: Self.file, isTerminal: isTerminal)
        #expect(isInert(run.output), "\(command): \(run.output.debugDescription)")
        #expect(isInert(run.errors), "\(command): \(run.errors.debugDescription)")
      }
    }
  }

  @Test("escapes hostile text for terminals and prints it whole in JSON")
  func escaped() throws {
    let run = ToolRun("get", "--any-archiver", "-", "#2", input: Self.file)
    let escapes =
      #"\u{1b}[2J\u{9b}31m\u{1b}]0;title\u{7}\u{8}\r"# + "\n"
      + #"\u{85}\u{7f}\u{2028}\u{2029}\u{202e}\u{2066}\u{200f}\u{61c}\u{e0041}\u{feff}x"# + "\n"
    #expect(run.output == escapes)
    let json = ToolRun("get", "--any-archiver", "--json", "-", "#2", input: Self.file)
    let text = try JSONSerialization.jsonObject(with: json.data, options: .fragmentsAllowed) as? String
    #expect(text.map { Array($0.unicodeScalars) } == Array(Self.hostile.unicodeScalars))
  }

  @Test("writes raw strings to a terminal only if they are inert or forced")
  func raw() {
    let path = ["get", "--any-archiver", "--raw", "-", "#2"]
    #expect(ToolRun(path, input: Self.file).data == Data(Self.hostile.utf8))
    let refused = ToolRun(path, input: Self.file, isTerminal: true)
    #expect(refused.code == .notWritten && refused.data.isEmpty)
    // The command has no -o.
    #expect(refused.errors.hasSuffix("not written to a terminal. Write to a file with '>', or add --force\n"))
    #expect(ToolRun(path + ["--force"], input: Self.file, isTerminal: true).data == Data(Self.hostile.utf8))
    let sound = Handmade.archive(["two\n\tlines — ü 🐌"])
    let shown = ToolRun("get", "--raw", "-", "root", input: sound, isTerminal: true)
    #expect(shown.code == .fine && shown.output == "two\n\tlines — ü 🐌")
  }

  @Test("writes XML to a terminal only if it is inert or forced")
  func xml() {
    // XML may contain these unescaped: an 8-bit control sequence and a directional mark.
    let evil = Handmade.archive(["\u{9B}2J\u{202E}x"])
    let command = ["convert", "-", "--to", "xml"]
    let refused = ToolRun(command, input: evil, isTerminal: true)
    #expect(refused.code == .notWritten && refused.data.isEmpty)
    #expect(refused.errors.hasSuffix("not written to a terminal. Name a file with -o or '>', or add --force\n"))
    let whole = ToolRun(command, input: evil)
    #expect(whole.code == .fine && whole.output.unicodeScalars.contains("\u{9B}"))
    #expect(ToolRun(command + ["--force"], input: evil, isTerminal: true).data == whole.data)
    #expect(ToolRun(command, input: whole.data, isTerminal: true).code == .notWritten)
    #expect(ToolRun(command, input: Handmade.archive(["ü 🐌"]), isTerminal: true).code == .fine)
  }
}
