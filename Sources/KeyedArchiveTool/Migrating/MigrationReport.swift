// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchiving
import PropertyListFormat

/// Reports the outcome of each file of a migration, and the totals.
struct MigrationReport {
  private let console: Console
  private let input: Input
  private let json: Bool
  private let isQuiet: Bool
  private let isDry: Bool
  private let isUndo: Bool
  private let isMany: Bool
  private let suffix: String?
  /// Whether standard output has the migrated archive, so that the results are on standard error.
  private let isOnErrors: Bool
  private let progress: ProgressLine
  private(set) var worst = ExitCode.fine
  /// The archives that were not refused, to look for classes and keys that no rule matched; nil if they are too many.
  private(set) var examined: [String]? = []
  /// The number of archives after which no note says that a rule matched nothing.
  static let maximumExamined = 10_000

  init(_ arguments: Arguments, _ input: Input, on console: Console) {
    self.console = console
    self.input = input
    json = arguments.has(.json)
    isQuiet = arguments.has(.quiet)
    isDry = arguments.has(.dryRun)
    isUndo = arguments.has("undo")
    suffix = arguments.value("backup-suffix")
    isOnErrors = arguments.value("output").map { OutputFile.stream($0) == 1 } ?? false
    isMany = arguments.operands.count > 1 || arguments.operands.contains { FileKind($0) == .folder }
    progress = ProgressLine(of: "archive", isQuiet: isQuiet, on: console)
  }

  /// Reports the outcome of a file.
  /// - Returns: Whether to continue.
  mutating func take(_ result: FileMigrationResult) -> Bool {
    progress.advance()
    var failure: Failure?
    if case .refused(let error) = result.outcome {
      var refusal = Input.failure(error)
      if error.code == .unknownArchiver { refusal.remedy = Input.unknownArchiverRemedy }
      if error.code == .notAnArchive, let data = try? input.data(result.path, on: console),
        let list = try? PropertyList(data)
      {
        refusal.remedy = Input.remedy(forOtherList: list)
      }
      failure = refusal
      worst = max(worst, refusal.exit)
      console.report(refusal, file: result.path, json: json)
    }
    if failure == nil {
      if examined?.count == Self.maximumExamined { examined = nil }
      examined?.append(result.path)
    }
    if json, isOnErrors {
      console.sayJSON { write(result, failure, to: &$0) }
    } else if json {
      console.writeJSON { write(result, failure, to: &$0) }
    } else {
      switch result.outcome {
      case .current: write("\(EscapedText.plain(result.path))\tnothing to change\n")
      case .migrated where isUndo:
        write("\(EscapedText.plain(result.path))\t\(isDry ? "would be restored" : "restored")\n")
      case .migrated:
        let verb = isDry ? "would be migrated" : "migrated"
        write("\(EscapedText.plain(result.path))\t\(verb)\t\(Self.text(result.changes))\n")
      case .refused: break
      }
    }
    for text in result.warnings { console.note("\(input.name(result.path)): \(text)", json: json) }
    return console.output.isOpen
  }

  private func write(_ line: String) {
    guard isOnErrors else { return console.output.write(line) }
    console.errors.write(line)
    console.errors.flush()
  }

  private func write(_ result: FileMigrationResult, _ failure: Failure?, to line: inout JSONWriter) {
    line.source(result.path, input)
    switch result.outcome {
    case .current: line.field("outcome", "current")
    case .migrated: line.field("outcome", isUndo ? "restored" : "migrated")
    case .refused: line.field("outcome", "refused")
    }
    line.key("changes")
    line.beginObject()
    for kind in MigrationChange.Kind.allCases {
      if let count = result.changes[kind] { line.field(kind.rawValue, count) }
    }
    line.endObject()
    if let backup = result.backup { line.field("backup", backup) }
    if let failure {
      line.field("code", failure.code)
      line.field("reason", EscapedText.plain(failure.line))
    }
  }

  private static func text(_ changes: [MigrationChange.Kind: Int]) -> String {
    MigrationChange.Kind.allCases.compactMap { kind in
      changes[kind].map { kind == .format ? "format" : "\(kind.rawValue) \($0)" }
    }.joined(separator: ", ")
  }

  func finish() { progress.finish() }

  /// Reports the totals.
  func finish(_ summary: FileMigrationSummary) {
    progress.finish()
    if summary.orphans > 0, !isQuiet, let suffix {
      let files = CountText.text(summary.orphans, "file")
      console.note(
        "left out \(files) with the backup suffix '\(suffix)' and no original beside. If they are archives, use another "
          + "suffix", json: json)
    }
    guard isMany, console.output.isOpen, !isQuiet || worst != .fine else { return }
    if json {
      console.sayJSON { line in
        line.key("summary")
        line.beginObject()
        line.field(isUndo ? "restored" : "migrated", summary.migrated)
        line.field("current", summary.current)
        line.field("refused", summary.refused)
        line.field("others", summary.others)
        line.field("links", summary.links)
        line.field("leftovers", summary.leftovers)
        line.field("exit", Int(worst.rawValue))
        line.endObject()
      }
    } else {
      var parts = [
        "\(summary.migrated) \(isUndo ? isDry ? "to restore" : "restored" : isDry ? "to migrate" : "migrated")",
        "\(summary.current) unchanged",
        "\(summary.refused) refused",
      ]
      if summary.others > 0 { parts.append("\(summary.others) other \(summary.others == 1 ? "file" : "files")") }
      if summary.links > 0 { parts.append(CountText.text(summary.links, "link") + " not followed") }
      if summary.leftovers > 0 { parts.append(CountText.text(summary.leftovers, "temporary file") + " removed") }
      console.say(parts.joined(separator: ", "))
    }
  }
}
