// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

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

@Suite("migrate")
struct MigrateTests {
  private let folder: ScratchFolder
  private static let name = "ScaryCreatures.ScaryCreatureData"
  private static let rules = Locations.fixtures.appending(path: "migration/creatures.json").path

  init() throws { folder = try ScratchFolder() }

  private static func old(_ rating: HandmadeList = 4.5, className: String = name, top: String = "root") -> Data {
    Handmade.archive(
      [["Title": .uid(2), "Rating": rating, "$class": .uid(3)], "Ghost", Handmade.classRecord(className)],
      top: .dictionary([(top, .uid(1))]))
  }

  @Test("migrates all files, also if the reader closes the output")
  func closedOutput() throws {
    let first = try folder.file("0.plist", Self.old())
    // Its error writes the line of the first file, and shows that the reader has gone.
    let damaged = try folder.file("1.plist", Data("bplist00".utf8))
    let others = try (2..<40).map { try folder.file("\($0).plist", Self.old()) }
    func run(_ option: String) -> ToolRun {
      ToolRun(
        .keyedarchive, ["migrate", option, "--jobs", "1", "--rules", Self.rules, first, damaged] + others,
        outcome: .closed)
    }
    #expect(!run("--dry-run").errors.contains("39 to migrate"))
    let run = run("--force")
    #expect(run.code == .notAnArchive && run.errors.contains("39 migrated, 0 unchanged, 1 refused"), "\(run.errors)")
    for path in [first] + others {
      #expect(try KeyedArchive(contentsOf: URL(filePath: path)).root["Rating"].uid != nil, "\(path)")
    }
  }

  // MARK: Creatures

  @Test("the rules file of the fixtures converts the layouts of all generations")
  func creatures() throws {
    let rows: [(String, Data)] = [
      ("insecure", Self.old()), ("objective-c", Self.old(className: "ScaryBugData", top: "Data")),
      ("prefixed", Self.old(className: "RWTScaryBugData", top: "Data")),
      ("module", Self.old(className: "StandardCatalog.Creature")),
    ]
    for (name, data) in rows {
      let path = try folder.file("\(name).plist", data)
      let run = ToolRun("migrate", "--force", "--rules", Self.rules, path)
      #expect(run.code == .fine && run.errors == "", "\(run.errors)")
      #expect(run.lines.count == 1 && run.output.hasPrefix("\(path)\tmigrated\t"))
      let new = try KeyedArchive(contentsOf: URL(filePath: path))
      #expect(new.topKeys == ["root"] && new.classNames == [Self.name])
      #expect(new.root["Rating"].number == .float(4.5) && new.root["Rating"].uid != nil)
      let again = ToolRun("migrate", "--force", "--rules", Self.rules, path)
      #expect(again.output == "\(path)\tnothing to change\n" && again.code == .fine)
    }
  }

  @Test(
    "Python reads the boxed rating bit for bit, and no other change",
    .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func python() throws {
    let old = try folder.file("old.plist", Self.old(className: "ScaryBugData", top: "Data"))
    let new = folder.path("new.plist")
    #expect(ToolRun("migrate", "--rules", Self.rules, old, "-o", new).code == .fine)
    let program = """
      import plistlib, struct, sys
      old, new = (plistlib.load(open(name, 'rb')) for name in sys.argv[1:])
      assert list(new['$top']) == ['root'] and new['$archiver'] == 'NSKeyedArchiver' and new['$version'] == 100000
      objects = new['$objects']
      creature = objects[new['$top']['root'].data]
      assert sorted(creature) == ['$class', 'Rating', 'Title']
      assert objects[creature['Title'].data] == old['$objects'][2]
      record = objects[creature['$class'].data]
      assert record == {'$classname': 'ScaryCreatures.ScaryCreatureData',
                        '$classes': ['ScaryCreatures.ScaryCreatureData', 'NSObject']}, record
      assert objects[:1] + objects[2:3] == old['$objects'][:1] + old['$objects'][2:3]
      print(struct.pack('>d', objects[creature['Rating'].data]).hex())
      """
    let found = try Python.run(program, [old, new])
    #expect(String(decoding: found, as: UTF8.self) == "4012000000000000\n")
  }

  @Test("applies rules of the command line")
  func shortRules() throws {
    let path = try folder.file("a.plist", Self.old(className: "ScaryBugData", top: "Data"))
    let arguments = [
      "migrate", "-f", "--top-key", "Data=root", "--rename-class", "ScaryBugData=\(Self.name)", "--objects",
      "\(Self.name):Rating", "--allow", Self.name, path,
    ]
    #expect(ToolRun(arguments).output == "\(path)\tmigrated\ttopKey 1, class 1, numbers 1\n")
    #expect(ToolRun(arguments).output == "\(path)\tnothing to change\n")
    #expect(ToolRun("migrate", "-f", "--inline", Self.name, path).code == .fine)
    #expect(try KeyedArchive(contentsOf: URL(filePath: path)).root["Rating"].uid == nil)
  }

  @Test(
    "a class or key of --objects that no archive has is named, with a similar one",
    arguments: [
      ("Ratng", "the archive has no object of class '\(name)' with the key 'Ratng'. Did you mean 'Rating'?"),
      ("Volume", "the archive has no object of class '\(name)' with the key 'Volume'. It has Rating, Title"),
      (nil, "the archive has no object of class '\(name)s'. Did you mean '\(name)'?"),
    ] as [(String?, String)])
  func unmatchedRule(key: String?, message: String) throws {
    let path = try folder.file("a.plist", Self.old())
    let rule = key.map { "\(Self.name):\($0)" } ?? "\(Self.name)s"
    let note = "'--objects \(rule)' matches nothing: \(message)"
    let run = ToolRun("migrate", "-n", "--objects", rule, path)
    #expect(run.code == .fine && run.output == "\(path)\tnothing to change\n")
    #expect(run.errors == "keyedarchive: note: \(note)\n")
    #expect(ToolRun("migrate", "-n", "--quiet", "--objects", rule, path).errors == "")
    let json = ToolRun("migrate", "-n", "--json", "--objects", rule, path)
    let line = try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any]
    #expect(line as NSDictionary? == ["schema": 1, "note": note])
  }

  @Test("a rule that only the last of many archives matches has an effect, and one that none matches has none")
  func lateMatch() throws {
    let names = (0..<66).map { String(format: "%03d.plist", $0) }
    for name in names.dropLast() { _ = try folder.file(name, Self.old()) }
    _ = try folder.file(names[65], Self.old(className: "Special"))
    for option in ["-n", "-f"] {
      let run = ToolRun("migrate", option, "--quiet", "--rename-class", "Special=New", folder.url.path)
      #expect(run.code == .fine && run.errors == "", "\(run.errors)")
    }
    let run = ToolRun("migrate", "-n", "--rename-class", "Unknown=Other", folder.url.path)
    #expect(run.errors.contains("matches nothing: none of 66 archives has a class 'Unknown'"))
    let late = ToolRun("migrate", "-n", "--rename-class", "New=Newer", folder.url.path)
    #expect(!late.errors.contains("matches nothing"), "\(late.errors)")
  }

  @Test("the result of a migration to another file is a line, on standard error if standard output has the archive")
  func outputResult() throws {
    let path = try folder.file("a.plist", Self.old())
    let rule = ["--objects", Self.name]
    let out = folder.path("new.plist")
    let expected = "\(path)\tmigrated\tnumbers 1\n"
    let file = ToolRun(["migrate"] + rule + ["-o", out, path])
    #expect(file.output == expected && file.errors == "" && file.code == .fine)
    let stream = ToolRun(["migrate"] + rule + ["-o", "-", path])
    #expect(stream.data == (try Data(contentsOf: URL(filePath: out))) && stream.errors == expected)
    let dry = ToolRun(["migrate", "-n"] + rule + ["-o", folder.path("none"), path])
    #expect(dry.output == "\(path)\twould be migrated\tnumbers 1\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    let json = try #require(ToolRun(["migrate", "--json"] + rule + ["-o", out, path]).json.first)
    #expect(json["outcome"] as? String == "migrated" && json["changes"] as? [String: Int] == ["numbers": 1])
    let again = ToolRun(["migrate"] + rule + ["-o", out, out])
    #expect(again.output == "\(out)\tnothing to change\n")
  }

  @Test("with --json, an archive that cannot be migrated to another file has a line, as one that is replaced")
  func refusedOutput() throws {
    let stranger = try folder.file("a.plist", Self.old(className: "Stranger"))
    let absent = folder.path("absent")
    for path in [stranger, absent] {
      let place = ToolRun("migrate", "-n", "--json", "--rules", Self.rules, path)
      let file = ToolRun("migrate", "--json", "--rules", Self.rules, "-o", folder.path("new"), path)
      #expect(try file.lines.count == 1 && file.json.first?["outcome"] as? String == "refused")
      #expect(try file.json.first?["code"] as? String == place.json.first?["code"] as? String)
      #expect(file.code == place.code && file.code != .fine)
      let stream = ToolRun("migrate", "--json", "--rules", Self.rules, "-o", "-", path)
      #expect(stream.data.isEmpty && stream.errors == file.errors + file.output)
    }
  }

  @Test("folders that nest too deep are an error that says what to do")
  func deepFolders() throws {
    let deep = folder.url.path + String(repeating: "/d", count: 515)
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    let run = ToolRun("migrate", "-n", "--rename-class", "A=B", folder.url.path)
    #expect(run.code == .limitReached)
    #expect(run.errors.contains("Migrate the deepest folders by their own paths"), "\(run.errors)")
  }

  @Test("an XML file is text: a terminal gets it")
  func terminal() throws {
    let xml = try KeyedArchive(Self.old()).data(format: .xml)
    let path = try folder.file("a.xml", xml)
    let run = ToolRun("migrate", "--objects", Self.name, "-o", "-", path, isTerminal: true)
    #expect(run.code == .fine && run.output.contains("<plist"), "\(run.errors)")
    let binary = try folder.file("a.plist", Self.old())
    #expect(ToolRun("migrate", "--objects", Self.name, "-o", "-", binary, isTerminal: true).code == .notWritten)
  }

  @Test(
    "a note names each rule of the command line without effect, also after the renamings before it",
    arguments: [
      (["--rename-class", "Tipo=X"], ["'--rename-class Tipo=X' matches nothing: the archive has no class 'Tipo'"]),
      (
        ["--top-key", "rot=x"],
        ["'--top-key rot=x' matches nothing: the archive has no top-level key 'rot'. Did you mean"]
      ),
      (
        ["--rename-class", "\(name)=Bar", "--objects", "\(name):Rating"],
        ["'--objects \(name):Rating' matches nothing: the archive has no object of class '\(name)'"]
      ), (["--rename-class", "\(name)=Bar", "--objects", "Bar:Rating"], []),
      (["--rename-class", "\(name)=Bar", "--rename-class", "Bar=Baz", "--objects", "Baz"], []),
      (["--objects", "*.ScaryCreatureData"], []),
      (["--top-key", "root=x", "--rename-class", "*.ScaryCreatureData=A"], []),
    ])
  func unmatchedRules(rules: [String], notes: [String]) throws {
    let path = try folder.file("a.plist", Self.old())
    // The rules match before and after the migration.
    for option in ["-n", "-f", "-f"] {
      let run = ToolRun(["migrate", option] + rules + [path])
      let lines = run.errors.split(separator: "\n")
      #expect(run.code == .fine && lines.count == notes.count, "\(run.errors)")
      for (line, note) in zip(lines, notes) { #expect(line.hasPrefix("keyedarchive: note: \(note)"), "\(line)") }
    }
  }

  @Test("an archive with the class and the key gives no note, whether or not its numbers change")
  func matchedRule() throws {
    let path = try folder.file("a.plist", Self.old(className: "Old"))
    let arguments = ["migrate", "-f", "--rename-class", "Old=\(Self.name)", "--objects", "\(Self.name):Rating", path]
    #expect(ToolRun(arguments + ["-n"]).errors == "")
    for _ in 0..<2 { #expect(ToolRun(arguments).errors == "") }
  }

  @Test("a class is not merged with another one, unless a rules file says so")
  func mergedClasses() throws {
    let data = Handmade.archive([
      ["x": .uid(3), "$class": .uid(2)], Handmade.classRecord("A"), ["$class": .uid(4)], Handmade.classRecord("B"),
    ])
    let path = try folder.file("a.plist", data)
    let run = ToolRun("migrate", "-f", "--rename-class", "A=B", path)
    #expect(run.code == .negative && run.errors.contains("the archive has a class 'B' already"), "\(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: path)) == data)
    let rules = try folder.file(
      "r.json",
      Data(#"{"version": 1, "rules": [{"rule": "class", "from": "A", "to": "B", "ifPresent": "keep"}]}"#.utf8))
    #expect(ToolRun("migrate", "-f", "--rules", rules, path).code == .fine)
    #expect(try KeyedArchive(contentsOf: URL(filePath: path)).classNames == ["B"])
  }

  @Test("prints JSON lines with exactly these keys, also for refusals, and totals on standard error")
  func json() throws {
    let tree = folder.url.appending(path: "tree")
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
    try Self.old().write(to: tree.appending(path: "a.plist"))
    try Self.old(className: "Stranger").write(to: tree.appending(path: "b\u{1B}.plist"))
    try Data("text".utf8).write(to: tree.appending(path: "c.txt"))
    let run = ToolRun(
      "migrate", "--json", "--rules", Self.rules, "--backup", folder.path("old"), tree.path)
    #expect(run.code == .classNotAllowed)
    #expect(
      run.lines[0]
        == #"{"schema":1,"file":"\#(tree.path)/a.plist","outcome":"migrated","changes":{"numbers":1,"kind":1},"#
        + #""backup":"\#(folder.path("old"))/tree/a.plist"}"#)
    let refused = try run.json[1]
    #expect(refused.keys.sorted() == ["changes", "code", "file", "outcome", "reason", "schema"])
    #expect(
      refused["code"] as? String == "classNotAllowed" && refused["file"] as? String == "\(tree.path)/b\u{1B}.plist")
    let errors = run.errors.split(separator: "\n")
    #expect(
      errors.count == 2 && errors[0].hasPrefix(#"{"schema":1,"error":{"code":"classNotAllowed","exit":5,"file":"#))
    #expect(
      errors[1]
        == #"{"schema":1,"summary":{"migrated":1,"current":0,"refused":1,"others":1,"links":0,"leftovers":0,"exit":5}}"#
    )
  }

  @Test("a dry run prints the changes and changes nothing")
  func dryRun() throws {
    let path = try folder.file("a.plist", Self.old())
    let run = ToolRun("migrate", "--dry-run", "--rules", Self.rules, "--backup", folder.path("old"), path)
    #expect(run.code == .fine && run.output == "\(path)\twould be migrated\tnumbers 1, kind 1\n")
    #expect(try Data(contentsOf: URL(filePath: path)) == Self.old())
    #expect(!FileManager.default.fileExists(atPath: folder.path("old")))
  }

  @Test("--undo restores the old files, except for those that changed since")
  func undo() throws {
    let tree = folder.url.appending(path: "tree")
    try FileManager.default.createDirectory(at: tree.appending(path: "sub"), withIntermediateDirectories: true)
    let names = ["a.plist", "sub/b.plist", "c.plist"]
    for name in names { try Self.old().write(to: tree.appending(path: name)) }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: tree.path + "/a.plist")
    try Data("text".utf8).write(to: tree.appending(path: "d.txt"))
    let backup = folder.path("backup")
    #expect(ToolRun("migrate", "--rules", Self.rules, "--backup", backup, tree.path).code == .fine)
    let changed = try Data(contentsOf: tree.appending(path: "c.plist")) + Data("\n".utf8)
    try changed.write(to: tree.appending(path: "c.plist"))
    let unasked = ToolRun("migrate", "--undo", backup, tree.path)
    #expect(unasked.errors.contains("cannot ask 'Restore '\(tree.path)' from '\(backup)'?' without a terminal"))
    let dry = ToolRun("migrate", "-n", "--undo", backup, tree.path)
    #expect(dry.lines == names.prefix(2).sorted().map { "\(tree.path)/\($0)\twould be restored" })
    let run = ToolRun("migrate", "--force", "--undo", backup, tree.path)
    #expect(run.code == .notWritten && run.lines == names.prefix(2).sorted().map { "\(tree.path)/\($0)\trestored" })
    #expect(run.errors.contains("c.plist: another program changed the file after the migration"))
    #expect(run.errors.contains("2 restored, 0 unchanged, 1 refused, 1 other file"))
    for name in names.prefix(2) { #expect(try Data(contentsOf: tree.appending(path: name)) == Self.old()) }
    #expect(try Data(contentsOf: tree.appending(path: "c.plist")) == changed)
    let mode = try FileManager.default.attributesOfItem(atPath: tree.path + "/a.plist")[.posixPermissions] as? Int
    #expect(mode == 0o640)
    let part = ToolRun("migrate", "--force", "--undo", backup, tree.path + "/sub")
    #expect(part.lines == ["\(tree.path)/sub/b.plist\tnothing to change"])
    let again = ToolRun("migrate", "--force", "--undo", backup, tree.path)
    #expect(again.lines == names.prefix(2).sorted().map { "\(tree.path)/\($0)\tnothing to change" })
  }

  @Test("--undo reports each file that was deleted or moved since, with its backup, and does not create it again")
  func undoOfLostFiles() throws {
    let tree = folder.url.appending(path: "tree")
    try FileManager.default.createDirectory(at: tree.appending(path: "sub"), withIntermediateDirectories: true)
    for name in ["a.plist", "b.plist", "sub/c.plist"] { try Self.old().write(to: tree.appending(path: name)) }
    let backup = folder.path("backup")
    #expect(ToolRun("migrate", "--rules", Self.rules, "--backup", backup, tree.path).code == .fine)
    try FileManager.default.moveItem(at: tree.appending(path: "a.plist"), to: tree.appending(path: "z.plist"))
    try FileManager.default.removeItem(at: tree.appending(path: "sub"))
    let run = ToolRun("migrate", "--force", "--undo", backup, tree.path)
    #expect(run.code == .unreadable && run.lines == ["\(tree.path)/b.plist\trestored"])
    for name in ["a.plist", "sub/c.plist"] {
      #expect(run.errors.contains("\(tree.path)/\(name): the file was deleted or moved after the migration"))
      #expect(run.errors.contains("copy its backup 'tree/\(name)'"))
      #expect(try Data(contentsOf: folder.url.appending(path: "backup/tree/\(name)")) == Self.old())
      #expect(!FileManager.default.fileExists(atPath: tree.path + "/" + name))
    }
    #expect(run.errors.contains("1 restored, 0 unchanged, 2 refused, 1 other file"))
    // A path below which nothing is left.
    for path in [tree.path + "/sub", tree.path + "/sub/c.plist"] {
      let lost = ToolRun("migrate", "--force", "--undo", backup, path)
      #expect(lost.code == .unreadable && lost.errors.contains("sub/c.plist: the file was deleted or moved"))
      #expect(!lost.errors.contains("no such file"), "\(lost.errors)")
    }
    // Files that never had a backup are only missing.
    let other = ToolRun("migrate", "--force", "--undo", backup, tree.path + "/x.plist")
    #expect(other.code == .unreadable && other.errors.contains("no such file"))
  }

  @Test("a note says that XML is written in Apple's layout, if the file has another one or comments")
  func lostLayout() throws {
    let xml = String(decoding: try KeyedArchive(Self.old()).data(format: .xml), as: UTF8.self)
    let (plain, commented) = (
      try folder.file("plain.plist", Data(xml.utf8)),
      try folder.file(
        "commented.plist", Data(xml.replacing("<dict>", with: "<dict><!-- a -->", maxReplacements: 1).utf8))
    )
    let run = ToolRun("migrate", "--force", "--rename-class", "\(Self.name)=Other", commented, plain)
    #expect(run.code == .fine)
    #expect(run.errors.contains("\(commented): note: the XML is written in Apple's layout"))
    #expect(!run.errors.contains("\(plain): note"))
    let out = ToolRun(
      "migrate", "--rename-class", "\(Self.name)=Other",
      try folder.file("other.plist", Data(xml.replacing("\t", with: "  ").utf8)),
      "-o",
      folder.path("out.plist"))
    #expect(out.code == .fine && out.errors.contains("note: the XML is written in Apple's layout"))
  }

  @Test("a note says that no file in a folder has an archive at the path of --inside")
  func insideNothing() throws {
    _ = try folder.file("a.plist", HandmadeList.dictionary([("n", 1)]).binary)
    let run = ToolRun("migrate", "--force", "--inside", "Nope", "--rules", Self.rules, folder.url.path)
    #expect(run.code == .fine && run.errors.contains("no file has an archive at 'Nope'"))
  }

  @Test("--undo restores to each file its own content, whatever the names of files and folders, and the number of runs")
  func undoOfEqualNames() throws {
    var olds: [String: Data] = [:]
    // The last two names are those of a second backup of a file and of a folder.
    let names = ["alice/p.plist", "bob/p.plist", "alice/D/x", "bob/D/x", "alice/p.plist.2", "bob/D.2/x"]
    for (number, name) in names.enumerated() {
      let url = folder.url.appending(path: name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      olds[name] = Self.old(.init(floatLiteral: Double(number) + 0.5), className: "Foo")
      try olds[name]?.write(to: url)
      // All modification times are equal, so they do not tell the files apart.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: url.path)
    }
    let paths = ["alice/p.plist", "bob/p.plist", "alice/D", "bob/D", "alice/p.plist.2", "bob/D.2"].map(folder.path)
    let backup = folder.path("old")
    for (old, new) in [("Foo", "Bar"), ("Bar", "Baz")] {
      #expect(ToolRun(["migrate", "--rename-class", "\(old)=\(new)", "--backup", backup] + paths).code == .fine)
    }
    let run = ToolRun(["migrate", "--force", "--undo", backup, folder.path("bob/D")])
    #expect(run.lines == ["\(folder.path("bob/D"))/x\trestored"])
    #expect(ToolRun(["migrate", "--force", "--undo", backup, folder.path("alice"), folder.path("bob")]).code == .fine)
    for name in names { #expect(try Data(contentsOf: folder.url.appending(path: name)) == olds[name], "\(name)") }
  }

  @Test("--undo without a backup of any file is an error, as is a folder that has no backups of a migration")
  func undoOfOtherFiles() throws {
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
      _ = try folder.file("\(name)/p.plist", Self.old(className: "Foo"))
    }
    let backup = folder.path("old")
    #expect(ToolRun("migrate", "--rename-class", "Foo=Bar", "--backup", backup, folder.path("a")).code == .fine)
    let other = ToolRun("migrate", "-f", "--undo", backup, folder.path("b"))
    #expect(other.code == .unreadable && other.errors.contains("has no backup of a file in '\(folder.path("b"))'"))
    let none = ToolRun("migrate", "-f", "--undo", folder.path("b"), folder.path("a"))
    #expect(none.code == .unreadable && none.errors.contains("has no backups of a migration"))
  }

  @Test("--quiet prints the results, and neither totals nor notes")
  func quiet() throws {
    let path = try folder.file("a.plist", Self.old())
    let run = ToolRun("migrate", "-n", "-q", "--objects", Self.name, folder.url.path)
    #expect(run.output == "\(path)\twould be migrated\tnumbers 1\n" && run.errors == "")
  }

  @Test("a file at the place of the backup folder is named, with the reason")
  func backupFile() throws {
    let path = try folder.file("a.plist", Self.old())
    let run = ToolRun("migrate", "--backup", path, "--objects", Self.name, path)
    #expect(run.code == .notWritten && run.errors.hasPrefix("keyedarchive: \(path): could not open the folder: "))
    #expect(!run.errors.contains("Code"))
  }

  @Test("a note names files that are only left out because of the backup suffix")
  func orphanedSuffix() throws {
    for name in ["a.plist", "b.plist", "b"] { _ = try folder.file(name, Self.old()) }
    let arguments = ["migrate", "-f", "--backup-suffix", ".plist", "--objects", Self.name, folder.url.path]
    let run = ToolRun(arguments)
    #expect(
      run.errors.hasPrefix(
        "keyedarchive: left out 1 file with the backup suffix '.plist' and no original beside."))
    #expect(ToolRun(arguments + ["--json"]).errors.contains("note"))
  }

  @Test(
    "a dry run refuses files in folders without write permission, as the run does",
    .enabled(if: geteuid() != 0, "root may write everywhere"))
  func unwritable() throws {
    let path = try folder.file("a.plist", Self.old())
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path) }
    for option in ["-n", "-f"] {
      let run = ToolRun("migrate", option, "--objects", Self.name, path)
      #expect(run.code == .notWritten && run.output == "" && run.errors.contains("permission"), "\(run.errors)")
    }
  }

  @Test("a dry run refuses an output that the run cannot write", arguments: ["none/x.plist", "", "folder/", "folder"])
  func unwritableOutput(name: String) throws {
    let path = try folder.file("a.plist", Self.old())
    try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: true)
    let arguments = ["migrate", "--objects", Self.name, "-o", folder.url.path + "/" + name, path]
    for option in [["-n"], []] {
      let run = ToolRun(arguments + option)
      #expect(run.code == .notWritten && run.output == "", "\(run.errors)")
    }
    let good = ToolRun("migrate", "-n", "--objects", Self.name, "-o", folder.path("folder/new.plist"), path)
    #expect(good.code == .fine && good.output == "\(path)\twould be migrated\tnumbers 1\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("folder/new.plist")))
  }

  @Test("a rules file can begin with a byte order mark")
  func byteOrderMark() throws {
    let text = #"{"version": 1, "rules": [{"rule": "topKey", "from": "root", "to": "foo"}]}"#
    let rules = try folder.file("rules.json", Data([0xEF, 0xBB, 0xBF] + text.utf8))
    let run = ToolRun("migrate", "-n", "--rules", rules, try folder.file("a.plist", Self.old()))
    #expect(run.code == .fine && run.output.contains("topKey 1"), "\(run.errors)")
    // An offset of an error counts the mark.
    let bad = try folder.file("bad.json", Data([0xEF, 0xBB, 0xBF] + "x".utf8))
    #expect(ToolRun("migrate", "-n", "--rules", bad, "a").errors.contains("(byte 3)"))
  }

  @Test(
    "usage errors of --undo",
    arguments: [
      (["--undo", "old", "--rules", "r", "a"], "'--undo' excludes '--rules'"),
      (["--undo", "/no/such", "-f", "a"], "/no/such: "),
      (["--undo", "/tmp", "-f", "a"], "/tmp: the folder has no backups of a migration"),
    ])
  func undoUsage(arguments: [String], message: String) {
    let run = ToolRun(["migrate"] + arguments)
    #expect(run.code != .fine && run.errors.contains(message), "\(run.errors)")
  }

  @Test("two migrations at the same time wait for each other", .notHanging)
  func concurrent() async throws {
    let tree = folder.url.appending(path: "tree")
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
    for number in 0..<60 { try Self.old().write(to: tree.appending(path: "\(number).plist")) }
    let arguments = ["migrate", "--json", "--rules", Self.rules, "--backup", folder.path("backup"), tree.path]
    @Sendable func migrate() -> (code: ExitCode, output: String, errors: String) {
      let run = ToolRun(arguments)
      return (run.code, run.output, run.errors)
    }
    async let first = Task.detached { migrate() }.value
    let runs = await [Task.detached { migrate() }.value, first]
    for run in runs {
      #expect(run.code == .fine && !run.output.contains("refused"), "\(run.errors)")
      #expect(run.output.split(separator: "\n").count == 60)
    }
    #expect(runs.map(\.output).joined().components(separatedBy: #""outcome":"migrated""#).count - 1 == 60)
    let kept = try FileManager.default.subpathsOfDirectory(atPath: folder.path("backup"))
    #expect(kept.count { $0.hasSuffix(".plist") } == 60)
  }

  @Test("asks before it changes files without a backup")
  func asking() throws {
    let path = try folder.file("a.plist", Self.old())
    let arguments = ["migrate", "--rules", Self.rules, path]
    let unasked = ToolRun(arguments)
    #expect(unasked.code == .usage && unasked.errors.contains("--force"))
    let no = ToolRun(.keyedarchive, arguments, answers: ["n"])
    #expect(no.code == .negative && no.output == "" && no.errors.contains("Migrate '\(path)' in place"))
    #expect(try Data(contentsOf: URL(filePath: path)) == Self.old())
    #expect(ToolRun(.keyedarchive, arguments, answers: ["y"]).code == .fine)
    let other = try folder.file("b.plist", Self.old())
    #expect(ToolRun("migrate", "--rules", Self.rules, "--backup-suffix", ".old", other).code == .fine)
    #expect(try Data(contentsOf: URL(filePath: other + ".old")) == Self.old())
  }

  @Test("writes one archive to another file, or from standard input to standard output")
  func output() throws {
    let path = try folder.file("a.plist", Self.old())
    let out = folder.path("out.plist")
    #expect(ToolRun("migrate", "--rules", Self.rules, path, "-o", out).code == .fine)
    #expect(try Data(contentsOf: URL(filePath: path)) == Self.old())
    let run = ToolRun("migrate", "--rules", Self.rules, "-", "-o", "-", input: Self.old())
    #expect(try run.data == Data(contentsOf: URL(filePath: out)))
    #expect(try KeyedArchive(run.data).root["Rating"].uid != nil)
  }

  // MARK: Mistakes

  @Test(
    "exit codes",
    arguments: [
      (old(true), ExitCode.negative), (Data("x".utf8), .notAnArchive), (old(className: "Other"), .classNotAllowed),
      (old(0.1), .negative),
    ] as [(Data, ExitCode)])
  func exitCodes(data: Data, code: ExitCode) throws {
    let path = try folder.file("a.plist", data)
    let run = ToolRun("migrate", "-f", "--rules", Self.rules, path)
    #expect(run.code == code && run.output == "" && run.errors.hasPrefix("keyedarchive: \(path): "), "\(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: path)) == data)
    #expect(ToolRun("migrate", "-f", "--rules", Self.rules, "/no/such").code == .unreadable)
    #expect(ToolRun("migrate", "-f", "--rules", "/no/such", path).code == .unreadable)
  }

  @Test(
    "rejects inconsistent arguments",
    arguments: [
      (["a"], "no rules given"), (["a", "--top-key", "x"], "OLD=NEW"), (["a", "--rename-class", "=x"], "OLD=NEW"),
      (["a", "--objects", ""], "invalid class name"), (["a", "--inline", "A:$class"], "reserved for the archiver"),
      (["a", "--objects", "A", "--backup", "x", "--backup-suffix", "y"], "excludes"),
      (["a", "--objects", "A", "--backup-suffix", "a/b"], "invalid backup suffix 'a/b'"),
      (["a", "--objects", "A", "--backup-suffix="], "invalid backup suffix ''"),
      (["a", "b", "--objects", "A", "-o", "x"], "one archive"), (["-", "--objects", "A"], "standard input"),
    ] as [([String], String)])
  func usage(arguments: [String], message: String) {
    let run = ToolRun(["migrate"] + arguments)
    #expect(run.code == .usage && run.errors.contains(message), "\(run.errors)")
  }

  @Test(
    "rejects invalid rules files with the location of the error",
    arguments: [
      ("", "expected a value"), ("[]", "expected an object (at the file, byte 0)"),
      (#"{"version": 2, "rules": []}"#, "unknown version: expected 1 (at version, byte 12)"),
      (#"{"rules": []}"#, "missing key 'version' in the file"), (#"{"version": 1}"#, "missing key 'rules'"),
      (#"{"version": 1, "rules": {}}"#, "expected an array (at rules, byte 24)"),
      (#"{"version": 1, "version": 1, "rules": []}"#, "duplicate key (at version"),
      (#"{"version": 1, "rules": [], "ruls": 1}"#, "unknown key (at ruls"),
      (#"{"version": 1, "rules": [{"rule": "kee"}]}"#, "default, drop (at rules[0].rule, byte 34)"),
      (#"{"version": 1, "rules": [{"rule": "key", "from": "a", "to": "b"}]}"#, "missing key 'class' in rules[0]"),
      (#"{"version": 1, "rules": [{"rule": "drop", "class": "A", "key": 5}]}"#, "expected a string (at rules[0].key"),
      (#"{"version": 1, "rules": [{"rule": "drop", "clas": "A", "key": "k"}]}"#, "Did you mean 'class'?"),
      (#"{"version": 1, "rules": [{"rule": "drop", "class": "A", "key": "k", "ky": 1}]}"#, "Did you mean 'key'?"),
      (
        #"{"version": 1, "rules": [{"rule": "drop", "class": "*", "key": "k"}]}"#,
        "a rule cannot select all classes (at rules[0])"
      ),
      (
        #"{"version": 1, "rules": [{"rule": "default", "class": "A", "key": "k", "value": 1.5}]}"#,
        "ambiguous number kind"
      ),
      (
        #"{"version": 1, "rules": [{"rule": "default", "class": "A", "key": "k", "value": {"flot": 1}}]}"#,
        "unknown kind 'flot'"
      ),
      (
        #"{"version": 1, "rules": [{"rule": "default", "class": "A", "key": "k", "value": {"float": 1e99}}]}"#,
        "in range"
      ),
      (#"{"version": 1, "format": "json", "rules": []}"#, "expected one of binary, xml"),
      (
        #"{"version": 1, "allow": "A", "rules": [{"rule": "numbers", "class": "A", "as": "object"}]}"#,
        "Did you mean 'objects'?"
      ),
    ])
  func rulesFiles(text: String, message: String) throws {
    let path = try folder.file("rules.json", Data(text.utf8))
    let run = ToolRun("migrate", "--dry-run", "--rules", path, nsurl)
    #expect(run.code == .usage && run.output == "", "\(text)")
    #expect(run.errors.hasPrefix("keyedarchive: \(path): ") && run.errors.contains(message), "\(run.errors)")
  }

  @Test(
    "rules files can be property lists, which Python writes with the rules of the JSON file",
    .enabled(if: Python.isPresent, "\(Python.isAbsent)"), arguments: ["FMT_XML", "FMT_BINARY"])
  func propertyListRules(_ format: String) throws {
    let program = """
      import json, plistlib, sys
      rules = json.load(open(sys.argv[1]))
      plistlib.dump(rules, open(sys.argv[2], 'wb'), fmt=plistlib.\(format))
      """
    let rules = folder.path("rules.plist")
    _ = try Python.run(program, [Self.rules, rules])
    for (place, path) in [Self.rules, rules].enumerated() {
      let old = try folder.file("old.plist", Self.old(className: "ScaryBugData", top: "Data"))
      let run = ToolRun("migrate", "--rules", path, old, "-o", folder.path("new\(place).plist"))
      #expect(run.code == .fine && run.errors == "", "\(run.errors)")
    }
    func migrated(_ place: Int) throws -> Data { try Data(contentsOf: URL(filePath: folder.path("new\(place).plist"))) }
    #expect(try migrated(1) == migrated(0))
  }

  @Test("the reals and data of a property list are values of rules")
  func propertyListValues() throws {
    let rules: [String: Any] = [
      "version": 1,
      "rules": [
        ["rule": "default", "class": Self.name, "key": "float", "value": ["float": 0.1], "as": "inline"],
        ["rule": "default", "class": Self.name, "key": "nan", "value": ["double": Double.nan], "as": "inline"],
        ["rule": "default", "class": Self.name, "key": "data", "value": ["data": Data([1, 2])]],
        ["rule": "default", "class": Self.name, "key": "flag", "value": true, "as": "inline"],
      ] as [[String: Any]],
    ]
    let path = try folder.file(
      "rules.plist", PropertyListSerialization.data(fromPropertyList: rules, format: .binary, options: 0))
    let run = ToolRun(
      "migrate", "--rules", path, try folder.file("old.plist", Self.old()), "-o", folder.path("new.plist"))
    #expect(run.code == .fine && run.errors == "", "\(run.errors)")
    let root = try KeyedArchive(contentsOf: URL(filePath: folder.path("new.plist"))).root
    #expect(root["float"].number == .float(0.1) && root["data"].data == Data([1, 2]))
    #expect(root["flag"].number == .boolean(true) && root["nan"].number?.real?.isNaN == true)
  }

  @Test("an error in a property list of rules names the key, and no byte")
  func invalidPropertyLists() throws {
    let start = "<plist><dict><key>version</key><integer>1</integer><key>rules</key>"
    for (text, message) in [
      (start + "<dict/></dict></plist>", "expected an array (at rules)"),
      (start + "<array><date>2001-01-01T00:00:00Z</date></array></dict></plist>", "kind date (at rules[0])"),
      (start + "<array/><key>ruls</key><true/></dict></plist>", "unknown key (at ruls)"),
      ("<plist><array/></plist>", "expected an object (at the file)"), ("<plist><dict>", "byte"),
    ] {
      let path = try folder.file("rules.plist", Data(text.utf8))
      let run = ToolRun("migrate", "--dry-run", "--rules", path, nsurl)
      #expect(run.code == .usage && run.errors.contains(message), "\(text): \(run.errors)")
    }
  }

  @Test("rules files can express all rules without closures")
  func schema() throws {
    let text = """
      {"version": 1, "format": "binary", "allow": ["Crate", "NSArray"], "rules": [
        {"rule": "topKey", "from": "Data", "to": "root", "ifPresent": "refuse"},
        {"rule": "class", "from": "Box", "to": "Crate", "superclasses": ["Base", "NSObject"]},
        {"rule": "key", "class": ["Crate"], "subclasses": true, "from": "a", "to": "b", "ifPresent": "keep"},
        {"rule": "numbers", "class": "Crate", "keys": ["b"], "as": "inline"},
        {"rule": "numbers", "class": "$top", "as": "objects"},
        {"rule": "kind", "class": "Crate", "key": "b", "to": "double"},
        {"rule": "default", "class": "Crate", "key": "nil", "value": null},
        {"rule": "default", "class": "Crate", "key": "yes", "value": true, "as": "inline"},
        {"rule": "default", "class": "Crate", "key": "text", "value": "t\\u00e9xt"},
        {"rule": "default", "class": "Crate", "key": "int", "value": -7},
        {"rule": "default", "class": "Crate", "key": "big", "value": {"integer": "9007199254740993"}},
        {"rule": "default", "class": "Crate", "key": "float", "value": {"float": 0.1}, "as": "inline"},
        {"rule": "default", "class": "Crate", "key": "nan", "value": {"double": "bits:7ff8000000000001"}, "as": "inline"},
        {"rule": "default", "class": "Crate", "key": "data", "value": {"data": "AQI="}},
        {"rule": "drop", "class": "Crate", "key": "gone"}
      ]}
      """
    let rules = try folder.file("rules.json", Data(text.utf8))
    let path = try folder.file(
      "a.plist",
      Handmade.archive(
        [["a": .uid(3), "gone": 1, "$class": .uid(2)], Handmade.classRecord("Box"), 5],
        top: ["Data": .uid(1), "count": 3]))
    let run = ToolRun("migrate", "-f", "--json", "--rules", rules, path)
    #expect(run.code == .fine, "\(run.errors)")
    let changes = try #require(try run.json.first?["changes"] as? [String: Int])
    #expect(
      changes == ["topKey": 1, "class": 1, "key": 1, "numbers": 2, "kind": 1, "added": 8, "dropped": 1])
    let new = try KeyedArchive(contentsOf: URL(filePath: path))
    #expect(new.root.classDescription == ClassDescription(name: "Crate", chain: ["Crate", "Base", "NSObject"]))
    #expect(new.root["b"].number == .double(5) && new.root["b"].uid == nil && new["count"].uid != nil)
    #expect(new.root["nil"].isNull && new.root["yes"].number == .boolean(true) && new.root["yes"].uid == nil)
    #expect(new.root["text"].string == "téxt" && new.root["int"].number == .integer(-7))
    #expect(new.root["big"].number == .integer(9_007_199_254_740_993) && new.root["float"].number == .float(0.1))
    #expect(new.root["nan"].number?.real?.bitPattern == 0x7FF8_0000_0000_0001 && new.root["data"].data == Data([1, 2]))
  }

  @Test("rejects hostile JSON with an error")
  func hostileRules() throws {
    var random = SeededRandom(seed: 1)
    let sound = Array(try Data(contentsOf: URL(filePath: Self.rules)))
    for number in 0..<300 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      // A fifth of the files; with `WHOLE_TESTS`, all.
      guard Sample.includes(number, each: 5) else { continue }
      let run = ToolRun("migrate", "-n", "--rules", try folder.file("r.json", Data(bytes)), nsurl)
      #expect([.usage, .fine, .classNotAllowed, .limitReached].contains(run.code), "\(run.errors)")
    }
  }
}
