// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import HarnessSupport
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("Warnings about XML")
struct XMLWarningTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// An archive with texts that XML cannot hold as a value, as a key and as the name of a class.
  private static let hostile = Handmade.archive([
    ["k\u{B}": .uid(2), "list": ["fine", "\u{1}\u{1B}\u{1}"], "$class": .uid(3)], "\u{0}tab\t, line\n, \u{FFFF}",
    Handmade.classRecord("A\u{FFFE}"),
  ])

  private static func xml(_ data: Data) -> Data { ToolRun("convert", "-", "--to", "xml", input: data).data }

  /// The XML of a writer that does not escape carriage returns.
  private static let plainReturns = Data(
    String(
      decoding: xml(Handmade.archive([["a": .uid(2), "$class": .uid(3)], "x\ry", Handmade.classRecord("A")])),
      as: UTF8.self
    )
    .replacing("&#13;", with: "\r").utf8)

  @Test("name the characters and where they are, each text once, and the number of further texts")
  func places() {
    let run = ToolRun("convert", "-", "--to", "xml", input: Self.hostile)
    #expect(run.code == .fine)
    // The class record has the name twice, as 'classname' and in 'classes', and each of the handmade texts is an object.
    #expect(
      run.errors == "keyedarchive: -: warning: XML excludes characters of the text, so most parsers other than Apple's "
        + #"reject the file: U+000B at #1["k\u{b}"]; U+0001, U+001B at #1.list[1]; U+0000, U+FFFF at #2; "#
        + "2 more texts\n")
  }

  @Test("have paths that get accepts")
  func paths() throws {
    let file = try folder.file("a.plist", Self.hostile)
    for (path, text) in [("#1.list[1]", "\u{1}\u{1B}\u{1}"), ("#2", "\u{0}tab\t, line\n, \u{FFFF}")] {
      #expect(ToolRun("get", "--raw", file, path).data == Data(text.utf8))
    }
    #expect(ToolRun("get", "--raw", file, #"#1["k\u{b}"]"#).data == Data("\u{0}tab\t, line\n, \u{FFFF}".utf8))
  }

  @Test("are printed by roundtrip for files in XML, as JSON too, and not for binary files")
  func roundtrip() throws {
    let xml = ToolRun("roundtrip", "-", input: Self.xml(Self.hostile))
    #expect(
      xml.code == .fine && xml.errors.contains("-: warning: XML excludes")
        && xml.errors.contains("U+0000, U+FFFF at #2"))
    let json = ToolRun("roundtrip", "--json", "-", input: Self.xml(Self.hostile))
    let note = try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any]
    #expect((note?["note"] as? String)?.hasPrefix("-: warning: XML excludes characters") == true)
    #expect(ToolRun("roundtrip", "-", input: Self.hostile).errors == "")
  }

  @Test("are printed by migrate for files in XML, also with -n and -o", arguments: [[], ["-n"], ["-o"]])
  func migrate(options: [String]) throws {
    let file = try folder.file("a.plist", Self.xml(Self.hostile))
    let options = options == ["-o"] ? ["-o", folder.path("out")] : options + ["--backup-suffix", "~"]
    let run = ToolRun(["migrate", "--rename-class", "A\u{FFFE}=B", file] + options)
    #expect(run.code == .fine)
    #expect(
      run.errors.hasPrefix("keyedarchive: \(file): warning: XML excludes")
        && run.errors.contains("U+0000, U+FFFF at #2"))
    let binary = try folder.file("b.plist", Self.hostile)
    #expect(ToolRun("migrate", "-f", "--rename-class", "A\u{FFFE}=B", binary).errors == "")
  }

  @Test(
    "tell that carriage returns stay as they are in a file that has them, which Python reads as line feeds",
    .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func returns() throws {
    for command in [["roundtrip"], ["convert", "--to", "xml"]] {
      let run = ToolRun(command + ["-"], input: Self.plainReturns)
      #expect(run.code == .fine)
      #expect(
        run.errors
          == "keyedarchive: -: warning: as in the original, carriage returns are not written as &#13;, so most "
          + "parsers other than Apple's read line feeds: at #2\n")
    }
    let program = "import plistlib, sys; print(repr(plistlib.load(sys.stdin.buffer)['$objects'][2]))"
    #expect(String(decoding: try Python.run(program, input: Self.plainReturns), as: UTF8.self) == "'x\\ny'\n")
    // Through the binary format, the text is kept.
    let binary = ToolRun("convert", "-", "--to", "binary", input: Self.plainReturns).data
    let escaped = ToolRun("convert", "-", "--to", "xml", input: binary)
    #expect(escaped.errors == "")
    #expect(String(decoding: try Python.run(program, input: escaped.data), as: UTF8.self) == "'x\\ry'\n")
  }

  @Test("are not left out silently if the texts are too many to be checked")
  func unchecked() throws {
    // Keys that share their bytes. Only the search for characters reads them as often as they occur.
    var file = ArchiveFile()
    let (key, value) = (file.text(String(repeating: "k", count: 20_000)), file.row(.boolean(true)))
    let pairs = (0..<100).map { _ in (key: file.row(.same(key)), value: value) }
    let box = file.classUID("Box", "NSObject")
    let fields = file.fields(box, [("keys", file.row(.dictionary(pairs))), ("text", file.text("\u{1}"))])
    let run = ToolRun("convert", "-", "--to", "xml", input: file.data(root: file.object(row: fields)))
    #expect(run.code == .limitReached && run.data.isEmpty, "\(run.errors)")
  }
}
