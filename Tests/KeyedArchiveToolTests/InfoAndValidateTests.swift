// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("info and validate")
struct InfoAndValidateTests {
  @Test("info prints a line")
  func line() {
    #expect(
      ToolRun("info", nsurl).lines == ["\(nsurl): binary, NSKeyedArchiver, top root, 4 objects, 1 class, 263 bytes"])
  }

  @Test("info --json prints exactly these keys in this order")
  func json() {
    #expect(
      ToolRun("info", "--json", nsurl).lines == [
        #"{"schema":1,"file":"\#(nsurl)","format":"binary","archiver":"NSKeyedArchiver","version":100000,"topKeys":["root"],"#
          + #""objects":4,"classes":["NSURL"],"cyclic":false,"bytes":263}"#
      ])
  }

  @Test("info recognizes a cycle")
  func cyclic() throws {
    #expect(ToolRun("info", "-", input: try Creature.pair()).output.contains(", cyclic, "))
    let json = try ToolRun("info", "--json", "-", input: try Creature.pair()).json
    #expect(json[0]["cyclic"] as? Bool == true)
    #expect(
      json[0]["classes"] as? [String] == ["NSArray", "NSDate", "NSDictionary", "NSURL", "NSUUID", "Zoo.Creature"])
  }

  @Test("validate notes a key that occurs twice in an object, a class record, '$top' and the envelope")
  func duplicateKeys() throws {
    let a: HandmadeList = .uid(2)
    let record = Handmade.classRecord("A")
    let twice = HandmadeList.dictionary([
      ("$classname", "A"), ("$classname", "B"), ("$classes", ["A", "NSObject"]),
    ])
    let many = (0..<9).map { ("\($0)", HandmadeList.integer(0)) }
    let envelope = HandmadeList.dictionary([
      ("$version", 100_000), ("$archiver", "NSKeyedArchiver"), ("$top", ["root": .uid(1)]),
      ("$objects", ["$null", "x"]), ("$objects", ["$null", "y"]),
    ])
    for (data, detail) in [
      (Handmade.archive([.dictionary([("$class", a), ("$class", a)]), record]), "the key '$class' occurs twice"),
      (
        Handmade.archive([.dictionary([("$class", a), ("$class", a)] + many), record]), "the key '$class' occurs twice"
      ),
      (Handmade.archive([["$class": a], twice]), "the key '$classname' occurs twice"),
      (
        Handmade.archive(["x"], top: .dictionary([("root", .uid(1)), ("root", .uid(1))])),
        "the top-level key 'root' occurs twice"
      ), (envelope.binary, "the envelope's key '$objects' occurs twice"),
    ] {
      let run = ToolRun("validate", "-", input: data)
      #expect(run.code == .fine && run.lines.count == 2)
      #expect(run.output.hasPrefix("-: note duplicateKey: \(detail)"), "\(run.output)")
    }
  }

  /// `KeyedArchiver` and `KeyedArchiveEncoder.rootKey` write any key, and their readers read it.
  @Test(
    "archives with a top-level key that is like root are valid", arguments: ["Root", "roots", "rot", "boot", "room"])
  func otherRootKey(key: String) throws {
    let folder = try ScratchFolder()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(["x"], forKey: key)
    let data = try archiver.encodedData
    #expect(ToolRun("validate", "-", input: data).lines == ["-: valid"])
    #expect(ToolRun("info", "-", input: data).output.contains(", top \(key), "))
    #expect(ToolRun("diff", "-", nsurl, input: data).code == .negative)
    let path = try folder.file("a.plist", data)
    let scan = ToolRun("scan", folder.url.path)
    #expect(scan.code == .fine && scan.errors == "" && scan.output.contains(path))
  }

  /// Archives with one error each: the message of `info` and the code of `validate`.
  static let broken: [(name: String, data: Data, message: String, code: String?)] = [
    ("no archiver", HandmadeList.dictionary([("$version", 100_000)]).binary, "has no '$archiver'", nil),
    ("other archiver", Handmade.archive(["x"], archiver: "NSArchiver"), "--any-archiver", nil),
    ("other version", Handmade.archive(["x"], version: 10), "'$version' is 10; expected 100000 (byte", nil),
    ("no plist", Data("hello".utf8), " ", nil),
    (
      "dangling", Handmade.archive([["a": .uid(7), "$class": .uid(2)], Handmade.classRecord("A")]),
      "'a': dangling reference to object #7", "danglingReference"
    ),
    ("no class", Handmade.archive([["a": 1]]), "without '$class' (object #1, byte", "noClass"),
    ("no record", Handmade.archive([["$class": .uid(2)], "x"]), "(object #1, byte", "badClassRecord"),
    ("misspelt root", Handmade.archive(["x"], top: ["rooty": .uid(1)]), "'$top' has no 'root'", "misspelledRoot"),
  ]

  @Test(
    "info rejects invalid archives with exit code 4, the problem and its location",
    arguments: broken.indices)
  func refuses(index: Int) throws {
    let (name, data, message, code) = Self.broken[index]
    let run = ToolRun("info", "-", input: data)
    #expect(run.code == .notAnArchive && run.output == "", "\(name)")
    #expect(run.errors.hasPrefix("keyedarchive: -: ") && run.errors.contains(message), "\(name)")
    let validate = ToolRun("validate", "--json", "-", input: data)
    guard let code else { return #expect(validate.code == .notAnArchive && validate.output == "") }
    let findings = try #require(try validate.json[0]["findings"] as? [[String: Any]])
    #expect(validate.code == .negative)
    #expect(findings.first { $0["severity"] as? String == "error" }?["code"] as? String == code)
  }

  @Test("with --json, errors are JSON with code, exit code and text")
  func jsonError() throws {
    let run = ToolRun("info", "--json", "/no/such/file")
    let line = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
    let error = try #require(line?["error"] as? [String: Any])
    #expect(line?["schema"] as? Int == 1)
    #expect(error["code"] as? String == "fileAccess" && error["exit"] as? Int == 3)
    #expect(error["file"] as? String == "/no/such/file")
    #expect(error["message"] as? String == "no such file")
  }

  @Test("continues after a failure, and ends with the highest code and a summary")
  func several() {
    let run = ToolRun("info", nsurl, "/no/such/file", "-", nsurl, input: Data("hello".utf8))
    #expect(run.code == .notAnArchive && run.lines.count == 2)
    #expect(run.errors.contains("keyedarchive: /no/such/file: no such file\n"))
    #expect(run.errors.contains("keyedarchive: 4 files: 2 ok; 1 file not readable; 1 not a keyed archive, or damaged"))
    #expect(ToolRun("info", nsurl, nsurl).errors == "")
  }

  @Test("validate checks the structure and the allowed classes")
  func allow() {
    #expect(ToolRun("validate", nsurl).lines == ["\(nsurl): valid"])
    #expect(ToolRun("validate", "--allow", "NSURL", nsurl).code == .fine)
    let run = ToolRun("validate", "--allow", "NSDate", "--allow=NSArray", nsurl)
    #expect(run.code == .classNotAllowed)
    #expect(run.output.hasPrefix("\(nsurl): error classNotAllowed: class 'NSURL' is not allowed (object #3"))
  }

  @Test("other errors outrank disallowed classes, and notes are not errors")
  func severity() {
    let dangling = Handmade.archive([["a": .uid(7), "$class": .uid(2)], Handmade.classRecord("A")])
    #expect(ToolRun("validate", "--allow", "B", "-", input: dangling).code == .negative)
    let unused = Handmade.archive(["x", "nobody's"])
    let run = ToolRun("validate", "-", input: unused)
    #expect(run.code == .fine && run.output.contains("note unreferencedObject") && run.output.hasSuffix("-: valid\n"))
  }

  @Test("validate prints at most 100 findings of a file, errors first, and JSON all of them")
  func manyFindings() throws {
    // A dangling reference in the last object, behind 150 objects without references to them.
    let objects = [HandmadeList](repeating: "unused", count: 150) + [["a": .uid(999), "$class": .uid(152)]]
    let data = Handmade.archive(objects + [Handmade.classRecord("A")], top: ["root": .uid(151)])
    let run = ToolRun("validate", "-", input: data)
    #expect(run.code == .negative && run.lines.count == 101)
    #expect(run.lines[0].hasPrefix("-: error danglingReference"))
    #expect(run.lines[1].hasPrefix("-: note unreferencedObject"))
    #expect(run.lines.last == "-: and 51 more; --json lists all")
    let json = try #require(try ToolRun("validate", "--json", "-", input: data).json.first)
    #expect((json["findings"] as? [Any])?.count == 151)
    let few = Handmade.archive([HandmadeList](repeating: "unused", count: 101), top: ["root": .uid(1)])
    #expect(ToolRun("validate", "-", input: few).lines.count == 101, "100 notes and the verdict")
  }

  @Test("the place of a finding in an XML file is a line, for validate and for graph")
  func lines() throws {
    let binary = Handmade.archive([["a": 1, "$class": .uid(2)], Handmade.classRecord("A")], top: ["root": .uid(1)])
    let xml = String(decoding: try PropertyList(binary).data(format: .xml), as: UTF8.self)
      .replacing("<string>$null</string>", with: "<string>nil</string>")
    let line = try #require(xml.split(separator: "\n").firstIndex { $0.contains("<string>nil</string>") }) + 1
    let input = Data(xml.utf8)
    #expect(ToolRun("validate", "-", input: input).lines.first?.hasSuffix("(object #0, line \(line))") == true)
    let json = try #require(try ToolRun("validate", "--json", "-", input: input).json.first)
    let finding = try #require((json["findings"] as? [[String: Any]])?.first)
    #expect(finding["code"] as? String == "firstIsNotNull")
    #expect(finding["line"] as? Int == line && finding["byte"] == nil)
    let graph = ToolRun("graph", "-", "--to", "dot", input: input)
    #expect(graph.code == .notAnArchive && graph.errors.contains("object #0, line \(line)"), "\(graph.errors)")
  }

  @Test("validate that ends at a limit has the exit code of other commands")
  func limit() throws {
    let bomb = Handmade.sharedArray()
    let run = ToolRun("validate", "--json", "-", input: bomb)
    let findings = try #require(try run.json.first?["findings"] as? [[String: Any]])
    #expect(findings.allSatisfy { $0["code"] as? String == "limitReached" } && !findings.isEmpty)
    #expect(run.code == .limitReached && ToolRun("info", "-", input: bomb).code == .limitReached)
    // The findings are the result; standard error says what to do.
    let remedy = "read it with a program that raises ReadLimits"
    #expect(run.errors.contains(remedy) && ToolRun("validate", "-", input: bomb).errors.contains(remedy))
  }

  @Test(
    "a file of another format gets the library's message",
    arguments: [
      Data(), Data(#"{"root": 1}"#.utf8), Data("[1, 2]".utf8), Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0]),
      Data("SQLite format 3\0 and more".utf8), Data([0x50, 0x4B, 3, 4, 20, 0, 0, 0]),
      Data("{}".utf8), Data([4, 11] + Array("streamtyped".utf8)), Data([0, 0]),
    ])
  func foreignFormat(data: Data) throws {
    let error = try #require(throws: KeyedArchiveError.self) { try KeyedArchive(data) }
    for command in ["info", "tree", "validate"] {
      let run = ToolRun(command, "-", input: data)
      #expect(run.code == .notAnArchive && run.errors == "keyedarchive: -: \(error)\n")
    }
  }

  @Test("the error about a property list says whether it has archives in its data")
  func plainPropertyList() {
    let run = ToolRun("tree", "-", input: HandmadeList.dictionary([("a", 1)]).binary)
    #expect(run.code == .notAnArchive && run.errors.contains("it has no archive in its data"))
  }

  @Test("reads a pipe by its name, and waits for its writer", .notHanging)
  func pipe() throws {
    let folder = try ScratchFolder()
    let mkfifo = try #require(Program.installed("mkfifo"))
    #expect(try mkfifo.run([folder.path("pipe")]).code == 0)
    let expected = ToolRun("tree", nsurl).output
    let calls = [
      (["tree", folder.path("pipe")], expected), (["diff", nsurl, folder.path("pipe")], ""),
      (["scan", folder.path("pipe")], ToolRun("scan", nsurl).output.replacing(nsurl, with: folder.path("pipe"))),
    ]
    for (arguments, output) in calls {
      let writer = Process()
      writer.executableURL = try #require(Program.installed("sh")).url
      writer.arguments = ["-c", #"sleep 0.2; cat "$1" > "$0""#, folder.path("pipe"), nsurl]
      try writer.run()
      let run = ToolRun(arguments)
      writer.waitUntilExit()
      #expect(run.code == .fine && run.output == output, "\(run.errors)")
    }
    let list = ToolRun("scan", "-", input: Data(folder.path("pipe").utf8))
    #expect(list.code == .unreadable && list.errors.contains(": is not a regular file. "))
  }

  @Test("other devices are not regular files, and the message names '-'")
  func device() throws {
    let run = ToolRun("info", "/dev/null")
    #expect(run.code == .unreadable && run.errors.contains(": is not a regular file. "), "\(run.errors)")
    #expect(run.errors.contains("'-'") && !run.errors.contains("permission"))
  }

  @Test(
    "bytes after the end are said to be that",
    arguments: [
      (Data("\n".utf8), "1 byte follows"), (Data(repeating: 0, count: 4000), "4000 bytes follow"),
      (Data("\r\nbplist00".utf8), "10 bytes follow"),
    ])
  func excess(more: Data, message: String) throws {
    let data = try Data(contentsOf: URL(filePath: nsurl))
    for command in ["tree", "validate", "get"] {
      let run = ToolRun([command, "-"] + (command == "get" ? ["root"] : []), input: data + more)
      #expect(run.code == .notAnArchive && run.output == "")
      #expect(
        run.errors
          == "keyedarchive: -: unexpected bytes after the end: the property list ends at byte 263, and \(message)"
          + " (byte 263). Remove them, for example with 'head -c 263'\n", "\(run.errors)")
    }
  }

  @Test("a cut file with an archive in its data does not end in that")
  func cut() throws {
    let inner = try Data(contentsOf: URL(filePath: nsurl))
    let outer = HandmadeList.dictionary([("a", .data([UInt8](inner)))]).binary
    let run = ToolRun("tree", "-", input: outer.dropLast(20))
    #expect(run.errors.contains("The file may be truncated"), "\(run.errors)")
  }

  @Test("a huge file without an end is not read", .notHanging)
  func huge() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("huge", Data("bplist00".utf8))
    try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 1 << 40)
    for command in ["info", "tree", "roundtrip"] {
      let run = ToolRun(command, path)
      #expect(run.code == .notAnArchive && run.errors.contains("invalid trailer: "), "\(run.errors)")
    }
  }

  @Test("folders and missing files are unreadable")
  func unreadable() {
    for (path, message) in [
      ("/tmp", "is a folder"), ("/no/such", "no such file"), ("a\0b", "no such file"),
    ] {
      let run = ToolRun("tree", path)
      #expect(run.code == .unreadable && run.errors.contains(message))
    }
  }
}
