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

@Suite("migrate --derive")
struct DeriveTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let old = HandmadeList.archive(
    [
      [
        "title": .uid(2), "rating": .real(4.5), "legs": 6, "isScary": .boolean(true), "gone": .uid(4),
        "friends": .uid(5), "$class": .uid(3),
      ],
      "Ghost", HandmadeList.classRecord("Old.Bug", "NSObject"), "only here",
      ["NS.objects": [.uid(1)], "$class": .uid(6)], HandmadeList.classRecord("NSArray", "NSObject"),
    ], top: [("Data", .uid(1)), ("count", 3)])

  @Test("a class of the name of the top-level values is not taken for them")
  func classNamedTop() throws {
    func archive(_ number: HandmadeList) -> Data {
      HandmadeList.archive(
        [["n": number, "$class": .uid(2)], HandmadeList.classRecord("$top", "NSObject"), 7],
        top: [("root", .uid(1)), ("n", number)])
    }
    let (old, new) = (try folder.file("old", archive(7)), try folder.file("new", archive(.uid(3))))
    let run = ToolRun("migrate", "--derive", old, new)
    #expect(run.code == .fine && run.errors == "", "\(run.output)\(run.errors)")
    // The list of two names selects the class.
    #expect(run.output.contains(#""class":["$top","$top"]"#) && run.output.contains(#""class":"$top""#))
  }

  private static func new(_ more: [(String, HandmadeList)] = []) -> Data {
    HandmadeList.archive(
      [
        .dictionary(
          [
            ("Title", .uid(2)), ("Rating", .uid(4)), ("legs", .integer(6)), ("isScary", .boolean(true)),
            ("isNew", .boolean(false)), ("note", .uid(7)), ("nothing", .uid(0)), ("x", .real(0.1)),
            ("friends", .uid(5)), ("$class", .uid(3)),
          ] + more),
        "Ghost", HandmadeList.classRecord("Zoo.Creature", "NSObject"), .real(4.5),
        ["NS.objects": [.uid(1)], "$class": .uid(6)], HandmadeList.classRecord("NSArray", "NSObject"),
        "a \"note\" \u{E9}\n",
      ], top: [("root", .uid(1)), ("count", 3)])
  }

  /// Derives rules, applies them to the old archive, and returns what differs from the new one.
  private func remaining(_ old: String, _ new: String) throws -> [String] {
    let rules = ToolRun("migrate", "--derive", old, new)
    let file = try folder.file("rules.json", Data(rules.output.utf8))
    let out = folder.path("out.plist")
    let run = ToolRun("migrate", "--force", "--rules", file, old, "-o", out)
    #expect(run.code == .fine, "\(run.errors) \(rules.output)")
    let differences = try KeyedArchive(contentsOf: URL(filePath: new)).differences(
      from: KeyedArchive(contentsOf: URL(filePath: out)))
    #expect(rules.code == (differences.isEmpty ? .fine : .negative))
    #expect(rules.errors.split(separator: "\n").count == differences.count)
    return differences.map { "\($0.kind.rawValue) \($0.path)" }
  }

  @Test("its rules, read as a rules file, make the new archive of the old one, but remove nothing")
  func rules() throws {
    let old = try folder.file("old.plist", Self.old)
    let new = try folder.file("new.plist", Self.new())
    #expect(try remaining(old, new) == ["removed root.gone"])
    let run = ToolRun("migrate", "--derive", old, new)
    #expect(run.errors.hasPrefix(#"keyedarchive: no rule explains: removed root.gone: "only here""#))
    // One line for each rule, in order.
    let lines = run.output.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.first == "{" && lines.contains(#"{"rule":"topKey","from":"Data","to":"root"},"#))
    #expect(
      lines.contains(#"{"rule":"class","from":"Old.Bug","to":"Zoo.Creature","superclasses":["NSObject"]},"#))
    // Foundation reads it.
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(json?["version"] as? Int == 1)
    let kinds = (json?["rules"] as? [[String: Any]])?.compactMap { $0["rule"] as? String }
    #expect(Set(kinds ?? []) == ["topKey", "class", "key", "default", "numbers"])
    let added = (json?["rules"] as? [[String: Any]])?.first { $0["key"] as? String == "note" }
    #expect(added?["value"] as? String == "a \"note\" \u{E9}\n")
  }

  @Test("writes to a file, and reports differences as JSON")
  func options() throws {
    let old = try folder.file("old.plist", Self.old)
    let new = try folder.file("new.plist", Self.new())
    let out = folder.path("rules.json")
    let run = ToolRun("migrate", "--derive", "--json", old, new, "-o", out)
    #expect(run.code == .negative && run.output == "")
    let error = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
    #expect((error?["unexplained"] as? [String: Any])?["path"] as? String == "root.gone")
    #expect(try String(contentsOfFile: out, encoding: .utf8) == ToolRun("migrate", "--derive", old, new).output)
  }

  @Test("equal archives have no rules")
  func equal() throws {
    let file = try folder.file("a.plist", Self.old)
    let run = ToolRun("migrate", "--derive", file, file)
    #expect(run.code == .fine && run.output == "{\n  \"version\": 1,\n  \"rules\": []\n}\n" && run.errors == "")
  }

  @Test("the versions of the fixtures, and both directions of a change")
  func fixtures() throws {
    let versions = ["1-scarybug", "2-insecure", "3-secure"].map {
      Locations.fixtures.appending(path: "versions/\($0).plist").path
    }
    #expect(try remaining(versions[1], versions[2]) == [])
    #expect(try remaining(versions[2], versions[1]) == [])
    // The title is another one.
    #expect(try remaining(versions[0], versions[1]) == ["changed root.Title"])
  }

  @Test("a class with the name of the top level, and reals that JSON cannot hold")
  func oddNames() throws {
    func archive(_ className: String, _ more: [(String, HandmadeList)]) -> Data {
      HandmadeList.archive(
        [
          .dictionary([("a", .integer(1)), ("$class", .uid(2))] + more),
          HandmadeList.classRecord(className, "NSObject"),
        ])
    }
    let old = try folder.file("old.plist", archive("Old", []))
    let new = try folder.file(
      "new.plist", archive("$top", [("nan", .real(.nan)), ("huge", .real(.infinity)), ("zero", .real(-0.0))]))
    #expect(try remaining(old, new) == [])
  }

  @Test("differences without a rule of a file remain")
  func dates() throws {
    let box = HandmadeList.classRecord("Box", "NSObject")
    let old = try folder.file("old.plist", HandmadeList.archive([["$class": .uid(2)], box]))
    let new = try folder.file(
      "new.plist",
      HandmadeList.archive([["when": .raw([0x33] + [UInt8](repeating: 0, count: 8)), "$class": .uid(2)], box]))
    #expect(try remaining(old, new) == ["added root.when"])
  }

  @Test("refuses other options of a migration, and another number of archives")
  func usage() throws {
    for arguments in [
      ["--rules", "r.json", "a", "b"], ["--backup", "d", "a", "b"], ["-n", "a", "b"], ["a"], ["-", "-"],
    ] {
      #expect(ToolRun(["migrate", "--derive"] + arguments).code == .usage, "\(arguments)")
    }
    let run = ToolRun("migrate", "--derive", nsurl, "/no/such/file")
    #expect(run.code == .unreadable && run.output == "" && run.errors.contains("/no/such/file"))
  }
}
