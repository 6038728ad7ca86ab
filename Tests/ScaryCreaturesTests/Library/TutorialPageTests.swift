// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import ScaryCreatures
import TestSupport
import Testing

/// The calls of the tutorial's view controllers on the page "Coming from the tutorial".
@Suite("Calls of the tutorial's view controllers")
struct TutorialPageTests {
  /// A row of the page.
  private struct Row {
    var tutorial: String
    /// Nil if the tutorial's line compiles as it stands.
    var here: String?
    var reason: String

    static func all() throws -> [Row] {
      let page = "Sources/ScaryCreatures/ScaryCreatures.docc/ComingFromTheTutorial.md"
      let text = try String(contentsOf: Locations.package.appending(path: page), encoding: .utf8)
      return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        func code(_ cell: String) -> String { cell.trimmingCharacters(in: ["`"]) }
        return Row(
          tutorial: code(cells[0]), here: cells[1] == "as it stands" ? nil : code(cells[1]),
          reason: cells.count > 2 ? cells[2] : "")
      }
    }
  }

  /// A program with a function for each line, which starts at line 100 times the line's number.
  private func program(_ lines: [String]) -> String {
    var text = "import Foundation\nimport ScaryCreatures\n"
    for (index, line) in lines.enumerated() {
      let start = (index + 1) * 100
      text += String(repeating: "\n", count: start - text.count { $0 == "\n" } - 1)
      text += """
        func line\(index)(
          docs: [ScaryCreatureDoc], doc: ScaryCreatureDoc, text: String?, value: Float, png: Data
        ) throws {
          var docs = docs
          do {
            \(line)
          }
          docs = []
          _ = docs
        }

        """
    }
    return text
  }

  /// The numbers of the lines that a compiler's messages are about.
  private func lines(in errors: String) -> Set<Int> {
    Set(errors.matches(of: /\.swift:(\d+):\d+: error:/).compactMap { Int($0.output.1).map { $0 / 100 - 1 } })
  }

  @Test("have a line that compiles, and each that does not has a reason", .enabled(if: SwiftCompiler.isPresent))
  func compile() throws {
    let rows = try Row.all()
    #expect(rows.count == 13)
    // Variables of a line need not be used.
    func silent(_ line: String) -> String {
      guard let name = line.firstMatch(of: /^let (\w+) =/)?.output.1 else { return line }
      return "\(line); _ = \(name)"
    }
    #expect(try SwiftCompiler.errors(["page.swift": program(rows.map { silent($0.here ?? $0.tutorial) })]) == "")
    let changed = rows.indices.filter { rows[$0].here != nil }
    #expect(changed.allSatisfy { !rows[$0].reason.isEmpty })
    let errors = try SwiftCompiler.errors(["page.swift": program(rows.map { silent($0.tutorial) })])
    #expect(lines(in: errors) == Set(changed), "\(errors)")
  }

  #if os(Linux)
    @Test("run in one program, in the default library")
    func run() async throws {
      let room = try CreatureRoom()
      await #expect(processExitsWith: .success) { [path = room.folder.path as String] in
        _ = unsafe setenv("XDG_DATA_HOME", path, 1)
        let png = try Data(contentsOf: Locations.fixtures.appending(path: "png/rgb.png"))
        let (text, value): (String?, Float) = ("Ghost", 5)
        // page
        var docs = try ScaryCreatureDatabase.loadScaryCreatureDocs()
        let new = try ScaryCreatureDoc(title: "New Creature", rating: 0, thumbImage: nil, fullImage: nil)
        let next = try ScaryCreatureDatabase.nextScaryCreatureDocPath()
        try new.save()
        docs.append(new)
        #expect(new.docPath == next)
        let doc = docs.remove(at: 0)
        doc.title = text
        doc.rating = value
        #expect(doc.title == "Ghost" && doc.rating ?? 0 == 5)
        // Nothing is saved yet.
        #expect(try ScaryCreatureDatabase.loadScaryCreatureDocs().map(\.title) == ["New Creature"])
        try doc.saveData()
        try doc.setFullImage(png)
        try doc.saveImages()
        let saved = try #require(try ScaryCreatureDatabase.loadScaryCreatureDocs().first)
        #expect(saved.title == "Ghost" && saved.rating == 5)
        #expect(try saved.fullImage == png && saved.thumbImage != nil)
        try doc.deleteDoc()
        #expect(try ScaryCreatureDatabase.loadScaryCreatureDocs().isEmpty)
      }
      #expect(room.exists("ScaryCreatures/PrivateDocuments"))
    }
  #endif

  @Test("set a title and a rating without saving them, and never replace data that cannot be read")
  func properties() throws {
    let room = try CreatureRoom()
    let doc = try room.database().addCreature(title: "Ghost", rating: 5)
    doc.title = "Yeti"
    doc.rating = nil
    #expect(doc.hasChanges && doc.title == "Yeti" && doc.rating == 0)
    #expect(try room.database().document(1).data == ScaryCreatureData(title: "Ghost", rating: 5))
    try doc.save()
    #expect(try room.database().document(1).data == ScaryCreatureData(title: "Yeti", rating: 0))
    doc.rating = 6
    #expect(failure { try doc.saveData() } == .invalidValue)
    doc.revert()
    #expect(doc.rating == 0)
    // A document without data gets some.
    let empty = ScaryCreatureDoc(in: try room.database())
    #expect(empty.title == nil && empty.rating == nil)
    empty.title = "New"
    try empty.save()
    #expect(try room.database().document(2).data == ScaryCreatureData(title: "New", rating: 0))
    // A damaged one keeps them, also if they are readable again when they are saved.
    let bytes = try room.bytes("1.scarycreature/Data.plist")
    try room.plant("1.scarycreature/Data.plist", Data("damaged".utf8))
    let damaged = try room.database().document(1)
    damaged.title = "lost"
    damaged.discardCache()
    #expect(damaged.title == nil && !damaged.hasChanges)
    try room.plant("1.scarycreature/Data.plist", bytes)
    #expect(failure { try damaged.saveData() } == .unreadableArchive)
    try damaged.saveData()
    #expect(damaged.title == "Yeti")
    #expect(try room.bytes("1.scarycreature/Data.plist") == bytes)
    try damaged.deleteDoc()
    damaged.rating = 1
    #expect(damaged.rating == nil)
    #expect(failure { try damaged.save() } == .deleted)
  }
}
