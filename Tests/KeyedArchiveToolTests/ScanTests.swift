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

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@testable import KeyedArchiveTool

@Suite("scan")
struct ScanTests {
  private let folder: ScratchFolder
  private let archive: Data

  init() throws {
    folder = try ScratchFolder()
    archive = try Data(contentsOf: URL(filePath: nsurl))
  }

  /// Writes files into the folder, and creates their parent folders.
  private func put(_ files: [String: Data]) throws {
    for (name, data) in files {
      let url = folder.url.appending(path: name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: url)
    }
  }

  private func files(_ run: ToolRun) throws -> [String] {
    try run.json.map { ($0["file"] as? String)?.replacing(folder.url.path + "/", with: "") ?? "" }
  }

  @Test("finds archives in the order of names with the keys of info, and skips other files")
  func tree() throws {
    let xml = try KeyedArchive(archive).data(format: .xml)
    try put([
      "b/2.plist": archive, "a.plist": archive, "b/10.xml": xml, "b/é": archive, "c/deep/er/x": archive, "B": archive,
      "empty": Data(), "text.plist": Data("<plist> is what this is about".utf8),
      "list.plist": Data(repeating: 0, count: 500),
      "binary list": HandmadeList.dictionary([("a", "b"), ("text", .string(String(repeating: "x", count: 100)))])
        .binary,
      ".hidden": archive,
    ])
    let run = ToolRun("scan", folder.url.path)
    #expect(run.code == .fine && run.errors == "")
    #expect(try files(run) == [".hidden", "B", "a.plist", "b/10.xml", "b/2.plist", "b/é", "c/deep/er/x"])
    let info = ToolRun("info", "--json", folder.path("a.plist")).lines[0]
    #expect(run.lines[2] == info)
    #expect(ToolRun("scan", folder.url.path).output == run.output)
  }

  @Test("skips links, pipes, sockets and devices without waiting")
  func oddFiles() throws {
    try put(["in/a": archive, "other/b": archive])
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: folder.path("in/up"), withDestinationPath: "..")
    try manager.createSymbolicLink(atPath: folder.path("in/self"), withDestinationPath: "self")
    try manager.createSymbolicLink(atPath: folder.path("in/link"), withDestinationPath: "../other/b")
    #expect(try Program.installed("mkfifo")?.run([folder.path("in/pipe")]).code ?? 0 == 0)
    #expect(try files(ToolRun("scan", folder.path("in"))) == ["in/a"])
    let list = ["in/pipe", "in/self", "in/link", "/dev/zero", "/dev/null", ""].map {
      $0.hasPrefix("/") ? $0 : folder.path($0)
    }
    let run = ToolRun(["scan", "-"], input: Data(list.dropLast().joined(separator: "\n").utf8))
    #expect(run.code == .unreadable)
    #expect(try files(run) == ["in/link"])
    #expect(run.errors.split(separator: "\n").count == (Program.installed("mkfifo") == nil ? 3 : 4))
  }

  @Test("reports unreadable and damaged files, continues, and ends with the highest code")
  func errors() throws {
    try put([
      "1.plist": archive.prefix(archive.count - 1), "2.plist": archive, "4.plist": archive + archive.prefix(5000),
      "3.plist": Handmade.archive([["a": .uid(9), "$class": .uid(2)], Handmade.classRecord("Box")]),
    ])
    let run = ToolRun("scan", folder.url.path, "/no/such/place", folder.path("2.plist"))
    #expect(run.code == .notAnArchive)
    #expect(try files(run) == ["2.plist", "2.plist"])
    let errors = run.errors.split(separator: "\n")
    #expect(
      errors.count == 4 && errors[1].contains("3.plist: 'a': dangling reference to object #9")
        && errors[3].contains("/no/such/place"))
    let json = ToolRun("scan", "--json", folder.url.path)
    for line in json.errors.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let error = try #require(object?["error"] as? [String: Any])
      #expect(error["file"] != nil && error["exit"] as? Int == 4)
    }
  }

  @Test("gives the reason why a named path cannot be read", arguments: ["2.plist/x", "2.plist/"])
  func reason(name: String) throws {
    try put(["2.plist": archive])
    let path = "\(folder.url.path)/\(name)"
    let run = ToolRun("scan", path)
    #expect(run.code == .unreadable && run.errors.contains("\(path): cannot be read: Not a directory"), "\(run.errors)")
    #expect(run.errors == ToolRun("info", path).errors)
  }

  @Test(
    "reports that a named file is in a folder without permission",
    .enabled(if: geteuid() != 0, "root may read all"))
  func hiddenFile() throws {
    try put(["a/x": archive])
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path("a"))
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path("a")) }
    #expect(ToolRun("scan", folder.path("a/x")).errors.contains("permission denied"))
  }

  @Test(
    "reports a folder without permission and continues",
    .enabled(if: geteuid() != 0, "root may read all"))
  func unreadable() throws {
    try put(["a/x": archive, "b/x": archive])
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path("a"))
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path("a")) }
    let run = ToolRun("scan", folder.url.path)
    #expect(run.code == .unreadable && run.lines.count == 1)
  }

  @Test("names a file that may not be read, with the reason", .enabled(if: geteuid() != 0, "root may read all"))
  func unreadableFile() throws {
    try put(["a": archive])
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path("a"))
    let run = ToolRun("scan", folder.url.path)
    #expect(run.code == .unreadable)
    #expect(
      run.errors
        == "keyedarchive: \(folder.path("a")): cannot be read: Permission denied. Check the permissions of the file and its "
        + "folders\n")
  }

  /// Puts an archive at a name that is not valid UTF-8, and another one at the name that a lossy conversion would give.
  private func putInvalidName(_ bash: Program) throws {
    try put(["a\u{FFFD}.plist": archive])
    #expect(try bash.run(["-c", "cp \"$0\"/a*.plist \"$0\"/$'a\\377.plist'", folder.url.path]).code == 0)
  }

  @Test(
    "names a file whose name is not valid UTF-8, and reads no other in its place, in a folder and in a list",
    .enabled(if: bash != nil, "bash is not installed"))
  func invalidNames() throws {
    let bash = try #require(Self.bash)
    try putInvalidName(bash)
    let shown = folder.path("a\u{FFFD}.plist")
    let inFolder = ToolRun("scan", folder.url.path)
    #expect(inFolder.code == .unreadable && inFolder.lines.count == 1)
    #expect(inFolder.errors == "keyedarchive: \(shown): the name is not valid UTF-8. Rename it\n")
    let name = Data((folder.url.path + "/a").utf8) + [0xFF] + Data(".plist\n".utf8)
    let inList = ToolRun(["scan", "-"], input: name)
    #expect(inList.code == .unreadable && inList.output == "" && inList.errors == inFolder.errors)
  }

  @Test("--null requires a list")
  func nullWithoutList() {
    let run = ToolRun("scan", "--null", folder.url.path)
    #expect(run.code == .usage && run.errors.contains("'--null' requires the PLACE '-'"))
  }

  @Test("reads lists separated by line ends or zero bytes")
  func lists() throws {
    try put(["a": archive, "b\nc": archive, " d ": archive, "-": archive])
    let names = ["a", " d "].map { folder.path($0) }
    let lines = ToolRun(["scan", "-"], input: Data((names.joined(separator: "\n") + "\n\n").utf8))
    #expect(try files(lines) == ["a", " d "])
    let zeros = ToolRun(
      ["scan", "--null", "-"], input: Data((names + [folder.path("b\nc")]).joined(separator: "\0").utf8))
    #expect(try files(zeros) == ["a", " d ", "b\nc"] && zeros.lines.count == 3)
  }

  @Test("--nested finds archives in data, with their paths")
  func nested() throws {
    let state = Handmade.archive([
      ["blob": .uid(3), "$class": .uid(2)], Handmade.classRecord("State"), .data([UInt8](archive)),
    ])
    let list = HandmadeList.dictionary([
      ("windows", [["a key": .data([UInt8](state))], .data([1, 2, 3])]), ("same", .data([UInt8](archive))),
    ]).binary
    try put(["list.plist": list, "state.plist": state])
    #expect(try files(ToolRun("scan", folder.url.path)) == ["state.plist"])
    let run = ToolRun("scan", "--nested", folder.url.path)
    let found = try run.json.map {
      "\($0["file"] as? String == folder.path("list.plist")) \($0["inside"] as? String ?? "")"
    }
    #expect(
      found == [
        #"true windows[0]["a key"]"#, #"true windows[0]["a key"] > #3"#, "true same", "false ", "false #3",
      ])
    // The paths in archives are those of get.
    let inner = ToolRun("get", "--raw", folder.path("state.plist"), "#3")
    #expect(inner.data == archive)
  }

  @Test("recognizes huge files by their beginning and end", .notHanging)
  func huge() throws {
    for (name, start) in [
      ("zeros", ""), ("list", "bplist00"), ("archive", "bplist00$archiver"), ("text", "<?xml ?><html>"),
    ] {
      let path = try folder.file(name, Data(start.utf8))
      try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 1 << 40)
    }
    for options in [[], ["--nested"]] {
      let run = ToolRun(["scan", folder.url.path] + options)
      #expect(run.output == "" && run.errors.split(separator: "\n").count == 1)
      #expect(run.errors.contains("archive: invalid trailer: the file begins like a binary property list"))
    }
  }

  /// All files that are no valid archives, and a tenth of these; with `WHOLE_TESTS`, all.
  @Test("finds the archives of the corpus", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
  func corpus() throws {
    let valid = Sample.cases(Corpus.valid, each: 10)
    let names = Set(valid.map(\.name))
    for file in TestFile.all(below: Locations.shared?.appending(path: "corpus"))
    where names.contains(file.name) || !Self.validNames.contains(file.name) {
      try put([file.name: file.data()])
    }
    let run = ToolRun("scan", folder.url.path)
    let found = try files(run)
    #expect(Set(found).isSuperset(of: names))
    #expect(found == found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    // The corpus's invalid files are not archives or are reported; two are valid except for the archiver's name.
    let errors = run.errors.split(separator: "\n").count
    #expect(run.code == .notAnArchive && found.count - valid.count + errors <= Corpus.invalid.count)
  }

  private static let validNames = Set(Corpus.valid.map(\.name))

  // MARK: Many processes

  private static let program = Program.built("keyedarchive")
  private static let bash = Program.installed("bash")

  /// Runs a command line of the help page, with its folder for DIR.
  private func documented(_ start: String, _ end: String) throws -> [String] {
    let notes = ScanCommand.help.notes.joined(separator: "\n")
    let line = try #require(notes.components(separatedBy: start).dropFirst().first?.components(separatedBy: end).first)
    let bash = try #require(Self.bash)
    let path = try #require(Self.program).url.deletingLastPathComponent().path
    let run = try bash.run(
      ["-c", (start + line).replacing("DIR", with: "\"$0\""), folder.url.path],
      environment: ["PATH": "\(path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"])
    #expect(run.code == 0, "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init).sorted()
  }

  /// More files than one process of the documented command reads.
  private func putMany() throws -> [String] {
    try put(Dictionary(uniqueKeysWithValues: (0..<1200).map { ("\($0 % 10)/\($0)", archive) }))
    return ToolRun("scan", folder.url.path).lines.sorted()
  }

  @Test(
    "works with xargs and many processes", .notHanging,
    .enabled(
      if: program != nil && Program.installed("xargs") != nil, "xargs is not installed, or the program was not built"))
  func xargs() throws {
    let expected = try putMany()
    #expect(try documented("find DIR -type f -print0 | xargs", " ;") == expected && expected.count == 1200)
  }

  @Test(
    "works with GNU parallel", .notHanging,
    .enabled(if: program != nil && Program.installed("parallel") != nil, "GNU parallel is not installed"))
  func parallel() throws {
    let expected = try putMany()
    #expect(try documented("find DIR -type f | parallel", " ;") == expected)
  }

  @Test(
    "works with Spark's pipe", .notHanging,
    .enabled(if: program != nil && Program.installed("pyspark") != nil, "Spark is not installed"))
  func spark() throws {
    try put(["a": archive, "b": archive, "paths.txt": Data("\(folder.path("a"))\n\(folder.path("b"))\n".utf8)])
    let source = """
      from pyspark import SparkContext
      for line in SparkContext("local[2]").textFile("\(folder.path("paths.txt"))").pipe("\(Self.program?.url.path ?? "") scan -").collect():
          print(line)
      """
    let output = try String(decoding: Python.run(source), as: UTF8.self)
    #expect(
      output.split(separator: "\n").sorted()
        == ToolRun("scan", folder.path("a"), folder.path("b")).lines.map { $0[...] })
  }

  @Test(
    "answers a list item by item, as Spark's pipe requires",
    .enabled(if: program != nil && bash != nil, "bash is not installed, or the program was not built"))
  func conversation() throws {
    let path = try folder.file("a", archive)
    let script = """
      coproc "$0" scan -
      for i in 1 2 3; do echo "$1" >&${COPROC[1]}; read -r -t 20 line <&${COPROC[0]} || exit 9; echo "${#line}"; done
      """
    let run = try #require(Self.bash).run(["-c", script, try #require(Self.program).url.path, path])
    #expect(
      run.code == 0 && Set(run.output.split(separator: "\n")).count == 1 && run.output.split(separator: "\n").count == 3
    )
  }
}
