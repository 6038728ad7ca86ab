// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite(
  "The tool on the corpus", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct CorpusTests {
  enum Kind: String, CaseIterable {
    case binary = ".bplist"
    case xml = ".xml"

    func files(_ all: [TestFile]) -> [String] { all.filter { $0.name.hasSuffix(rawValue) }.map(\.url.path) }
  }

  /// The corpus's table, made by another program: the columns of each file by name.
  static let manifest: [String: [String: String]] = {
    guard let url = Locations.shared?.appending(path: "corpus/MANIFEST.tsv"),
      let text = try? String(contentsOf: url, encoding: .utf8)
    else { return [:] }
    let rows = text.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard let names = rows.first else { return [:] }
    return Dictionary(rows.dropFirst().map { ($0[0], Dictionary(uniqueKeysWithValues: zip(names, $0))) }) { a, _ in a }
  }()

  @Test("info accepts every valid archive and says what the corpus's table says of it", arguments: Kind.allCases)
  func info(kind: Kind) throws {
    let files = kind.files(Corpus.valid)
    let run = ToolRun(["info", "--json"] + files)
    #expect(run.code == .fine && run.lines.count == files.count && run.errors == "")
    for line in try run.json {
      let path = try #require(line["file"] as? String)
      let row = try #require(Self.manifest.first { path.hasSuffix($0.key) }?.value)
      #expect(line["format"] as? String == row["plist_format"], "\(path)")
      #expect(line["archiver"] as? String == row["archiver"], "\(path)")
      #expect((line["objects"] as? Int).map(String.init) == row["objects_count"], "\(path)")
      #expect((line["classes"] as? [String]).map { String($0.count) } == row["distinct_classnames"], "\(path)")
      #expect((line["bytes"] as? Int).map(String.init) == row["bytes"], "\(path)")
      #expect((line["cyclic"] as? Bool) == (row["has_cycle"] == "1"), "\(path)")
    }
  }

  @Test("the corpus is complete")
  func count() {
    #expect(Corpus.valid.count == 442 && Corpus.invalid.count == 12)
  }

  @Test("info refuses every invalid archive with exit code 4", arguments: Corpus.invalid)
  func refuses(file: TestFile) {
    let run = ToolRun("info", file.url.path)
    #expect(run.code == .notAnArchive && run.output == "")
    #expect(run.errors.hasPrefix("keyedarchive: \(file.url.path): "))
  }

  /// The files of other writers than Apple's: two by a Python program with references wider than necessary, one XML
  /// file edited by hand (`<real>0.0</real>`), and one with unsorted keys.
  static let notApples: [Kind: [String]] = [
    .binary: ["parabolala.bpylist2__dataclass_archive", "parabolala.bpylist2__nsmutabledata_archive"],
    .xml: ["ronaldoussoren.pyobjc__GraphicsBindingsDocument", "google.santa__sync_eventupload_input_basic"],
  ]

  private static func isApples(_ path: String, _ kind: Kind) -> Bool {
    !(notApples[kind] ?? []).contains { path.contains($0) }
  }

  /// None of these is an error code: every archive of the corpus is decoded.
  private static let reasons: Set = [
    "olderGeneration", "unreferencedObjects", "sharedObjects", "storedValues", "objectNumbers", "keyOrder",
    "sharedValues",
  ]

  @Test(
    "roundtrip preserves all archives but four of other writers, and rebuilds many or has a reason",
    arguments: Kind.allCases)
  func roundtrip(kind: Kind) throws {
    var count = 0
    for line in try ToolRun(["roundtrip", "--json"] + kind.files(Corpus.valid)).json {
      let path = try #require(line["file"] as? String)
      #expect(line["preserved"] as? Bool == Self.isApples(path, kind), "\(path)")
      let reason = (line["notRebuilt"] as? [String: Any])?["reason"] as? String
      if line["rebuilt"] as? Bool == true {
        count += 1
        #expect(reason == nil, "\(path)")
      } else {
        #expect(reason.map { Self.reasons.contains($0) } ?? false, "\(path): \(reason ?? "no reason")")
      }
    }
    // The corpus's model, another program for binary files only, predicts 129 of the same files.
    if kind == .binary { #expect(count >= 129) }
  }

  @Test("JSON and back gives the same bytes, or the tool has said that it will not", arguments: Kind.allCases)
  func json(kind: Kind) throws {
    for path in kind.files(Corpus.valid) {
      let json = ToolRun("convert", path, "--to", "json")
      #expect(json.code == .fine && json.errors.contains("note:") != Self.isApples(path, kind), "\(path)")
      let back = ToolRun("convert", "-", "--to", kind == .xml ? "xml" : "binary", input: json.data)
      let isSame = try back.data == Data(contentsOf: URL(filePath: path))
      #expect(isSame == Self.isApples(path, kind), "\(path)")
    }
  }

  @Test("every valid archive can be shown, as a tree and as plain JSON that Foundation reads", arguments: Kind.allCases)
  func shows(kind: Kind) throws {
    for path in kind.files(Corpus.valid) {
      let tree = ToolRun("tree", path)
      #expect(
        tree.code == .fine && !tree.output.unicodeScalars.contains { $0 != "\n" && EscapedText.isHostile($0) },
        "\(path)")
      let plain = ToolRun("convert", path, "--to", "json", "--plain")
      #expect(plain.code == .fine, "\(path) \(plain.errors)")
    }
  }
}
