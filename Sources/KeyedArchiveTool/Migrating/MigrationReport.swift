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
    switch result.outcome {
    case .current: report(result, "current", "nothing to change")
    case .migrated where isUndo: report(result, "restored", isDry ? "would be restored" : "restored")
    case .migrated:
      report(result, "migrated", "\(isDry ? "would be migrated" : "migrated")\t\(Self.text(result.changes))")
    case .refused(let error):
      var refusal = Failure(error)
      if error.code == .unknownArchiver { refusal.remedy = Input.unknownArchiverRemedy }
      if error.code == .notAnArchive, let data = try? input.data(result.path, on: console),
        let list = try? PropertyList(data)
      {
        refusal.remedy = Input.remedy(forOtherList: list)
      }
      refuse(result.path, refusal, changes: result.changes, backup: result.backup)
    }
    for text in result.warnings { console.note("\(input.name(result.path)): \(text)", json: json) }
    return console.continues(changingFiles: !isDry)
  }

  /// Reports a refused file.
  mutating func refuse(
    _ file: String, _ failure: Failure, changes: [MigrationChange.Kind: Int] = [:], backup: String? = nil
  ) {
    worst = max(worst, failure.exit)
    console.report(failure, file: file, json: json)
    guard json else { return }
    writeJSON(file, "refused", changes, backup) { line in
      line.field("code", failure.code)
      line.field("reason", EscapedText.plain(failure.line))
    }
  }

  /// Reports the outcome of a file that was not refused.
  private mutating func report(_ result: FileMigrationResult, _ outcome: String, _ text: String) {
    if examined?.count == Self.maximumExamined { examined = nil }
    examined?.append(result.path)
    guard !json else { return writeJSON(result.path, outcome, result.changes, result.backup) { _ in } }
    let line = "\(EscapedText.plain(result.path))\t\(text)\n"
    guard isOnErrors else { return console.output.write(line) }
    console.errors.write(line)
    console.errors.flush()
  }

  private func writeJSON(
    _ file: String, _ outcome: String, _ changes: [MigrationChange.Kind: Int], _ backup: String?,
    _ more: (inout JSONWriter) -> Void
  ) {
    func write(_ line: inout JSONWriter) {
      line.source(file, input)
      line.field("outcome", outcome)
      line.key("changes")
      line.beginObject()
      for kind in MigrationChange.Kind.allCases {
        if let count = changes[kind] { line.field(kind.rawValue, count) }
      }
      line.endObject()
      if let backup { line.field("backup", backup) }
      more(&line)
    }
    if isOnErrors { console.sayJSON(write) } else { console.writeJSON(write) }
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
    guard isMany, console.continues(changingFiles: !isDry), !isQuiet || worst != .fine else { return }
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
