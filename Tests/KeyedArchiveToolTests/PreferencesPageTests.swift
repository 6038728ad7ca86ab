// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import KeyedArchives
import TestSupport
import Testing

@Suite(
  "The page on migrating preferences",
  .enabled(
    if: program != nil && bash != nil && Python.isPresent,
    "bash or python3 is not installed, or the program was not built"))
struct PreferencesPageTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The commands after a comment of the page.
  private static func commands(_ step: String) throws -> String {
    let path = "Sources/ArchiveTools/ArchiveTools.docc/MigratingPreferences.md"
    let page = try String(contentsOf: Locations.package.appending(path: path), encoding: .utf8)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let block = lines.drop { $0 != "<!-- shell: \(step) -->" }.dropFirst(2).prefix { $0 != "```" }
    try #require(!block.isEmpty, "the page has no step '\(step)'")
    return block.joined(separator: "\n")
  }

  private func run(_ step: String) throws -> String {
    let program = try #require(program)
    let path = "\(program.deletingLastPathComponent().path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let run = try #require(bash).run(
      ["-euo", "pipefail", "-c", Self.commands(step)], in: folder.url, environment: ["PATH": path])
    #expect(run.code == 0, "\(step): \(run.errors)")
    return run.output
  }

  private static func old(_ title: String, _ rating: Double) -> HandmadeList {
    let archive = HandmadeList.archive(
      [
        ["title": .uid(2), "Rating": .real(rating), "$class": .uid(3)], .string(title),
        HandmadeList.classRecord("ZooBug", "NSObject"),
      ], top: [("Data", .uid(1))])
    return .data([UInt8](archive))
  }

  private static let new = HandmadeList.archive(
    [
      ["Title": .uid(2), "Rating": .uid(4), "$class": .uid(3)], "Ghost",
      HandmadeList.classRecord("Zoo.Creature", "NSObject"), .real(4.5),
    ])

  /// Writes the files that the page begins with, and returns their bytes.
  private func prepare() throws -> [String: Data] {
    let preferences = folder.url.appending(path: "Preferences")
    try FileManager.default.createDirectory(at: preferences, withIntermediateDirectories: false)
    let farm = try unsafe PropertyListSerialization.propertyList(
      from: HandmadeList.dictionary([("LastCreature", Self.old("Slug", 2)), ("Name", "Farm")]).binary, format: nil)
    let files = [
      "com.example.zoo.plist": HandmadeList.dictionary([
        ("Volume", .real(0.5)), ("LastCreature", Self.old("Ghost", 4.5)), ("Names", .array(["a", "b"])),
      ]).binary,
      "com.example.farm.plist": try PropertyListSerialization.data(fromPropertyList: farm, format: .xml, options: 0),
      "com.example.clock.plist": HandmadeList.dictionary([("Alarm", 7)]).binary,
    ]
    for (name, data) in files { try data.write(to: preferences.appending(path: name)) }
    try Self.new.write(to: folder.url.appending(path: "new.plist"))
    return files
  }

  private func files() throws -> [String: Data] {
    let all = TestFile.all(below: folder.url.appending(path: "Preferences"))
    return Dictionary(uniqueKeysWithValues: try all.map { ($0.name, try $0.data()) })
  }

  @Test("each step does what the page says")
  func steps() throws {
    let before = try prepare()
    let found = try run("find")
    #expect(found.split(separator: "\n").count == 2 && found.contains(#""inside":"LastCreature""#))
    let look = try run("look")
    #expect(look.contains(#"title: "Ghost""#) && look.contains("ZooBug"))
    _ = try run("derive")
    let rules = try String(contentsOf: folder.url.appending(path: "rules.json"), encoding: .utf8)
    #expect(rules.contains(#""to":"Zoo.Creature""#))
    let dry = try run("try")
    #expect(dry.split(separator: "\n").count == 2 && dry.contains("would be migrated"))
    #expect(try files() == before)
    _ = try run("migrate")
    let after = try files()
    #expect(after["com.example.clock.plist"] == before["com.example.clock.plist"])
    // Python reads the new files.
    let program = """
      import plistlib, sys
      for name, title, rest in (('zoo', 'Ghost', {'Volume': 0.5, 'Names': ['a', 'b']}), ('farm', 'Slug', {'Name': 'Farm'})):
          values = plistlib.load(open(f'{sys.argv[1]}/Preferences/com.example.{name}.plist', 'rb'))
          archive = plistlib.loads(values.pop('LastCreature'))
          assert values == rest, values
          objects = archive['$objects']
          creature = objects[archive['$top']['root'].data]
          assert objects[creature['Title'].data] == title and isinstance(creature['Rating'], plistlib.UID)
          assert objects[creature['$class'].data]['$classname'] == 'Zoo.Creature'
      """
    _ = try Python.run(program, [folder.url.path])
    let zoo = try #require(after["com.example.zoo.plist"])
    let values = try unsafe PropertyListSerialization.propertyList(from: zoo, format: nil) as? [String: Any]
    let archive = try KeyedArchive(try #require(values?["LastCreature"] as? Data))
    #expect(try archive.differences(from: KeyedArchive(Self.new)).isEmpty)
    let check = try run("check")
    #expect(
      check.contains("valid") && check.split(separator: "\n").filter { $0.hasSuffix("nothing to change") }.count == 2)
    _ = try run("undo")
    #expect(try files() == before)
  }
}

private let program = Program.built("keyedarchive")?.url
private let bash = Program.installed("bash")
