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

/// `migrate`: older data files are written anew.
struct MigrateCommand: Command {
  static let help = CommandHelp(
    name: "migrate", summary: "write data files of older layouts anew, securely",
    operands: [.init(name: "N", meaning: "creatures' numbers; all if none is given", repeats: true, isOptional: true)],
    options: [
      Option(
        "backup", short: "b", value: "DIR", kind: .folder, "keep each old file there, as DIR/N.scarycreature/Data.plist"
      ),
      Library.option, .dryRun, .quiet, .json,
    ],
    notes: [
      "Title and rating stay the same to the bit, pictures are not touched, dates stay. Each file is replaced in one step, "
        + "after the new one was read back. It can be stopped and run again at any time; a second run changes nothing.",
      "Programs from before the switch to secure coding read a migrated creature's rating as 0, without an error; export a "
        + "creature for them with 'export --to old'.",
      "With --json each line is an object with the keys schema, number, outcome (current, migrated or failed), layout (what "
        + "it was) and warnings; with --dry-run the outcome says what would be.",
    ],
    examples: [.init(arguments: "migrate --dry-run --library ./creatures", meaning: "what would be done")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached, .notWritten])

  private let arguments: Arguments
  private let numbers: [DocumentNumber]?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    numbers = arguments.operands.isEmpty ? nil : try Numbers.parse(arguments.operands)
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    let isDry = arguments.has(.dryRun)
    return reporting(on: console, json: json) { () throws(Failure) in
      let database = try Library(arguments, on: console).open()
      let total = try failing { try numbers?.count ?? database.contents().numbers.count }
      let progress = ProgressLine(of: "creature", total: total, isQuiet: arguments.has(.quiet), on: console)
      var counts = (current: 0, migrated: 0, failed: 0)
      var worst = ExitCode.fine
      try failing {
        try database.migrate(numbers, dryRun: isDry, keepOld: { try keep($0, $1) }) { result in
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
          return console.output.isOpen
        }
      }
      progress.finish()
      if !json, !arguments.has(.quiet) {
        let verb = isDry ? "to migrate" : "migrated"
        console.say("\(counts.migrated) \(verb), \(counts.current) already secure, \(counts.failed) failed")
      }
      return worst
    }
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

  /// Keeps an old file; an earlier one is never written over.
  private func keep(_ number: DocumentNumber, _ bytes: Data) throws {
    guard let backup = arguments.value("backup") else { return }
    let folder = URL(filePath: backup, directoryHint: .isDirectory)
      .appending(path: "\(number).\(ScaryCreatureData.folderExtension)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var file = folder.appending(path: ScaryCreatureData.dataFileName)
    var count = 1
    while FileManager.default.fileExists(atPath: file.path) {
      count += 1
      file = folder.appending(path: "Data \(count).plist")
    }
    try DurableFile.write(bytes, to: file)
  }
}
