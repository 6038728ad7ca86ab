// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("audit")
struct AuditCommandTests {
  private let creatures = Locations.fixtures.appending(path: "made/creatures.plist").path

  @Test("prints classes, places, keys with kinds, and the lists")
  func text() throws {
    let run = ToolRun("audit", "-", input: try Creature.pair())
    #expect(run.code == .fine && run.errors == "")
    let lines = run.lines
    for line in [
      "Zoo.Creature < NSObject: 2 objects", "  at root", "  at root.Friends[0]", "  Friend: Zoo.Creature, nil",
      "  Friends: NSArray ×2 [Zoo.Creature]", "  Legs: integer ×2", "  Nothing: nil ×2",
      "  Scores: NSDictionary ×2 {string object ×2: integer object ×2}", "NSDate < NSObject: 2 objects",
      "top: Zoo.Creature", "allow: NSArray NSData NSDate NSDictionary NSNumber NSString NSURL NSUUID Zoo.Creature",
    ] {
      #expect(lines.contains(line), "\(line) in \(run.output)")
    }
  }

  @Test("'allow' has the classes of unreachable records, which validate --allow checks")
  func unreachable() throws {
    let data = Handmade.archive([
      ["$class": .uid(2)], Handmade.classRecord("A"), ["$class": .uid(4)], Handmade.classRecord("B"),
      Handmade.classRecord("C"),
    ])
    let allow = try #require(ToolRun("audit", "--json", "-", input: data).json.first?["allow"] as? [String])
    #expect(allow == ["A", "B", "C"])
    #expect(ToolRun(["validate", "-"] + allow.flatMap { ["--allow", $0] }, input: data).code == .fine)
  }

  @Test("a dictionary that is its own key and value is audited")
  func cyclicKey() {
    let data = Handmade.archive([
      ["NS.keys": [.uid(1)], "NS.objects": [.uid(1)], "$class": .uid(2)],
      Handmade.classRecord("NSDictionary"),
    ])
    for command in ["audit", "generate"] {
      let run = ToolRun(command, "-", input: data)
      #expect(run.code == .fine && run.errors == "", "\(command): \(run.errors)")
    }
  }

  @Test("--json prints exactly these keys")
  func json() {
    #expect(
      ToolRun("audit", "--json", nsurl).lines == [
        #"{"schema":1,"files":1,"archives":1,"nestedArchives":0,"damagedNestedArchives":0,"objects":2,"allow":["NSString","NSURL"],"#
          + #""top":["NSURL"],"nestedTop":[],"topKeys":[{"key":"root","count":1,"kinds":[{"kind":"NSURL","count":1}]}],"#
          + #""classes":[{"class":"NSString","objects":1,"classes":[],"places":1,"paths":["root.NS.relative"],"keys":[]},"#
          + #"{"class":"NSURL","objects":1,"classes":["NSURL","NSObject"],"places":1,"paths":["root"],"keys":["#
          + #"{"key":"NS.base","count":1,"kinds":[{"kind":"nil","count":1}]},"#
          + #"{"key":"NS.relative","count":1,"kinds":[{"kind":"string object","count":1}]}]}]}"#
      ])
  }

  @Test("leaves out unreadable files and combines the others")
  func several() throws {
    let run = ToolRun(["audit", "--json", nsurl, "/no/such/file", "-", creatures], input: Data("hello".utf8))
    #expect(run.code == .notAnArchive && run.errors.contains("/no/such/file"))
    let json = try #require(try run.json.first)
    #expect(json["files"] as? Int == 2)
    #expect(json["top"] as? [String] == ["NSArray", "NSURL", "ScaryCreatures.ScaryCreatureData"])
    #expect(ToolRun("audit", "/no/such/file").output == "")
    #expect(ToolRun("audit", "--swift", "--json", nsurl).code == .usage)
  }

  @Test("validate accepts the printed names")
  func validates() throws {
    let allow = try #require(try ToolRun("audit", "--json", creatures).json.first?["allow"] as? [String])
    #expect(ToolRun(["validate", creatures] + allow.flatMap { ["--allow", $0] }).code == .fine)
    for index in allow.indices where allow[index] != "NSString" {
      let fewer = allow.enumerated().filter { $0.offset != index }.map(\.element)
      #expect(ToolRun(["validate", creatures] + fewer.flatMap { ["--allow", $0] }).code == .classNotAllowed)
    }
  }

  /// The only type that the program declares.
  private static let model = """
    import KeyedArchiving
    final class ScaryCreatureData: SecureKeyedCoding {
      static var archiveClassName: String { "ScaryCreatures.ScaryCreatureData" }
      let title: String
      func encode(with coder: KeyedArchiver) { coder.encode(title, forKey: "Title") }
      init?(coder: KeyedUnarchiver) { title = coder.decodeObject(of: String.self, forKey: "Title") ?? "" }
    }
    """

  @Test(
    "the Swift source compiles and decodes the archive",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func swift() throws {
    let main = """
      import Foundation
      import KeyedArchiving
      let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
      let array = try KeyedUnarchiver.unarchivedObject(ofClasses: allowedClasses, from: data) as? [ScaryCreatureData]
      print((array ?? []).map { $0.title }.joined(separator: ","))
      """
    let list = ToolRun("audit", "--swift", creatures).output
    let run = try SwiftCompiler.run(
      ["Allowed.swift": list, "Model.swift": Self.model, "main.swift": main], [creatures])
    #expect(run.code == 0 && run.output.split(separator: ",").count == 4, "\(run.output) \(run.errors)")
  }

  /// A sample; with `WHOLE_TESTS`, all files.
  @Test(
    "the Swift source for corpus files with known classes compiles",
    .enabled(
      if: SwiftCompiler.isPresent && Corpus.isPresent, "\(SwiftCompiler.isAbsent), or \(Locations.sharedIsAbsent)"))
  func corpus() throws {
    let files = try Corpus.sample(every: 6).filter { file in
      let audit = try ArchiveAudit(of: KeyedArchive(file.data(), archivers: .any))
      return audit.classes.allSatisfy {
        ArchiveAudit.valueType(of: $0.descriptions.first ?? ClassDescription(name: $0.name, chain: [])) != nil
      }
    }
    let source = ToolRun(["audit", "--swift"] + files.map(\.url.path)).output
    #expect(files.count > Sample.count(4, of: 40))
    #expect(try SwiftCompiler.errors(["Allowed.swift": source]) == "", "\(source)")
  }

  /// An eighth of the options for each bomb; with `WHOLE_TESTS`, all.
  @Test("bombs: an answer, or an error that says what to do", arguments: Bombs.all.indices)
  func bombs(index: Int) {
    let data = Bombs.all[index].make(20_000)
    for (turn, options) in [[], ["--json"], ["--swift"], ["--nested"]].enumerated()
    where Sample.includes(turn + index, each: 8) {
      let run = ToolRun(["audit", "-"] + options, input: data)
      #expect([.fine, .limitReached, .notAnArchive].contains(run.code), "\(run.errors)")
      #expect(run.data.count <= 17 << 20 && run.errors.utf8.count < 4096)
    }
  }

  @Test("JSON ends at the output limit, also in the superclasses of a class without keys")
  func longChain() {
    let run = ToolRun("audit", "--json", "-", input: Handmade.longChain("Box"))
    #expect(run.code == .limitReached && run.data.isEmpty)
    #expect(run.errors.contains("output limit reached"), "\(run.errors)")
  }

  @Test("hostile names are inert on a terminal and only comments in Swift")
  func hostile() {
    let name = "\u{1B}[2J\n\u{202E}*/ exit(0)"
    let data = Handmade.archive(
      [
        .dictionary([(name, .uid(2)), ("$class", .uid(3))]), .string(name), Handmade.classRecord(name),
      ], top: .dictionary([(name, .uid(1))]))
    for options in [[], ["--json"], ["--swift"]] {
      let run = ToolRun(["audit", "-"] + options, input: data, isTerminal: true)
      #expect(run.code == .fine)
      #expect(!run.output.unicodeScalars.contains { $0 != "\n" && EscapedText.isHostile($0) })
      if options == ["--swift"] { #expect(run.lines.allSatisfy { !$0.contains("exit(0)") || $0.hasPrefix("    // ") }) }
    }
  }
}
