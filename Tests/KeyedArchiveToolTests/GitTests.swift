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

/// A temporary git repository whose git finds this program.
private struct Repository {
  static let git = Program.installed("git")
  static let program = Program.built("keyedarchive")
  static let bash = Program.installed("bash")
  static let isUsable = git != nil && program != nil && bash != nil

  let folder: ScratchFolder
  let environment: [String: String]

  init() throws {
    folder = try ScratchFolder()
    let program = try #require(Self.program)
    environment = [
      "PATH": program.url.deletingLastPathComponent().path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
      "HOME": folder.url.path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat", "GIT_AUTHOR_NAME": "x",
      "GIT_AUTHOR_EMAIL": "x@example.org", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@example.org",
    ]
    _ = try git("init", "-q")
  }

  /// Runs git, which must succeed.
  @discardableResult
  func git(_ arguments: String...) throws -> [String] {
    let run = try #require(Self.git).run(arguments, in: folder.url, environment: environment)
    #expect(run.code == 0 && run.errors == "", "git \(arguments): \(run.errors)")
    return run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  func commit(_ message: String) throws {
    try git("add", "-A")
    try git("commit", "-q", "-m", message)
  }

  func install(_ arguments: String...) throws -> Program.Run {
    try #require(Self.program).run(["install-git"] + arguments, in: folder.url, environment: environment)
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }
}

@Suite("install-git")
struct GitTests {
  private static let needs: Comment = "git or bash is not installed, or the program was not built"

  private static func list(_ version: String) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>CFBundleVersion</key><string>\(version)</string><key>A</key><array><integer>1\
      </integer></array></dict></plist>

      """.utf8)
  }

  private static func archive(_ title: String) -> Data {
    Handmade.archive([
      ["Title": .uid(3), "$class": .uid(2)], Handmade.classRecord("Box"), .string(title),
    ])
  }

  // MARK: Git

  @Test("git diff, git log -p and git show show all kinds of files", .enabled(if: Repository.isUsable, needs))
  func everyCommand() throws {
    let repository = try Repository()
    let folder = repository.folder
    #expect(try repository.install().code == 0)
    try FileManager.default.createDirectory(atPath: folder.path("a folder"), withIntermediateDirectories: true)
    _ = try folder.file("a folder/with space.plist", Self.archive("Ghost"))
    _ = try folder.file("gone.plist", Self.archive("Leaves"))
    _ = try folder.file("old.plist", Self.archive("Moves"))
    _ = try folder.file("Info.plist", Self.list("1"))
    _ = try folder.file("garbage.plist", Data((0..<200).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
    _ = try folder.file("text.plist", Data("{ a = 1; }\n".utf8))
    _ = try folder.file("cut.plist", Self.archive("Cut").dropLast(20))
    try repository.commit("first")
    _ = try folder.file("a folder/with space.plist", Self.archive("Yeti"))
    _ = try folder.file("new.plist", Self.archive("Arrives"))
    _ = try folder.file("Info.plist", Self.list("2"))
    // A change beyond the bytes that are shown.
    _ = try folder.file("garbage.plist", Data((0..<200).map { $0 == 150 ? 0 : UInt8(truncatingIfNeeded: $0 &* 7) }))
    _ = try folder.file("text.plist", Data("{ a = 2; }\n".utf8))
    _ = try folder.file("cut.plist", Self.archive("Cut").dropLast(21))
    try FileManager.default.removeItem(atPath: folder.path("gone.plist"))
    try repository.git("mv", "old.plist", "renamed.plist")
    _ = try folder.file("renamed.plist", Self.archive("Moved"))
    try repository.git("add", "-A")
    let diff = try repository.git("diff", "--cached", "-M10%")
    try repository.git("commit", "-q", "-m", "second")
    let log = try repository.git("log", "-p", "-1", "-M10%")
    let show = try repository.git("show", "-M10%", "HEAD")
    for lines in [diff, log, show] {
      for line in [
        #"-  Title: "Ghost""#, #"+  Title: "Yeti""#, #"-  Title: "Leaves""#, #"+  Title: "Arrives""#,
        "rename from old.plist", "rename to renamed.plist", #"-  Title: "Moves""#, #"+  Title: "Moved""#,
        #"-CFBundleVersion: "1""#, #"+CFBundleVersion: "2""#, " A: array", "-{ a = 1; }", "+{ a = 2; }",
      ] {
        #expect(lines.contains(line), "\(line)")
      }
      #expect(lines.filter { $0.hasPrefix("+<200 bytes, ") }.count == 1)
      #expect(lines.contains { $0.hasPrefix("-damaged property list") || $0.hasPrefix("-<") })
      #expect(!lines.contains { $0.hasPrefix("Binary files") })
    }
  }

  @Test("the file stays readable for git, whatever it has", .enabled(if: Repository.isUsable, needs))
  func settings() throws {
    let repository = try Repository()
    let config = repository.folder.path(".git/config")
    let others = """
      [alias]
      \tx = "!f() { \\
      [diff \\"keyedarchive\\"]; }"
      # [diff "keyedarchive"]
      [Diff "keyedarchive"] TextConv = "keyedarchive \\"old\\"" ; old
      \tcachetextconv = true
      [diff "other"]
      \ttextconv = cat

      """
    try (repository.text(".git/config") + others).write(toFile: config, atomically: true, encoding: .utf8)
    _ = try repository.folder.file(".gitattributes", Data("*.plist binary\n\"a b\" diff=keyedarchive\n*.nib text".utf8))
    let before = try repository.git("config", "--list", "--local")
    #expect(before.contains(#"diff.keyedarchive.textconv=keyedarchive "old""#))
    let run = try repository.install("--pattern", "*.plist", "--pattern", "a b", "-p", #"é "q".plist"#)
    #expect(run.code == 0 && run.errors == "")
    #expect(
      run.output.split(separator: "\n") == [
        #".git/config: set diff.keyedarchive.textconv to 'keyedarchive textconv', which was 'keyedarchive "old"'"#,
        ".gitattributes: added '*.plist diff=keyedarchive', which overrides line 1",
        #".gitattributes: added '"é \"q\".plist" diff=keyedarchive'"#,
      ])
    var expected = before.filter { !$0.hasPrefix("diff.keyedarchive.textconv=") }
    expected.append("diff.keyedarchive.textconv=keyedarchive textconv")
    #expect(try repository.git("config", "--list", "--local").sorted() == expected.sorted())
    for name in ["x.plist", "a b", #"é "q".plist"#] {
      #expect(try repository.git("check-attr", "-z", "diff", name).joined().contains("keyedarchive"), "\(name)")
    }
    #expect(try repository.git("check-attr", "text", "x.nib").first == "x.nib: text: set")
    #expect(try repository.install("-p", "*.plist", "-p", "a b", "-p", #"é "q".plist"#).output == "nothing to change\n")
  }

  @Test("--remove restores what was there", .enabled(if: Repository.isUsable, needs), arguments: [nil, "*.txt text"])
  func remove(attributes: String?) throws {
    let repository = try Repository()
    if let attributes { _ = try repository.folder.file(".gitattributes", Data("\(attributes)\n".utf8)) }
    let config = try repository.text(".git/config")
    let installed = try repository.install("--command").output
    #expect(installed.contains("diff.keyedarchive.command to 'keyedarchive diff --git'"))
    let dry = try repository.install("--remove", "--dry-run")
    #expect(dry.code == 0 && dry.output.contains(".git/config: would remove diff.keyedarchive.textconv"))
    #expect(try repository.text(".git/config") != config)
    #expect(try repository.install("--remove").code == 0)
    #expect(try repository.text(".git/config") == config)
    #expect(FileManager.default.fileExists(atPath: repository.folder.path(".gitattributes")) == (attributes != nil))
    if let attributes { #expect(try repository.text(".gitattributes") == "\(attributes)\n") }
    #expect(try repository.install("--remove").output == "nothing to change\n")
  }

  @Test("--remove names the lines that it keeps, and how to remove them")
  func remaining() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path(".git"), withIntermediateDirectories: true)
    _ = try folder.file(".git/HEAD", Data())
    let kept = "# *.x diff=keyedarchive\n*.nib binary diff=keyedarchive\n"
    _ = try folder.file(".gitattributes", Data(kept.utf8))
    #expect(ToolRun("install-git", "-p", "*.zoo", folder.url.path).code == .fine)
    let text = try String(contentsOfFile: folder.path(".gitattributes"), encoding: .utf8)
    #expect(text == kept + "*.zoo diff=keyedarchive\n")
    let nib = "keyedarchive: note: .gitattributes: line 2 remains: '*.nib binary diff=keyedarchive'\n"
    let zoo = "keyedarchive: note: .gitattributes: line 3 remains: '*.zoo diff=keyedarchive'\n"
    let advice =
      "keyedarchive: note: to remove such a line, add --pattern with its pattern; edit a line that also has other attributes\n"
    let dry = ToolRun("install-git", "--remove", "--dry-run", folder.url.path)
    #expect(dry.code == .fine && dry.errors == (nib + zoo + advice).replacing(" remains: ", with: " would remain: "))
    let run = ToolRun("install-git", "--remove", folder.url.path)
    #expect(run.code == .fine && run.errors == nib + zoo + advice, "\(run.errors)")
    #expect(try String(contentsOfFile: folder.path(".gitattributes"), encoding: .utf8) == text)
    let last = ToolRun("install-git", "--remove", "--pattern", "*.zoo", folder.url.path)
    #expect(last.output == ".gitattributes: removed '*.zoo diff=keyedarchive'\n" && last.errors == nib + advice)
    #expect(try String(contentsOfFile: folder.path(".gitattributes"), encoding: .utf8) == kept)
  }

  @Test("--remove works without a file of settings", .enabled(if: Repository.isUsable, needs))
  func removeWithoutSettings() throws {
    let repository = try Repository()
    _ = try repository.folder.file(".gitattributes", Data("*.plist diff=keyedarchive\n".utf8))
    try FileManager.default.removeItem(atPath: repository.folder.path(".git/config"))
    // For git, the folder still is a repository.
    try repository.git("status", "--short")
    let run = try repository.install("--remove")
    #expect(run.code == 0 && run.errors == "")
    #expect(run.output == ".gitattributes: removed '*.plist diff=keyedarchive'\n")
    #expect(!FileManager.default.fileExists(atPath: repository.folder.path(".gitattributes")))
    #expect(!FileManager.default.fileExists(atPath: repository.folder.path(".git/config")))
  }

  @Test("prints a change only after it was made", .enabled(if: Repository.isUsable, needs))
  func failedChange() throws {
    let repository = try Repository()
    _ = try repository.folder.file(".git/config.lock", Data())
    let run = try repository.install()
    #expect(run.code == 7 && run.output == "", "\(run.output)")
  }

  @Test("a folder of the program's name in PATH is not the program")
  func folderInPath() throws {
    let folder = try ScratchFolder()
    for name in [".git", "bin/keyedarchive"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    _ = try folder.file(".git/HEAD", Data())
    let run = ToolRun("install-git", "-n", folder.url.path, environment: ["PATH": folder.path("bin")])
    #expect(run.code == .fine && run.output.contains("textconv to '"))
    #expect(!run.output.contains("textconv to 'keyedarchive textconv'"), "\(run.output)")
  }

  @Test("--dry-run changes nothing", .enabled(if: Repository.isUsable, needs))
  func dryRun() throws {
    let repository = try Repository()
    let config = try repository.text(".git/config")
    let run = try repository.install("--dry-run")
    #expect(run.output.contains(".gitattributes: would add '*.plist diff=keyedarchive'"))
    #expect(run.output.contains(".git/config: would set diff.keyedarchive.textconv to 'keyedarchive textconv'"))
    #expect(try repository.text(".git/config") == config)
    #expect(!FileManager.default.fileExists(atPath: repository.folder.path(".gitattributes")))
  }

  @Test(
    "recognizes the old form of a section", .enabled(if: Repository.isUsable, needs),
    arguments: ["[diff.keyedarchive]", "[Diff.KeyedArchive]"])
  func oldSection(header: String) throws {
    let repository = try Repository()
    let config = repository.folder.path(".git/config")
    let old = try repository.text(".git/config")
    try (old + "\(header)\n\ttextconv = cat\n").write(toFile: config, atomically: true, encoding: .utf8)
    // Git uses it.
    #expect(try repository.git("config", "diff.keyedarchive.textconv").first == "cat")
    let run = ToolRun("install-git", "--remove", repository.folder.url.path)
    #expect(
      run.code == .fine && run.output.contains("removed diff.keyedarchive.textconv"), "\(run.output)\(run.errors)")
    #expect(try repository.text(".git/config") == old)
  }

  @Test("finds the repository of a folder in it and of a worktree", .enabled(if: Repository.isUsable, needs))
  func worktree() throws {
    let repository = try Repository()
    _ = try repository.folder.file("a.plist", Self.archive("x"))
    try repository.commit("first")
    try repository.git("worktree", "add", "-q", "tree", "-b", "other")
    try FileManager.default.createDirectory(
      atPath: repository.folder.path("tree/below"), withIntermediateDirectories: true)
    #expect(try repository.install("tree/below").code == 0)
    #expect(FileManager.default.fileExists(atPath: repository.folder.path("tree/.gitattributes")))
    #expect(!FileManager.default.fileExists(atPath: repository.folder.path(".gitattributes")))
    #expect(try repository.git("config", "diff.keyedarchive.textconv").first == "keyedarchive textconv")
  }

  @Test("says what is wrong: no repository, a lock of git, a pattern that is none")
  func failures() throws {
    let folder = try ScratchFolder()
    let none = ToolRun("install-git", folder.url.path)
    #expect(none.code == .unreadable && none.errors.contains("no git repository"))
    #expect(ToolRun("install-git", folder.path("absent")).code == .unreadable)
    for pattern in ["", "#x", "a\nb", "!x"] {
      #expect(ToolRun("install-git", "--pattern", pattern, folder.url.path).code == .usage)
    }
    try FileManager.default.createDirectory(atPath: folder.path(".git"), withIntermediateDirectories: true)
    for name in [".git/HEAD", ".git/config.lock"] { _ = try folder.file(name, Data()) }
    let locked = ToolRun("install-git", folder.url.path)
    #expect(locked.code == .notWritten && locked.errors.contains("config.lock' exists"))
  }

  // MARK: The page

  @Test("the shell blocks of the page work", .enabled(if: Repository.isUsable, needs))
  func page() throws {
    let repository = try Repository()
    try FileManager.default.createDirectory(
      atPath: repository.folder.path("Fixtures"), withIntermediateDirectories: true)
    let fixture = try Data(contentsOf: Locations.fixtures.appending(path: "made/creatures.plist"))
    _ = try repository.folder.file("Fixtures/creatures.plist", fixture)
    try repository.commit("first")
    let page = try String(
      contentsOf: Locations.package.appending(path: "Sources/ArchiveTools/ArchiveTools.docc/ArchivesUnderGit.md"),
      encoding: .utf8)
    let parts = page.components(separatedBy: "```")
    var output = ""
    var (commands, outputs) = (0, 0)
    for place in stride(from: 1, to: parts.count, by: 2) {
      if parts[place].hasPrefix("sh\n") {
        let run = try #require(Repository.bash).run(
          ["-euo", "pipefail", "-c", String(parts[place].dropFirst(3))], in: repository.folder.url,
          environment: repository.environment)
        #expect(run.code == 0 && run.errors == "", "\(parts[place]): \(run.errors)")
        output = run.output
        commands += 1
      } else {
        #expect(output.contains(parts[place].dropFirst()), "\(parts[place]) in \(output)")
        outputs += 1
      }
    }
    #expect(commands == 5 && outputs == 3)
  }
}

@Suite("textconv")
struct TextconvTests {
  private func text(_ data: Data) -> [String] {
    let run = ToolRun("textconv", "-", input: data)
    #expect(run.code == .fine && run.errors == "")
    return run.lines
  }

  @Test("prints equal contents equally, whatever the UIDs, the order of keys and the format")
  func renumbered() throws {
    let first = Handmade.archive([
      ["Title": .uid(3), "other": .uid(4), "again": .uid(4), "$class": .uid(2)], Handmade.classRecord("Box"), "Ghost",
      ["n": 1, "$class": .uid(2)],
    ])
    let second = Handmade.archive([
      ["$class": .uid(4), "again": .uid(2), "other": .uid(2), "Title": .uid(5)], ["n": 1, "$class": .uid(4)], "unused",
      Handmade.classRecord("Box"), "Ghost",
    ])
    let expected = [
      "root: Box", "  Title: \"Ghost\"", "  again: Box", "    n: 1", "  other: ↑ root.again", "class Box < NSObject",
    ]
    #expect(text(first) == ["keyed archive by NSKeyedArchiver, binary"] + expected)
    #expect(text(second) == text(first))
    let xml = try KeyedArchive(first).data(format: .xml)
    #expect(text(xml) == ["keyed archive by NSKeyedArchiver, XML"] + expected)
  }

  @Test("prints the comments of an XML file in any encoding, and no text that looks like one")
  func comments() throws {
    let xml =
      "<?xml version=\"1.0\"?><!-- one --><plist><dict><key>a</key>"
      + "<string><![CDATA[<!-- text -->]]></string><!--é--></dict></plist>"
    let expected = ["property list, XML", #"a: "<!-- text -->""#, #"comment " one ""#, #"comment "é""#]
    #expect(text(Data(xml.utf8)) == expected)
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
      #expect(text(try #require(xml.data(using: encoding))) == expected)
    }
  }

  /// Objects of which no order counts: sets of arrays, of objects and of sets, and a dictionary with arrays as keys.
  private struct Unordered {
    private enum Part { case box(Int, next: Int?), array([Int]), set([Int]), pairs([(Int, Int)]), text(String) }

    private var parts: [Part] = []

    init(_ random: inout some RandomNumberGenerator) {
      func some(_ count: Int, _ random: inout some RandomNumberGenerator) -> [Int] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 0..<count, using: &random) }
      }
      parts = ["a", "b", "c"].map { .text($0) }
      for _ in 0..<24 {
        let (members, more) = (some(parts.count, &random), some(parts.count, &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: parts.append(.box(Int.random(in: 0..<2, using: &random), next: members[0]))
        case 2: parts.append(.array(members))
        case 3: parts.append(.set(Array(Set(members))))
        default: parts.append(.pairs(Array(zip(Set(members), more))))
        }
      }
      parts.append(.set(Array(3..<parts.count)))
    }

    /// The archive with its objects, the elements of sets and pairs in random order.
    func archive(_ random: inout some RandomNumberGenerator) -> Data {
      let classes = ["Box", "NSArray", "NSSet", "NSDictionary"]
      let order = Array(0..<parts.count + classes.count).shuffled(using: &random)
      var places = order
      for (place, number) in order.enumerated() { places[number] = place + 1 }
      func uid(_ number: Int) -> HandmadeList { .uid(UInt64(places[number])) }
      let objects: [HandmadeList] = order.map { number in
        guard number < parts.count else { return Handmade.classRecord(classes[number - parts.count]) }
        switch parts[number] {
        case .text(let text): return .string(text)
        case .box(let value, let next):
          let entries: [(String, HandmadeList)] =
            [("n", .integer(Int64(value)))] + (next.map { [("next", uid($0))] } ?? [])
          return .dictionary((entries + [("$class", uid(parts.count))]).shuffled(using: &random))
        case .array(let members):
          return ["NS.objects": .array(members.map(uid)), "$class": uid(parts.count + 1)]
        case .set(let members):
          return [
            "NS.objects": .array(members.shuffled(using: &random).map(uid)), "$class": uid(parts.count + 2),
          ]
        case .pairs(let pairs):
          let pairs = pairs.shuffled(using: &random)
          return [
            "NS.keys": .array(pairs.map { uid($0.0) }), "NS.objects": .array(pairs.map { uid($0.1) }),
            "$class": uid(parts.count + 3),
          ]
        }
      }
      return Handmade.archive(objects, top: .dictionary([("root", uid(parts.count - 1))]))
    }
  }

  @Test(
    "prints equal contents equally, whatever the order of sets and pairs",
    arguments: Sample.cases(0..<40 as Range<UInt64>, each: 4))
  func unordered(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let contents = Unordered(&random)
    let first = contents.archive(&random)
    for _ in 0..<4 {
      let second = contents.archive(&random)
      #expect(text(second) == text(first))
    }
  }

  @Test("prints equal sets equally, also counted ones and those of other classes, as diff compares them")
  func otherSets() throws {
    let folder = try ScratchFolder()
    func set(_ values: [HandmadeList]) -> Data {
      Handmade.archive([
        ["NS.objects": [.uid(3), .uid(4)], "$class": .uid(2)],
        HandmadeList.classRecord("Tags", "NSMutableSet", "NSSet", "NSObject"), values[0], values[1],
      ])
    }
    func counted(_ values: [(HandmadeList, HandmadeList)]) -> Data {
      Handmade.archive([
        [
          "NS.count": 2, "NS.object0": .uid(3), "NS.count0": values[0].1, "NS.object1": .uid(4),
          "NS.count1": values[1].1, "$class": .uid(2),
        ], HandmadeList.classRecord("NSCountedSet", "NSMutableSet", "NSSet", "NSObject"), values[0].0, values[1].0,
      ])
    }
    for (a, b) in [
      (set(["a", "b"]), set(["b", "a"])), (counted([("a", 1), ("b", 7)]), counted([("b", 7), ("a", 1)])),
    ] {
      #expect(text(a) == text(b))
      #expect(try ToolRun("diff", folder.file("a", a), folder.file("b", b)).code == .fine)
    }
    #expect(text(counted([("a", 1), ("b", 7)])) != text(counted([("a", 7), ("b", 1)])))
  }

  @Test("a limit is not called damage, and is named")
  func limits() {
    let deep = HandmadeList.dictionary([("a", Handmade.nested(1, 40))]).binary
    #expect(text(deep).last == "not shown: inline containers nest deeper than 32 levels")
    #expect(text(Handmade.sharedArray()).last == "… the rest exceeds the expansion limit")
  }

  @Test("archives that differ in a value that nests too deep to be shown have different texts")
  func deepValue() {
    func archive(_ value: HandmadeList) -> Data {
      Handmade.archive([["a": Handmade.nested(value, 40), "$class": .uid(2)], Handmade.classRecord("Box")])
    }
    #expect(text(archive(1)) != text(archive(2)) && text(archive(1)) == text(archive(1)))
    #expect(text(archive(1)).contains { $0.hasPrefix("root: damaged: inline containers nest deeper than 32 levels") })
    #expect(text(archive(1)).contains { $0.hasPrefix("not all values are shown: <") })
  }

  @Test("escapes control characters of a text file on a terminal, and only there")
  func terminal() {
    let hostile = Data("a\u{1B}]0;b\u{7}\tc\n".utf8)
    #expect(ToolRun("textconv", "-", input: hostile).data == hostile)
    let shown = ToolRun("textconv", "-", input: hostile, isTerminal: true).output
    #expect(
      shown.hasPrefix("a\\u") && shown.hasSuffix("\tc\n") && !shown.contains("\u{1B}") && !shown.contains("\u{7}"))
  }

  @Test("dates that differ by less than a millisecond have different lines")
  func dates() {
    func line(_ seconds: Double) -> String? {
      text(Handmade.archive([["NS.time": .real(seconds), "$class": .uid(2)], Handmade.classRecord("NSDate")]))
        .dropFirst().first
    }
    // 694,224,000 seconds after 2001 is the beginning of 2023.
    #expect(line(694_224_000.1234) == "root: NSDate 2023-01-01T00:00:00.123Z (694224000.1234 s since 2001)")
    #expect(line(694_224_000.1231) == "root: NSDate 2023-01-01T00:00:00.123Z (694224000.1231 s since 2001)")
    #expect(line(694_224_000.123) == "root: NSDate 2023-01-01T00:00:00.123Z")
  }

  @Test("different keys have different texts")
  func keys() {
    // Each key with its text.
    let keys = [
      ("", #""""#), (" a", #"" a""#), ("a", "a"), ("a b", "a b"), ("a ", #""a ""#), ("a\nb", #""a\nb""#),
      (#"a\nb"#, #""a\\nb""#),
      ("a: 5 #3", #""a: 5 #3""#), (#""a""#, #""\"a\"""#), ("a.b", "a.b"), ("\u{202E}a", #""\u{202e}a""#),
    ]
    let expected = Set(keys.map { "\($0.1): 1" })
    #expect(Set(text(HandmadeList.dictionary(keys.map { ($0.0, 1) }).binary).dropFirst()) == expected)
    let object = Handmade.archive([
      .dictionary(keys.map { ($0.0, 1) } + [("$class", .uid(2))]), Handmade.classRecord("A"),
    ])
    #expect(Set(text(object).dropFirst(2).dropLast()) == Set(expected.map { "  \($0)" }))
  }

  @Test("the path to an object has the texts of its keys")
  func keyPath() {
    let box: HandmadeList = ["a: b": .uid(2), "c": .uid(2), "$class": .uid(3)]
    let data = Handmade.archive([box, ["n": 1, "$class": .uid(3)], Handmade.classRecord("A")])
    #expect(text(data).dropFirst(2).prefix(3) == [#"  "a: b": A"#, "    n: 1", #"  c: ↑ root["a: b"]"#])
  }

  @Test("prints property lists in data as a part of the tree")
  func nested() {
    let inner = Handmade.archive([["a": 1, "$class": .uid(2)], Handmade.classRecord("Box")])
    let list = HandmadeList.dictionary([("state", .data([UInt8](inner))), ("bytes", .data([1, 2]))]).binary
    #expect(
      text(list) == [
        "property list, binary", "bytes: <2 bytes, 0102>",
        "state: data, keyed archive by NSKeyedArchiver, binary", "  root: Box", "    a: 1", "  class Box < NSObject",
      ])
  }

  @Test("the lines of data change with each byte")
  func checksum() {
    func line(_ last: UInt8) -> String? {
      text(HandmadeList.dictionary([("d", .data([UInt8](repeating: 9, count: 40) + [last]))]).binary).last
    }
    #expect(line(1) != line(2) && line(1) == line(1))
  }

  @Test("prints other text unchanged, and a summary of other bytes")
  func others() throws {
    for text in ["", "hello\nworld", "{\"a\": 1}\n", "<plist><dict>", "\u{1B}[2J"] {
      #expect(ToolRun("textconv", "-", input: Data(text.utf8)).output == text)
    }
    #expect(text(Data([0, 1, 2])) == ["<3 bytes, 000102>"])
    #expect(text(Data([0xFF, 0xFE])) == ["<2 bytes, fffe>"])
    let absent = ToolRun("textconv", "/no/such/file")
    #expect(absent.code == .fine && absent.output == "no such file\n" && absent.errors == "")
    #expect(ToolRun("textconv", NSTemporaryDirectory()).code == .fine)
  }

  /// A third of the bombs; with `WHOLE_TESTS`, all.
  @Test("ends well for bombs", .notHanging, arguments: Sample.cases(Bombs.all.indices, each: 3))
  func bombs(index: Int) {
    let run = ToolRun("textconv", "-", input: Bombs.all[index].make(20_000))
    #expect(run.code == .fine && run.data.count <= 18 << 20 && run.data.count > 0)
  }

  /// ``CorpusTests`` prints valid archives.
  @Test(
    "prints something for each invalid file of the corpus",
    .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"), arguments: Corpus.invalid)
  func invalid(file: TestFile) {
    let run = ToolRun("textconv", file.url.path)
    #expect(run.code == .fine && !run.data.isEmpty)
  }
}
