// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import Foundation
import ScaryCreatures
import TestSupport
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

@Suite("scarycreatures: output whose reader has gone")
struct ClosedOutputTests {
  private let scratch: Scratch

  /// A library of four creatures.
  init() throws {
    scratch = try Scratch()
    for title in ["Ghost", "Bat", "Yeti", "Kraken"] {
      try scratch.database().addCreature(title: title, rating: 1, fullImage: picture(30, 20))
    }
  }

  /// Runs the tool, whose first output finds that the reader has gone. The error of a creature writes the output before it.
  private func run(_ arguments: String...) -> ToolRun {
    ToolRun(.scaryCreatures, arguments, environment: [Library.variable: scratch.library], outcome: .closed)
  }

  private func numbers() throws -> [DocumentNumber] { try scratch.database().contents().numbers }

  @Test("delete, restore and trash empty process all creatures")
  func deleting() throws {
    #expect(run("delete", "--trash", "--dry-run", "1", "9", "2", "3", "--json").code == .negative)
    let trashed = run("delete", "--trash", "--force", "--json", "1", "9", "2", "3")
    #expect(trashed.code == .negative && trashed.errors.contains("summary"), "\(trashed.errors)")
    #expect(try numbers() == [4])
    #expect(run("restore", "1", "9", "2", "3").code == .negative)
    #expect(try numbers() == [1, 2, 3, 4])
    #expect(run("delete", "--force", "--json", "1", "9", "2", "3").code == .negative)
    #expect(try numbers() == [4])
    // Each of these titles is more than the output holds back.
    for number in 5...7 {
      try scratch.database().addCreature(title: String(repeating: "Ghost \(number)", count: 20_000), rating: 1)
    }
    #expect(run("delete", "--trash", "--force", "5", "6", "7").code == .fine)
    #expect(run("trash", "empty", "--force", "--json").code == .fine)
    #expect(try scratch.database().trashedDocuments().isEmpty)
  }

  @Test("undo undoes all changes")
  func undoing() throws {
    for number in [1, 2, 3] as [DocumentNumber] { try scratch.database().document(number).setRating(5) }
    #expect(run("undo", "1", "4", "2", "3").code == .negative)
    for number in [1, 2, 3] as [DocumentNumber] { #expect(try scratch.database().document(number).data?.rating == 1) }
  }

  @Test("migrate converts all data files")
  func migrating() throws {
    for number in [1, 3, 4] {
      _ = try scratch.file("library/\(number).scarycreature/Data.plist", insecure("Old", 2.5))
    }
    _ = try scratch.file("library/2.scarycreature/Data.plist", Data("damaged".utf8))
    #expect(run("migrate", "--json").code == .notAnArchive)
    for number in [1, 3, 4] as [DocumentNumber] {
      #expect(try scratch.database().document(number).stored?.isCurrent == true)
    }
  }

  @Test("repair makes all thumbnails")
  func repairing() throws {
    for number in 1...4 {
      try FileManager.default.removeItem(atPath: scratch.path("library/\(number).scarycreature/thumbImage.png"))
    }
    _ = try scratch.file("library/2.scarycreature/fullImage.png", Data("damaged".utf8))
    _ = try scratch.file("library/2.scarycreature/Data.plist", Data("damaged".utf8))
    #expect(run("repair").code != .fine)
    for number in [1, 3, 4] as [DocumentNumber] {
      #expect(try scratch.database().document(number).thumbImage != nil, "\(number)")
    }
  }

  @Test("import imports all sources")
  func importing() throws {
    let (first, last) = (try Scratch(), try Scratch())
    for (source, title) in [(first, "First"), (last, "Last")] { try source.database().addCreature(title: title) }
    #expect(run("import", first.library, scratch.path("missing"), last.library).code == .unreadable)
    #expect(try scratch.database().loadScaryCreatureDocs().last?.data?.title == "Last")
  }
}
