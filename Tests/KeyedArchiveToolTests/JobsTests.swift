// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("--jobs", .notHanging)
struct JobsTests {
  private let folder: ScratchFolder
  private let archive: Data

  init() throws {
    folder = try ScratchFolder()
    archive = try Creature.pair()
  }

  /// Writes files of each kind into folders, and returns their parent folder.
  private func tree() throws -> String {
    let tree = folder.url.appending(path: "tree")
    let list = HandmadeList.dictionary([("x", .data([UInt8](archive))), ("y", .data([UInt8](archive.dropLast(9))))])
      .binary
    let chain = try Link.chain(40)
    for number in 0..<72 {
      let data =
        switch number % 6 {
        case 0: archive
        case 1: archive.dropLast(9)
        case 2: list
        case 3: Data("text, not an archive, with more than sixty bytes in its one line".utf8)
        case 4: chain
        default: Handmade.archive([["a": .uid(9), "$class": .uid(2)], Handmade.classRecord("Box")])
        }
      let url = tree.appending(path: "\(number % 7)/\(number)")
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: url)
    }
    return tree.path
  }

  // MARK: scan

  @Test(
    "scan prints the lines and the errors of one thread, in their order",
    arguments: [[], ["--nested"], ["--errors-as-records"], ["--json", "--nested"]])
  func scan(options: [String]) throws {
    let tree = try tree()
    let arguments = ["scan", tree, folder.path("absent"), "\(tree)/3"] + options
    let one = ToolRun(arguments)
    #expect(one.lines.count > 20 && one.code == (options == ["--errors-as-records"] ? .fine : .notAnArchive))
    for jobs in ["2", "5"] {
      let several = ToolRun(arguments + ["-j", jobs])
      #expect(several.data == one.data && several.errors == one.errors && several.code == one.code, "\(jobs)")
    }
  }

  @Test("scan reads a list with several threads, and puts its error after the files before it")
  func list() throws {
    let tree = try tree()
    let names = try FileManager.default.subpathsOfDirectory(atPath: tree).map { "\(tree)/\($0)" }.sorted()
    let input = Data((names + [String(repeating: "x", count: 5 << 20)]).joined(separator: "\n").utf8)
    let one = ToolRun("scan", "-", input: input)
    #expect(one.lines.count > 20 && one.errors.hasSuffix("or with zero bytes and --null\n"))
    let several = ToolRun("scan", "-", "-j", "3", input: input)
    #expect(several.data == one.data && several.errors == one.errors && several.code == one.code)
  }

  @Test("a file that nests deep is read with several threads as it is with one")
  func deep() throws {
    // The limit of depth is that of the format, not that of a thread's stack.
    for depth in [500, 600] {
      var list: HandmadeList = "end"
      for _ in 0..<depth { list = [list] }
      let path = try folder.file("deep\(depth)", Handmade.archive([list]))
      let one = ToolRun("scan", path)
      let two = ToolRun("scan", path, "-j", "2")
      #expect(two.data == one.data && two.errors == one.errors && two.code == one.code)
    }
  }

  @Test("shows the progress of several threads on a terminal, and erases it")
  func progress() throws {
    var shown = ""
    let errors = TextOutput(isTerminal: true) {
      shown += String(decoding: $0, as: UTF8.self)
      return .written
    }
    let tree = try tree()
    var lists = [[UInt8](Data("\(tree)\n".utf8)), [UInt8](Data("\(tree)\n".utf8))]
    let input = StandardInput(
      isTerminal: false,
      chunk: { () throws(Failure) in
        guard !lists.isEmpty else { return [] }
        // The first line is shown after half a second.
        if lists.count == 1 { Thread.sleep(forTimeInterval: 0.6) }
        return lists.removeFirst()
      }
    ) { Data() }
    let console = Console(
      tool: .keyedarchive, input: input, output: TextOutput(isTerminal: false) { _ in .written }, errors: errors,
      environment: ["TERM": "xterm"])
    _ = Tool.run(["scan", "-e", "-j", "2", "-"], on: console)
    #expect(shown.contains(" files, ") && shown.contains(" a second"))
    #expect(shown.hasSuffix("\r\u{1B}[K"))
  }

  // MARK: migrate

  @Test("migrate prints the lines of one thread in their order, and writes the same files")
  func migrate() throws {
    func run(_ name: String, _ jobs: String) throws -> (ToolRun, [String: Data]) {
      let tree = folder.url.appending(path: name)
      for number in 0..<50 {
        let data =
          number.isMultiple(of: 9)
          ? archive.dropLast(9)
          : Handmade.archive([["n": .integer(Int64(number)), "$class": .uid(2)], Handmade.classRecord("Old")])
        let url = tree.appending(path: "\(number % 3)/\(number)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
      }
      let run = ToolRun("migrate", "--rename-class", "Old=New", "--backup-suffix", "~", "-j", jobs, tree.path)
      var files: [String: Data] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: tree.path) {
        files[path] = try? Data(contentsOf: tree.appending(path: path))
      }
      return (run, files)
    }
    let one = try run("a", "1")
    #expect(one.0.lines.count == 44 && one.0.code == .notAnArchive && one.1.count == 50 + 44)
    for jobs in ["2", "5"] {
      let several = try run(jobs, jobs)
      let renamed = (old: "\(folder.url.path)/a/", new: "\(folder.url.path)/\(jobs)/")
      #expect(several.0.output == one.0.output.replacing(renamed.old, with: renamed.new))
      #expect(several.0.errors == one.0.errors.replacing(renamed.old, with: renamed.new))
      #expect(several.1 == one.1)
    }
  }

  // MARK: Usage

  @Test(
    "usage errors",
    arguments: [
      (["scan", "-j", "0", "x"], "invalid value '0' for '--jobs': expected a whole number from 1 to 256"),
      (["scan", "-j", "257", "x"], "invalid value '257' for '--jobs': expected a whole number from 1 to 256"),
      (["scan", "-j", "-1", "x"], "invalid value '-1' for '--jobs': expected a whole number from 1 to 256"),
      (["migrate", "--rename-class", "A=B", "-j", "x", "x"], "invalid value 'x' for '--jobs'"),
      (["migrate", "--undo", "old", "-j", "2", "x"], "'--undo' excludes '--jobs'"),
      (["migrate", "--derive", "-j", "2", "x", "y"], "'--derive' excludes '--jobs'"),
      (["validate", "-j", "2", "x"], "'--jobs' requires '--records'"),
    ])
  func usage(arguments: [String], message: String) {
    let run = ToolRun(arguments)
    #expect(run.code == .usage && run.errors.contains(message), "\(run.errors)")
  }
}
