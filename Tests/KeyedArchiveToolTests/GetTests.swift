// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("get")
struct GetTests {
  @Test(
    "parses key paths",
    arguments: [
      ("root", [.name("root")]),
      ("root.creatures[3].Title", [.name("root"), .name("creatures"), .index(3), .name("Title")]),
      (#"root["a key.with \"dots\""]"#, [.name("root"), .quoted("a key.with \"dots\"")]), ("#12", [.object(12)]),
      ("#12.a[0][1]", [.object(12), .name("a"), .index(0), .index(1)]), ("['root'].x", [.quoted("root"), .name("x")]),
      ("$0.ключ", [.name("$0"), .name("ключ")]),
    ] as [(String, [GraphPath.Step])])
  func paths(text: String, steps: [GraphPath.Step]) throws {
    #expect(try GraphPath(text).steps == steps)
  }

  @Test(
    "rejects invalid key paths",
    arguments: [
      "", ".", "a.", "a..b", "a[", "a[]", "a[x]", "a[1", "a[\"x]", "a]b", "#", "#x", "#99999999999",
      "a[99999999999999999999]",
      "a[\"x\\",
    ])
  func faulty(text: String) {
    #expect(throws: UsageError.self) { try GraphPath(argument: text) }
  }

  @Test(
    "prints values of every kind",
    arguments: [
      ("root.Title", "Ghost"), ("root.Rating", "2.5 (float)"), ("root.Legs", "7"), ("root.Scary", "true"),
      ("root.Seen", "2001-01-01T00:00:00.250Z"), ("root.Home", "https://example.org/a"), ("root.Nothing", "null"),
      ("root.ID", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), ("root.Tags[1]", "loud"), ("root.Scores.one", "1"),
      ("root.Scores[\"one\"]", "1"), ("root.Scores[0]", "1"), ("root.Friends[0].Title", "Slug"),
      ("root.Friends[0].Friend.Title", "Ghost"),
      ("root.Home.NS.relative", "https://example.org/a"), ("root.Tags.NS.objects[0]", "white"), ("#1.Title", "Ghost"),
    ])
  func values(path: String, expected: String) throws {
    let run = ToolRun("get", "-", path, input: try Creature.pair())
    #expect(run.output == expected + "\n" && run.code == .fine)
  }

  @Test("prints a container as a tree or JSON")
  func containers() throws {
    let data = try Creature.pair()
    let tree = ToolRun("get", "-", "root.Tags", input: data).output.replacing(#/#\d+/#, with: "#n")
    #expect(tree == "NSArray (2 elements) #n\n  [0]: \"white\" #n\n  [1]: \"loud\" #n\n")
    #expect(ToolRun("get", "--json", "-", "root.Tags", input: data).output == "[\n  \"white\",\n  \"loud\"\n]\n")
  }

  @Test("--raw prints only the bytes")
  func raw() throws {
    let data = try Creature.pair()
    #expect(ToolRun("get", "--raw", "-", "root.Title", input: data).output == "Ghost")
    #expect(ToolRun("get", "-r", "-", "root.Image", input: data).data.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
    #expect(ToolRun("get", "-r", "-", "root.Image", input: data, isTerminal: true).code == .notWritten)
    #expect(ToolRun("get", "-r", "-", "root.Legs", input: data).code == .negative)
  }

  @Test("keeps line ends in strings, and escapes control characters without --raw")
  func escaped() {
    let data = Handmade.archive(["a\nb\u{1B}[2Jc"])
    #expect(ToolRun("get", "-", "root", input: data).output == "a\nb\\u{1b}[2Jc\n")
    #expect(ToolRun("get", "--raw", "-", "root", input: data).output == "a\nb\u{1B}[2Jc")
  }

  @Test(
    "names the missing part of a path and the existing keys",
    arguments: [
      ("rot", "the archive has no 'rot'. It has root"), ("root.titel", "'root' has no 'titel'. It has "),
      ("root.Tags[2]", "'root.Tags' has no '[2]'. It has "),
      ("root.Tags[0].x", "'root.Tags[0]' has no 'x'. It has no keys"),
      ("root.Scores.two", "'root.Scores' has no 'two'. It has one"),
      ("#999", "no object #999: the archive has the UIDs #0 to #"),
      ("root.Home.NS.bas", "'root.Home' has no 'NS.bas'. It has "),
    ])
  func missing(path: String, message: String) throws {
    let run = ToolRun("get", "-", path, input: try Creature.pair())
    #expect(
      run.code == .negative && run.output == "" && run.errors.hasPrefix("keyedarchive: -: \(message)"), "\(run.errors)")
  }

  @Test("names the indexes of a dictionary without a key that is a string")
  func numberKeys() {
    let data = Handmade.archive([
      ["NS.keys": [.uid(3), .uid(4)], "NS.objects": [.uid(5), .uid(6)], "$class": .uid(2)],
      Handmade.classRecord("NSDictionary"), 5, 6, "x", "y",
    ])
    #expect(
      ToolRun("get", "-", "root.foo", input: data).errors == "keyedarchive: -: 'root' has no 'foo'. It has [0] to [1]\n"
    )
    #expect(ToolRun("get", "-", "root[1]", input: data).output == "y\n")
  }

  @Test("finds the keys of a dictionary that are stored one by one, by the paths that audit and diff print")
  func numberedKeys() throws {
    func archive(_ number: Int64) -> Data {
      Handmade.archive([
        ["NS.key.0": .uid(3), "NS.object.0": .uid(4), "$class": .uid(2)],
        HandmadeList.classRecord("Table", "NSDictionary", "NSObject"), ["x": .integer(number), "$class": .uid(5)], "y",
        Handmade.classRecord("Box"),
      ])
    }
    let audit = try ToolRun("audit", "--json", "-", input: archive(1)).json.first
    let classes = try #require(audit?["classes"] as? [[String: Any]])
    #expect(classes.contains { $0["paths"] as? [String] == ["root.NS.keys[0]"] })
    #expect(ToolRun("get", "--json", "-", "root.NS.keys[0].x", input: archive(1)).output == "1\n")
    #expect(ToolRun("get", "-", "root.NS.keys[1]", input: archive(1)).code == .negative)
  }

  @Test("the existing keys are steps of paths, which can be pasted", arguments: [false, true])
  func missingKey(isCollection: Bool) {
    let steps = [
      ("plain", ".plain"), ("a.b", #"["a.b"]"#), ("x[0]", #"["x[0]"]"#), ("", #"[""]"#),
      (#"q"uote's"#, #"["q\"uote's"]"#),
      ("a\nb", #"["a\nb"]"#),
    ]
    let values = steps.indices.map { HandmadeList.integer(Int64($0)) }
    let root: HandmadeList =
      isCollection
      ? [
        "NS.keys": .array(steps.indices.map { .uid(UInt64($0 + 3)) }), "NS.objects": .array(values), "$class": .uid(2),
      ] : .dictionary(Array(zip(steps.map(\.0), values)) + [("$class", .uid(2))])
    let data = Handmade.archive(
      [root, Handmade.classRecord(isCollection ? "NSDictionary" : "A")] + steps.map { .string($0.0) })
    #expect(
      ToolRun("get", "-", "root.nope", input: data).errors
        == #"""
        keyedarchive: -: 'root' has no 'nope'. It has plain, ["a.b"], ["x[0]"], [""], ["q\"uote's"], ["a\nb"]

        """#)
    for (index, step) in steps.enumerated() {
      #expect(ToolRun("get", "-", "root\(step.1)", input: data).output == "\(index)\n")
    }
  }

  @Test("errors of --json are JSON")
  func jsonErrors() throws {
    let run = ToolRun("get", "--json", "-", "root.titel", input: try Creature.pair())
    let line = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
    let error = line?["error"] as? [String: Any]
    #expect(error?["code"] as? String == "valueNotFound" && error?["file"] as? String == "-")
  }

  @Test("accepts the paths in the library's messages")
  func libraryPaths() throws {
    let data = try Creature.pair()
    let archive = try KeyedArchive(data)
    for index in 1..<UInt32(archive.objectCount) {
      let uid = ArchiveUID(rawValue: index)
      guard let text = archive.keyPath(to: uid) else { continue }
      var reader = GraphReader(archive)
      #expect(try GraphPath(text).resolve(in: &reader) == .reference(uid), "\(text)")
    }
  }
}
