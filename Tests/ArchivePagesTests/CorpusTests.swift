// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

extension ToolRun {
  /// Runs the tool.
  init(_ arguments: String..., input: Data = Data()) { self.init(.keyedarchive, arguments, input: input) }
}

@Suite("Archives of the corpus are drawn", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct CorpusTests {
  /// `archive-torture corpus` draws all valid archives, with the release build of the tool.
  @Test("in each form, alike each time", arguments: ["html", "svg", "dot"])
  func alike(form: String) throws {
    for file in Corpus.valid.prefix(5) {
      let (once, again) = (ToolRun("graph", file.url.path, "-t", form), ToolRun("graph", file.url.path, "-t", form))
      #expect(once.code == .fine && !once.data.isEmpty && once.data == again.data, "\(file.name)")
    }
  }

  @Test("the 12 invalid files are rejected, or drawn with their damage; the exit code is 4")
  func invalid() {
    for file in Corpus.invalid {
      for form in ["html", "svg", "dot"] {
        let run = ToolRun("graph", file.url.path, "--to", form)
        #expect(run.code == .notAnArchive, "\(file.name)")
        #expect(run.errors.hasPrefix("keyedarchive: \(file.url.path): "), "\(file.name)")
      }
      let page = ToolRun("graph", file.url.path, "--to", "html").output
      #expect(page.isEmpty || page.contains("<ul class=\"remarks\""), "\(file.name)")
    }
  }

  /// A sample of small archives; with `WHOLE_TESTS`, all valid ones.
  @Test("a page has a row for each line of the tree, and others only in data")
  func likeTheTree() throws {
    for file in Corpus.sample(every: 24) {
      let tree = ToolRun("tree", file.url.path).lines
      let archive = try Input(Arguments([], for: TreeCommand.help)).archive(file.data())
      let picture = try ArchivePicture(of: archive, named: file.name, byteCount: 1, path: nil, maximumRows: nil)
      var rows = Array(picture.outline.rows)
      if let first = rows.firstIndex(where: { $0.kind == .group }) { rows.removeSubrange(first...) }
      // Rows in data are deeper than its row.
      var isInData: Int?
      let outer = rows.filter { row in
        if let depth = isInData, row.depth > depth { return false }
        isInData = row.kind == .data ? row.depth : nil
        return true
      }
      #expect(outer.count == tree.count, "\(file.name)")
      for (row, line) in zip(outer, tree) {
        let isSame =
          // The tree quotes keys as key paths do.
          (line.contains("\(row.label.text): ") || line.contains("\"\(row.label.text)\": "))
          && (row.number.map { line.hasSuffix("#\($0)") } ?? true)
          && line.contains("↑") == (row.home != nil || row.text.contains("↑"))
        guard isSame else {
          Issue.record("\(file.name): \(line) \(row)")
          break
        }
      }
    }
  }
}
