// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The end of a run of the command `keyedarchive`.
package struct CommandRun: Sendable {
  /// The exit code.
  package let code: Int32
  /// The standard output.
  package let output: Data
  /// The standard error.
  package let errors: String

  /// Creates the end of a run.
  package init(code: Int32, output: Data, errors: String) {
    self.code = code
    self.output = output
    self.errors = errors
  }

  /// The standard output as text.
  var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs the command `keyedarchive` with arguments and a standard input: in the process of a test, or in its own.
package typealias CommandRunner = @Sendable (_ arguments: [String], _ input: Data) throws -> CommandRun

extension CorpusCheck {
  /// Checks of the command `keyedarchive`.
  ///
  /// - Parameter run: Runs the command.
  /// - Returns: The checks.
  package static func commands(_ run: @escaping CommandRunner) -> [CorpusCheck] {
    [
      described(run), shown(run), convertedBack(run), roundtripped(run), drawn(run), printedAlike(run), unchanged(run),
      generated(run),
    ]
  }

  /// The files of other writers than Apple's: two by a Python program with references wider than necessary, one XML
  /// file edited by hand (`<real>0.0</real>`), and one with unsorted keys.
  private static let notApples = [
    "parabolala.bpylist2__dataclass_archive", "parabolala.bpylist2__nsmutabledata_archive",
    "ronaldoussoren.pyobjc__GraphicsBindingsDocument", "google.santa__sync_eventupload_input_basic",
  ]

  private static func isApples(_ file: CorpusFile) -> Bool { !notApples.contains { file.name.contains($0) } }

  private static func described(_ run: @escaping CommandRunner) -> CorpusCheck {
    CorpusCheck(
      "has the properties in 'info' that another program found", counts: ["archives": 442...442], sampleStep: 12
    ) { file, folder, findings in
      let info = try run(["info", "--json", file.url.path], Data())
      let line = try JSONSerialization.jsonObject(with: info.output) as? [String: Any] ?? [:]
      let row = folder.table[file.name] ?? [:]
      findings.expect(info.code == 0 && info.errors.isEmpty, "\(file.name): \(info.errors)")
      findings.expect(
        line["format"] as? String == row["plist_format"] && line["archiver"] as? String == row["archiver"]
          && (line["objects"] as? Int).map(String.init) == row["objects_count"]
          && (line["classes"] as? [String]).map { String($0.count) } == row["distinct_classnames"]
          && (line["bytes"] as? Int).map(String.init) == row["bytes"]
          && line["cyclic"] as? Bool == row["has_cycle"].map { $0 == "1" },
        "\(file.name): \(info.text), \(row)")
      if !row.isEmpty { findings.count() }
    }
  }

  private static func shown(_ run: @escaping CommandRunner) -> CorpusCheck {
    CorpusCheck(
      "is shown by 'tree' without control characters, and by 'convert' as plain JSON", counts: ["archives": 442...442],
      sampleStep: 25
    ) { file, _, findings in
      let tree = try run(["tree", file.url.path], Data())
      let isInert = !tree.text.unicodeScalars.contains { $0 != "\n" && EscapedText.isHostile($0) }
      findings.expect(tree.code == 0 && !tree.output.isEmpty && isInert, "\(file.name): \(tree.errors)")
      let plain = try run(["convert", file.url.path, "--to", "json", "--plain"], Data())
      findings.expect(plain.code == 0 && !plain.output.isEmpty, "\(file.name), plain: \(plain.errors)")
      findings.count()
    }
  }

  private static func convertedBack(_ run: @escaping CommandRunner) -> CorpusCheck {
    CorpusCheck(
      "has the same bytes after 'convert' to JSON and back, or the command notes that it will not",
      counts: ["archives": 442...442, "others": 4...4], sampleStep: 25
    ) { file, _, findings in
      let json = try run(["convert", file.url.path, "--to", "json"], Data())
      findings.expect(
        json.code == 0 && json.errors.contains("note:") != isApples(file), "\(file.name): \(json.errors)")
      let format = file.name.hasSuffix(".xml") ? "xml" : "binary"
      let back = try run(["convert", "-", "--to", format], json.output)
      findings.expect(try (back.output == file.data()) == isApples(file), "\(file.name), back: \(back.errors)")
      findings.count()
      if !isApples(file) { findings.count("others") }
    }
  }

  /// None of these is an error code: every archive of the corpus is decoded.
  private static let reasons: Set = [
    "olderGeneration", "unreferencedObjects", "sharedObjects", "storedValues", "objectNumbers", "keyOrder",
    "sharedValues",
  ]

  private static func roundtripped(_ run: @escaping CommandRunner) -> CorpusCheck {
    CorpusCheck(
      "is preserved by 'roundtrip' unless another program than Apple's wrote it, and is rebuilt or has a reason",
      // The model of the corpus, another program for binary files only, predicts 129 of the same files.
      counts: ["archives": 442...442, "rebuilt": 129...Int.max], sampleStep: 16
    ) { file, _, findings in
      let found = try run(["roundtrip", "--json", file.url.path], Data())
      let line = try JSONSerialization.jsonObject(with: found.output) as? [String: Any] ?? [:]
      findings.expect(line["preserved"] as? Bool == isApples(file), "\(file.name): \(found.text)")
      let reason = (line["notRebuilt"] as? [String: Any])?["reason"] as? String
      if line["rebuilt"] as? Bool == true {
        if file.name.hasSuffix(".bplist") { findings.count("rebuilt") }
        findings.expect(reason == nil, "\(file.name): \(reason ?? "")")
      } else {
        findings.expect(reason.map { reasons.contains($0) } ?? false, "\(file.name): \(reason ?? "no reason")")
      }
      findings.count()
    }
  }

  private static func drawn(_ run: @escaping CommandRunner) -> CorpusCheck {
    CorpusCheck("is drawn by 'graph' in each form", counts: ["pictures": 1326...1326], sampleStep: 30) {
      file, _, findings in
      for form in ["html", "svg", "dot"] {
        let picture = try run(["graph", file.url.path, "--to", form], Data())
        findings.expect(
          picture.code == 0 && !picture.output.isEmpty
            && (picture.errors.isEmpty || picture.errors.contains("note: ")),
          "\(file.name) as \(form): \(picture.errors)")
        findings.count("pictures")
      }
    }
  }

  private static func printedAlike(_ run: @escaping CommandRunner) -> CorpusCheck {
    CorpusCheck(
      "is printed by 'textconv', with the same text after it is written again", counts: ["archives": 442...442],
      sampleStep: 25
    ) { file, _, findings in
      let text = try run(["textconv", file.url.path], Data())
      findings.expect(text.code == 0 && !text.output.isEmpty, "\(file.name): \(text.errors)")
      let archive = try KeyedArchive(file.data(), archivers: .any)
      let again = try run(["textconv", "-"], archive.propertyList.rewritten(as: archive.format))
      findings.expect(again.output == text.output, "\(file.name), written again")
      findings.count()
    }
  }

  private static func unchanged(_ run: @escaping CommandRunner) -> CorpusCheck {
    CorpusCheck("has no difference from itself in 'diff'", counts: ["archives": 442...442], sampleStep: 25) {
      file, _, findings in
      let difference = try run(["diff", file.url.path, file.url.path], Data())
      findings.expect(difference.code == 0 && difference.output.isEmpty, "\(file.name): \(difference.errors)")
      findings.count()
    }
  }

  private static func generated(_ run: @escaping CommandRunner) -> CorpusCheck {
    CorpusCheck(
      "has types and tests by 'generate' with at most 120 columns", counts: ["sources": 1326...1326], sampleStep: 30
    ) { file, _, findings in
      for options in [[], ["--test"], ["--namespace", "Old"]] {
        let source = try run(["generate", "--any-archiver", file.url.path] + options, Data())
        findings.expect(source.code == 0 && !source.output.isEmpty, "\(file.name) \(options): \(source.errors)")
        let long = source.text.split(separator: "\n").filter { $0.unicodeScalars.count > 120 }
        findings.expect(long.isEmpty, "\(file.name) \(options): \(long.prefix(3))")
        findings.count("sources")
      }
    }
  }
}
