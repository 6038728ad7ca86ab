// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

// Costs are times of one thread compared with each other, so a busy machine and a debug build change both sides alike.

@Suite("Long inline content that many containers share")
struct InlineContentTests {
  /// Where the content is in the archive.
  enum Position: CaseIterable, CustomTestStringConvertible {
    case objects, list, pairKeys, unreachable

    var testDescription: String { "\(self)" }
  }

  /// Adds a class with some objects or inline values that have the rows of contents, each in turn.
  private static func add(_ contents: [Int], _ count: Int, _ position: Position, to file: inout ArchiveFile) -> Int {
    let box = file.classUID("Box", "NSObject")
    let rows = (0..<count).map { contents[$0 % contents.count] }
    switch position {
    case .objects, .unreachable:
      let boxes = rows.map { file.object(row: file.fields(box, [("content", $0)])) }
      let list = file.row(.array(boxes.map { file.reference($0) }))
      let holder = file.object(row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", list)]))
      return position == .objects ? holder : file.object(row: file.fields(box, [("name", file.text("none"))]))
    case .list: return file.object(row: file.fields(box, [("list", file.row(.array(rows)))]))
    case .pairKeys:
      let values = (0..<count).map { number in
        file.reference(file.object(row: file.fields(box, [("number", file.row(.integer(number)))])))
      }
      let pairs = [("NS.keys", file.row(.array(rows))), ("NS.objects", file.row(.array(values)))]
      return file.object(row: file.fields(file.classUID("NSDictionary", "NSObject"), pairs))
    }
  }

  /// A file of about 40 kB, half of which is one content, or many short ones.
  private static func file(_ position: Position, isText: Bool, isShared: Bool) -> Data {
    var file = ArchiveFile()
    let count = 1000
    func row(_ text: String) -> Int { file.row(isText ? .string(text) : .bytes(Array(text.utf8))) }
    let contents =
      isShared
      ? [row(String(repeating: "long text ", count: 2000))] : (0..<count).map { row("a short text of \($0)") }
    let root = add(contents, count, position, to: &file)
    return file.data(root: root)
  }

  private static func edited(_ data: Data) throws -> KeyedArchive {
    var archive = try KeyedArchive(data)
    for index in 1..<archive.objectCount {
      let uid = ArchiveUID(rawValue: UInt32(index))
      try archive.setObject(uid, to: archive.object(uid))
    }
    return archive
  }

  private static let operations: [(name: String, run: @Sendable (Data) throws -> Void)] = [
    (
      "diff",
      { data in
        let differences = try KeyedArchive(data).differences(from: KeyedArchive(data))
        #expect(differences == [])
      }
    ),
    (
      "diff of an edited archive",
      { data in
        let differences = try edited(data).differences(from: KeyedArchive(data))
        #expect(differences == [])
      }
    ),
    ("audit", { data in _ = try ArchiveAudit(of: KeyedArchive(data)) }),
    (
      "migration of classes",
      { data in
        let migrated = try KeyedArchive(data).migrated(by: [.renameClass(ClassSelector("Box"), to: "Crate")])
        #expect(migrated.changes.count == 1)
      }
    ),
    (
      "migration of keys",
      { data in _ = try KeyedArchive(data).migrated(by: [.renameKey("content", to: "text", of: ClassSelector("Box"))]) }
    ),
  ]

  /// Commands that summarize data. They print texts, up to the output limit.
  private static let dataCommands = [["tree", "-"], ["textconv", "-"]]

  /// Checks that a byte of a file with shared content takes at most five times as long as one of a plain file.
  private static func compare(
    _ position: Position, isText: Bool, _ name: String, _ run: (Data) throws -> Void
  ) throws {
    let (hostile, plain) = (
      file(position, isText: isText, isShared: true), file(position, isText: isText, isShared: false)
    )
    let cost = try System.leastTime(of: 3) { try run(hostile) } / Double(hostile.count)
    let plainCost = try System.leastTime(of: 3) { try run(plain) } / Double(plain.count)
    #expect(cost < 5 * plainCost, "\(name): \(cost / plainCost) times as long")
  }

  /// Half of the contents, each with one operation; with `WHOLE_TESTS`, each with all.
  @Test(
    "is hashed and compared once by each operation", .notHanging, arguments: Position.allCases, [true, false])
  func operations(position: Position, isText: Bool) throws {
    let turn = 2 * (Position.allCases.firstIndex(of: position) ?? 0) + (isText ? 1 : 0)
    for (index, (name, run)) in Self.operations.enumerated() where Sample.includes(index + turn, each: 10) {
      try Self.compare(position, isText: isText, name, run)
    }
  }

  /// Each content with one command; with `WHOLE_TESTS`, with both.
  @Test("is summarized in a time that does not depend on its length", .notHanging, arguments: Position.allCases)
  func summaries(position: Position) throws {
    let turn = Position.allCases.firstIndex(of: position) ?? 0
    for (index, command) in Self.dataCommands.enumerated() where Sample.includes(index + turn, each: 2) {
      try Self.compare(position, isText: false, command[0]) { data in
        let code = ToolRun(command, input: data).code
        #expect(code == .fine)
      }
    }
  }

  @Test("keeps its row when objects that share it are edited")
  func rows() throws {
    let data = Self.file(.objects, isText: true, isShared: true)
    #expect(try Self.edited(data).data().count < 2 * data.count)
  }

  @Test("that is equal in two rows of each archive, or differs in its last byte, is compared exactly", .notHanging)
  func exact() throws {
    func file(_ texts: [String]) throws -> KeyedArchive {
      var file = ArchiveFile()
      let root = Self.add(texts.map { file.row(.string($0)) }, 100, .objects, to: &file)
      return try KeyedArchive(file.data(root: root))
    }
    let (long, other) = (String(repeating: "x", count: 1000), String(repeating: "x", count: 999) + "y")
    let archive = try file([long])
    #expect(try file([long, long]).differences(from: archive) == [])
    let differences = try file([long, other]).differences(from: archive)
    #expect(
      differences.count == 50
        && differences.allSatisfy { $0.kind == .changed && $0.new == .primitive(.string(other), nil) })
  }
}
