// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

struct MigrateCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "migrate", summary: "convert data files of older layouts to secure coding",
    operands: [.init(name: "N", meaning: "numbers of creatures (default: all)", repeats: true, isOptional: true)],
    options: [
      Option(
        "backup", short: "b", value: "DIR", kind: .folder, "copy each old file to DIR/N.scarycreature/Data.plist"
      ),
      Library.option, .dryRun, .quiet, .json,
    ],
    notes: [
      "Titles and ratings keep their values exactly; images and dates do not change. A rating that the new layout cannot hold, "
        + "such as 3.3 as an 8-byte real, is an error, and its file stays unchanged. Each new file is read back before it "
        + "replaces the old one. An interrupted migration can be repeated.",
      "Programs without secure coding read a migrated creature's rating as 0, without an error. Use 'export --to old' for "
        + "them.",
      "With --json, each line is an object with the keys schema, number, outcome (current, migrated or failed), layout "
        + "(the old one) and warnings. With --dry-run, the outcome is the expected one.",
    ],
    examples: [
      .init(arguments: "migrate --dry-run --library ./creatures", meaning: "show the changes without making them")
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments
  private let numbers: [DocumentNumber]?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    numbers = arguments.operands.isEmpty ? nil : try Numbers.parse(arguments.operands)
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let isDry = arguments.has(.dryRun)
    let database = try Library(arguments, on: console).open()
    let backup = arguments.value("backup")
    if let backup { try OutputPlace(backup).check(outside: database, isFolder: true) }
    let oldFiles = isDry ? nil : try backup.map { (path) throws(Failure) in try OldFiles(path) }
    let total = try failing { try numbers?.count ?? database.contents().numbers.count }
    let progress = ProgressLine(of: "creature", total: total, isQuiet: arguments.has(.quiet), on: console)
    var counts = (current: 0, migrated: 0, failed: 0)
    var worst = ExitCode.fine
    try failing {
      try database.migrate(numbers, dryRun: isDry, keepOld: { try oldFiles?.keep($0, $1) }) { result in
        progress.advance()
        switch result.outcome {
        case .alreadyCurrent: counts.current += 1
        case .migrated: counts.migrated += 1
        case .failed(let error):
          counts.failed += 1
          let failure = Failure(any: error)
          console.report(failure, file: "\(result.number)", noun: "creature", json: json)
          worst = max(worst, failure.exit)
        }
        write(result, json: json, on: console)
        return console.continues(changingFiles: !isDry)
      }
    }
    progress.finish()
    if !json, !arguments.has(.quiet) {
      let verb = isDry ? "to migrate" : "migrated"
      console.say("\(counts.migrated) \(verb), \(counts.current) already secure, \(counts.failed) failed")
    }
    return worst
  }

  private func write(_ result: MigrationResult, json: Bool, on console: Console) {
    let outcome: String
    switch result.outcome {
    case .alreadyCurrent: outcome = "current"
    case .migrated: outcome = "migrated"
    case .failed: outcome = "failed"
    }
    if json {
      console.writeJSON { line in
        line.field("number", result.number.rawValue)
        line.field("outcome", outcome)
        line.field("layout", result.layout ?? "")
        line.field("warnings", result.warnings.map(\.code))
      }
    } else if case .migrated = result.outcome, !arguments.has(.quiet) {
      let verb = arguments.has(.dryRun) ? "would be migrated" : "migrated"
      console.output.write("\(result.number)\t\(verb)\t\(EscapedText.plain(result.layout ?? ""))\n")
    }
  }
}
