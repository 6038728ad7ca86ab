// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import Synchronization
import TestSupport
import Testing

@Suite("Files and trees of archives are migrated in place, each in one step")
struct FileMigrationTests {
  private let scratch: ScratchFolder
  private let tree: URL

  init() throws {
    scratch = try ScratchFolder()
    tree = scratch.url.appending(path: "tree")
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
  }

  // MARK: Support

  private func plant(_ path: String, _ data: Data, in place: URL? = nil) throws {
    let url = (place ?? tree).appending(path: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: tree.appending(path: path)) }

  /// All files below a folder with their content.
  private func files(_ folder: URL? = nil) throws -> [String: Data] {
    let folder = folder ?? tree
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      files[name] = try Data(contentsOf: folder.appending(path: name))
    }
    return files
  }

  private func modified(_ path: String) throws -> Date? {
    try FileManager.default.attributesOfItem(atPath: tree.appending(path: path).path)[.modificationDate] as? Date
  }

  private func setModified(_ path: String, _ date: Date) throws {
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: tree.appending(path: path).path)
  }

  private let migration = FileMigration(by: OldCreature.rules, allowing: [OldCreature.name])

  /// Runs a migration of the tree, or of paths, and returns what was reported, a line each.
  private func run(
    _ migration: FileMigration? = nil, on paths: [String]? = nil
  ) throws -> (lines: [String], summary: FileMigrationSummary) {
    var lines: [String] = []
    let root = tree.path + "/"
    let summary = try (migration ?? self.migration).run(on: paths ?? [tree.path]) { result in
      let path = result.path.hasPrefix(root) ? String(result.path.dropFirst(root.count)) : result.path
      let word =
        switch result.outcome {
        case .current: "current"
        case .migrated: "migrated"
        case .refused(let error): error.code.name
        }
      lines.append("\(path) \(word)")
      return true
    }
    return (lines, summary)
  }

  private func plantAll() throws {
    try plant("b/2.plist", OldCreature.insecure())
    try plant("b/10.plist", OldCreature.objectiveC())
    try plant("a/secure.plist", OldCreature.secure())
    try plant("a.plist", OldCreature.insecure(rating: .float(.nan)))
    try plant("c/broken.plist", OldCreature.insecure().dropLast(9))
    try plant("c/other.plist", HandmadeList.dictionary([("a", 1)]).binary)
    try plant("c/notes.txt", Data("<!-- no <plit -->".utf8))
    try plant("c/stranger.plist", HandmadeList.archive([["$class": .uid(2)], HandmadeList.classRecord("Stranger")]))
    try plant("empty", Data())
    try plant("xml.plist", KeyedArchive(OldCreature.insecure(rating: 4)).data(format: .xml))
  }

  private static let lines = [
    "a/secure.plist current", "a.plist migrated", "b/10.plist migrated", "b/2.plist migrated",
    "c/broken.plist damagedPropertyList", "c/stranger.plist classNotAllowed", "xml.plist migrated",
  ]

  @Test("a file is no backup of another one that is not an archive, though name and time fit")
  func unrelatedFileOfSameName() throws {
    try plant("Save", Data("text".utf8))
    try plant("Save.plist", OldCreature.insecure())
    try plant("Copy", OldCreature.insecure())
    try plant("Copy.bak", OldCreature.insecure())
    for name in ["Save", "Save.plist", "Copy", "Copy.bak"] {
      try setModified(name, Date(timeIntervalSince1970: 1_000_000_000))
    }
    #expect(try run().lines == ["Copy migrated", "Copy.bak notMigratable", "Save.plist migrated"])
  }

  @Test("a damaged property list without the keys of an archive is another file")
  func damagedList() throws {
    try plant("a.plist", Data("bplist00broken".utf8))
    let (lines, summary) = try run()
    #expect(lines.isEmpty && summary.others == 1)
    #expect(try run(on: [tree.appending(path: "a.plist").path]).summary.refused == 1)
  }

  // MARK: Trees

  @Test("a dry run says what would be; a run does it, in the order of names; a second one changes nothing")
  func trees() throws {
    try plantAll()
    let before = try files()
    var dry = migration
    dry.isDryRun = true
    let (lines, summary) = try run(dry)
    #expect(lines == Self.lines)
    #expect(summary.migrated == 4 && summary.current == 1 && summary.refused == 2 && summary.others == 3)
    #expect(try files() == before)

    #expect(try run().lines == Self.lines)
    let after = try files()
    #expect(after.keys.sorted() == before.keys.sorted())
    for (name, data) in after {
      #expect((data == before[name]) == !Self.lines.contains("\(name) migrated"), "\(name)")
    }
    for name in ["a.plist", "b/2.plist", "b/10.plist"] {
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: SecureCreature.self, from: bytes(name))?.title == "Ghost")
    }
    #expect(try KeyedArchive(bytes("xml.plist")).format == .xml)

    #expect(try run().lines == Self.lines.map { $0.replacing("migrated", with: "current") })
    #expect(try files() == after)
  }

  @Test("a dry run refuses what a run refuses, such as a file that cannot be written without other changes")
  func refusedByBoth() throws {
    // A parser reads the line break as one character, and no writer writes it back.
    let text = """
      <?xml version="1.0" encoding="UTF-16"?>\r
      <plist version="1.0"><dict><key>text</key><string>a\r
      b</string>\r
      <key>data</key><data>\(OldCreature.insecure().base64EncodedString())</data></dict></plist>
      """
    try plant("file.plist", #require(text.data(using: .utf16)))
    let before = try files()
    var migration = migration
    migration.inside = [try GraphPath("data")]
    for isDryRun in [true, false] {
      migration.isDryRun = isDryRun
      #expect(try run(migration).lines == ["file.plist damagedPropertyList"], "dry: \(isDryRun)")
      #expect(try files() == before)
    }
  }

  @Test("an archive in XML is found behind a long comment and white space, as the scan finds it")
  func longBeginning() throws {
    let xml = try String(
      decoding: KeyedArchive(OldCreature.insecure(rating: 4)).data(format: .xml), as: UTF8.self)
    let comment = "<!-- \(String(repeating: "written by hand ", count: 60)) -->\n"
    let parts = xml.split(separator: "\n", maxSplits: 1)
    let commented = Data("\(parts[0])\n\(comment)\(parts[1])".utf8)
    let spaced = Data((String(repeating: "\n", count: 200) + parts[1]).utf8)
    for (name, data) in [("comment.plist", commented), ("space.plist", spaced)] {
      #expect(throws: Never.self) { try KeyedArchive(data) }
      try plant(name, data)
    }
    #expect(try run().lines == ["comment.plist migrated", "space.plist migrated"])
  }

  @Test("the order of reports is that of names, whatever the number of files and cores")
  func manyFiles() throws {
    for number in 0..<100 { try plant("\(number % 7)/\(number).plist", OldCreature.insecure()) }
    let lines = try run().lines
    #expect(lines.count == 100 && lines.allSatisfy { $0.hasSuffix(" migrated") })
    #expect(
      lines
        == lines.sorted { a, b in
          a.split(separator: "/").map(String.init).lexicographicallyPrecedes(b.split(separator: "/").map(String.init))
        })
    #expect(try run().summary.current == 100)
  }

  @Test("time of change, to the nanosecond, and permissions stay")
  func attributes() throws {
    try plant("a.plist", OldCreature.insecure())
    // A time that no binary fraction of a second is.
    try setModified("a.plist", Date(timeIntervalSince1970: 1_300_000_000.123_456_7))
    let path = tree.appending(path: "a.plist").path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let before = try modified("a.plist")
    #expect(try run().lines == ["a.plist migrated"])
    #expect(try modified("a.plist") == before)
    let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(permissions?.intValue == 0o640)
  }

  @Test("links in a tree are not followed; one that somebody names is")
  func links() throws {
    let outside = scratch.url.appending(path: "outside")
    try plant("x.plist", OldCreature.insecure(), in: outside)
    try FileManager.default.createSymbolicLink(
      at: tree.appending(path: "file.plist"), withDestinationURL: outside.appending(path: "x.plist"))
    try FileManager.default.createSymbolicLink(at: tree.appending(path: "folder"), withDestinationURL: outside)
    try FileManager.default.createSymbolicLink(at: tree.appending(path: "loop"), withDestinationURL: tree)
    let (lines, summary) = try run()
    #expect(lines == [] && summary.links == 3)
    #expect(try files(outside) == ["x.plist": OldCreature.insecure()])
    #expect(try run(on: [tree.appending(path: "file.plist").path]).lines == ["file.plist migrated"])
    #expect(try files(outside) != ["x.plist": OldCreature.insecure()])
    let kept = try FileManager.default.destinationOfSymbolicLink(atPath: tree.appending(path: "file.plist").path)
    #expect(kept == outside.appending(path: "x.plist").path)
  }

  @Test("a file that somebody names must be an archive; a path that leads nowhere stops nothing")
  func named() throws {
    try plant("notes.txt", Data("notes".utf8))
    try plant("list.plist", HandmadeList.dictionary([("a", 1)]).binary)
    try plant("a.plist", OldCreature.insecure())
    let paths = ["notes.txt", "list.plist", "no/such", "a.plist", "a.plist"].map { tree.appending(path: $0).path }
    #expect(
      try run(on: paths + [""]).lines == [
        "notes.txt damagedPropertyList", "list.plist notAnArchive", "no/such fileAccess", "a.plist migrated",
        "a.plist current", " fileAccess",
      ])
  }

  @Test("names that are no text, hidden ones and deep folders are walked as all others")
  func names() throws {
    try plant(".hidden/.a", OldCreature.insecure())
    try plant((0..<80).map { _ in "d" }.joined(separator: "/") + "/deep.plist", OldCreature.insecure())
    try plant("e\u{301}.plist", OldCreature.insecure())
    #expect(try run().summary.migrated == 3)
  }

  // MARK: Old files

  @Test("old files are kept in a folder, by their ways; it is not migrated, though it is in the tree")
  func backupFolder() throws {
    try plantAll()
    let before = try files()
    let folder = tree.appending(path: "z old")
    var keeping = migration
    keeping.backup = .folder(folder)
    let times = try ["a.plist", "b/2.plist"].map { try modified($0) }
    #expect(try run(keeping).lines == Self.lines)
    var kept = try files(folder.appending(path: "tree"))
    #expect(kept.keys.sorted() == ["a.plist", "b/10.plist", "b/2.plist", "xml.plist"])
    for (name, data) in kept { #expect(data == before[name]) }
    #expect(try ["z old/tree/a.plist", "z old/tree/b/2.plist"].map { try modified($0) } == times)
    #expect(try run(keeping).summary.migrated == 0)
    #expect(try files(folder.appending(path: "tree")) == kept)
    // Another old file of the same name does not take the place of the first.
    try plant("a.plist", OldCreature.objectiveC(rating: .float(1)))
    #expect(try run(keeping).summary.migrated == 1)
    kept = try files(folder.appending(path: "tree"))
    #expect(kept["a.plist"] == before["a.plist"])
    #expect(try files(folder.appending(path: "tree.2")) == ["a.plist": OldCreature.objectiveC(rating: .float(1))])
  }

  @Test("later runs, with another backup folder or none, do not migrate the backups of earlier ones")
  func earlierBackups() throws {
    try plant("a.plist", OldCreature.insecure())
    var keeping = migration
    keeping.backup = .folder(tree.appending(path: "b/old"))
    #expect(try run(keeping).lines == ["a.plist migrated"])
    try plant("c.plist", OldCreature.insecure())
    keeping.backup = .beside(suffix: ".bak")
    #expect(try run(keeping).lines == ["a.plist current", "c.plist migrated"])
    #expect(try run().lines == ["a.plist current", "c.plist current", "c.plist.bak notMigratable"])
    #expect(try bytes("b/old/tree/a.plist") == OldCreature.insecure())
    #expect(try bytes("c.plist.bak") == OldCreature.insecure())
    let backup = tree.path + "/c.plist.bak"
    #expect(try run(on: [backup]).lines == ["c.plist.bak migrated"])
  }

  @Test("a path in the folder for backups is refused, and files outside of it are migrated")
  func insideBackups() throws {
    try plant("old/a.plist", OldCreature.insecure())
    try plant("b.plist", OldCreature.insecure())
    var keeping = migration
    let paths = ["old", "old/a.plist", "b.plist"].map { tree.appending(path: $0).path }
    for backups in ["old", "."] {
      keeping.backup = .folder(tree.appending(path: backups))
      for isDryRun in [true, false] {
        keeping.isDryRun = isDryRun
        let before = try files()
        let lines = try run(keeping, on: paths).lines
        if backups == "." {
          #expect(lines == ["old fileAccess", "old/a.plist fileAccess", "b.plist fileAccess"])
        } else {
          #expect(lines == ["old fileAccess", "old/a.plist fileAccess", "b.plist migrated"])
        }
        if backups == "." || isDryRun { #expect(try files() == before) }
      }
    }
    #expect(try bytes("old/a.plist") == OldCreature.insecure())
  }

  @Test("a named folder of backups is refused, and one in a folder is left out")
  func namedBackups() throws {
    try plant("a.plist", OldCreature.insecure())
    var keeping = migration
    keeping.backup = .folder(tree.appending(path: "old"))
    #expect(try run(keeping).lines == ["a.plist migrated"])
    let before = try files()
    #expect(try run(on: [tree.appending(path: "old").path]).lines == ["old fileAccess"])
    #expect(try run().lines == ["a.plist current"])
    #expect(try files() == before)
  }

  @Test("a backup is a copy if the file has another name, which a program may write to")
  func hardLink() throws {
    try plant("a.plist", OldCreature.insecure())
    try plant("b.plist", OldCreature.insecure())
    let other = scratch.url.appending(path: "other.plist")
    try FileManager.default.linkItem(at: tree.appending(path: "a.plist"), to: other)
    let folder = scratch.url.appending(path: "old")
    for backup in [FileMigration.Backup.folder(folder), .beside(suffix: "~")] {
      try plant("a.plist", OldCreature.insecure())
      try FileManager.default.removeItem(at: other)
      try FileManager.default.linkItem(at: tree.appending(path: "a.plist"), to: other)
      var keeping = migration
      keeping.backup = backup
      _ = try run(keeping)
      let handle = try FileHandle(forWritingTo: other)
      try handle.write(contentsOf: Data("CHANGED".utf8))
      try handle.close()
    }
    #expect(try Data(contentsOf: folder.appending(path: "tree/a.plist")) == OldCreature.insecure())
    #expect(try bytes("a.plist~") == OldCreature.insecure())
  }

  @Test("or beside the new ones, with a suffix; these are not migrated either")
  func backupSuffix() throws {
    try plant("a.plist", OldCreature.insecure())
    var keeping = migration
    keeping.backup = .beside(suffix: "~")
    for _ in 0..<2 {
      _ = try run(keeping)
      #expect(try files().keys.sorted() == ["a.plist", "a.plist~"])
      #expect(try bytes("a.plist~") == OldCreature.insecure())
    }
    for suffix in ["", "/x", "a/b"] {
      keeping.backup = .beside(suffix: suffix)
      #expect(throws: KeyedArchiveError.self) { try run(keeping) }
    }
  }

  @Test("numbered backups of earlier runs are not migrated")
  func numberedBackups() throws {
    try plant("a.plist", OldCreature.insecure())
    try plant("a.plist.bak", Data("other".utf8))
    var keeping = migration
    keeping.backup = .beside(suffix: ".bak")
    #expect(try run(keeping).lines == ["a.plist migrated"])
    #expect(try bytes("a.plist.bak.2") == OldCreature.insecure())
    try plant("b.plist.bak.3", OldCreature.insecure())
    try plant("c.plist.bak.old", OldCreature.insecure())
    try plant("d.plist.bak.02", OldCreature.insecure())
    try plant("e.plist.bak.1", OldCreature.insecure())
    let (lines, summary) = try run(keeping)
    #expect(
      lines == ["a.plist current", "c.plist.bak.old migrated", "d.plist.bak.02 migrated", "e.plist.bak.1 migrated"])
    #expect(summary.orphans == 1)
    #expect(try bytes("a.plist.bak.2") == OldCreature.insecure() && bytes("a.plist.bak") == Data("other".utf8))
    #expect(try bytes("b.plist.bak.3") == OldCreature.insecure())
  }

  @Test("numbered backups have their original also if the suffix is a number")
  func numberedBackupsOfNumberSuffix() throws {
    try plant("a", OldCreature.insecure())
    try plant("a2", Data("other".utf8))
    var keeping = migration
    keeping.backup = .beside(suffix: "2")
    #expect(try run(keeping).lines == ["a migrated"])
    #expect(try bytes("a2.2") == OldCreature.insecure())
    let (lines, summary) = try run(keeping)
    #expect(lines == ["a current"] && summary.orphans == 0)
  }

  @Test("a folder whose name ends with the suffix of backups is migrated")
  func folderWithSuffix() throws {
    try plant("Zoo.bak/a.plist", OldCreature.insecure())
    var keeping = migration
    keeping.backup = .beside(suffix: ".bak")
    #expect(try run(keeping).lines == ["Zoo.bak/a.plist migrated"])
    #expect(try bytes("Zoo.bak/a.plist.bak") == OldCreature.insecure())
  }

  @Test("a file that cannot be kept is not replaced")
  func noBackup() throws {
    try plant("a.plist", OldCreature.insecure())
    let folder = scratch.url.appending(path: "old")
    var keeping = migration
    keeping.backup = .folder(folder)
    #expect(try run(keeping).lines == ["a.plist migrated"])
    let kept = try files(folder)
    // A damaged index, and a file in the place of the folder for this tree's files.
    try plant("a.plist", OldCreature.insecure())
    try plant(".keyedarchive-backups", Data("2\0".utf8), in: folder)
    #expect(throws: KeyedArchiveError.self) { try run(keeping) }
    try plant(".keyedarchive-backups", try #require(kept[".keyedarchive-backups"]), in: folder)
    try FileManager.default.removeItem(at: folder.appending(path: "tree"))
    try plant("tree", Data(), in: folder)
    #expect(try run(keeping).lines == ["a.plist fileNotWritten"])
    #expect(try files() == ["a.plist": OldCreature.insecure()])
  }

  // MARK: Killed runs

  @Test("what a killed run left is removed, and what it kept is not kept twice")
  func leftovers() throws {
    try plant("a.plist", OldCreature.insecure())
    try plant("b/b.plist", OldCreature.insecure())
    // As after a kill right before the renaming of a.plist, and after one in a file that somebody else removed since.
    try plant(".keyedarchive-migration-0123456789abcdef", Data([1, 2, 3]))
    try plant("b/.keyedarchive-migration-fedcba9876543210", Data())
    // These are no names of ours.
    try plant(".keyedarchive-migration-0123456789ABCDEF", Data([4]))
    try plant(".keyedarchive-migration-0123", Data([5]))
    var keeping = migration
    keeping.backup = .beside(suffix: ".old")
    try plant("a.plist.old", OldCreature.insecure())
    var dry = keeping
    dry.isDryRun = true
    #expect(try run(dry).summary.leftovers == 0)
    let (lines, summary) = try run(keeping)
    #expect(lines == ["a.plist migrated", "b/b.plist migrated"] && summary.leftovers == 2)
    #expect(
      try files().keys.sorted() == [
        ".keyedarchive-migration-0123", ".keyedarchive-migration-0123456789ABCDEF", "a.plist", "a.plist.old",
        "b/b.plist", "b/b.plist.old",
      ])
  }

  @Test("a run can be stopped and gone on with")
  func stop() throws {
    for number in 100..<400 { try plant("\(number).plist", OldCreature.insecure()) }
    var count = 0
    let summary = try migration.run(on: [tree.path]) { _ in
      count += 1
      return count < 3
    }
    #expect(count == 3 && summary.migrated == 3)
    let rest = try run()
    #expect(rest.lines.count == 300 && rest.summary.migrated + rest.summary.current == 300)
    #expect(rest.summary.migrated >= 200)
    #expect(try run().summary.current == 300)
  }

  @Test("a run that is stopped from outside reports each file that it has replaced")
  func stopFromOutside() throws {
    for number in 100..<400 { try plant("\(number).plist", OldCreature.insecure()) }
    let questions = Mutex(0)
    var stopped = migration
    stopped.isStopped = {
      questions.withLock {
        $0 += 1
        return $0 > 100
      }
    }
    let (lines, summary) = try run(stopped)
    let replaced = try files().count { $0.value != OldCreature.insecure() }
    #expect(replaced == 100 && lines.count == 100 && summary.migrated == 100)
  }

  @Test("rules that make no sense are refused before any file is touched")
  func invalidRules() throws {
    try plant("a.plist", OldCreature.insecure())
    let error = #expect(throws: KeyedArchiveError.self) {
      try FileMigration(by: [.removeKey("a", of: [])]).run(on: [tree.path]) { _ in true }
    }
    #expect(error?.code == .invalidRules)
  }
}
