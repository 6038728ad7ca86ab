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

struct ExportCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "export", summary: "export creatures to a file, to a folder or as a table",
    operands: [Numbers.optional],
    options: [
      Option("all", short: "a", "all creatures"),
      Option(
        "to", choices: Target.allCases.map(\.rawValue),
        "the format (default: zip); 'zip': a file for 'import' and any ZIP tool; 'folder': a library; 'json', 'csv': "
          + "titles and ratings; 'old': a data file for programs without secure coding"),
      Option(
        "output", short: "o", value: "OUT", kind: .output,
        "the output; '-' is standard output (default for json and csv)"),
      Library.option, .dryRun, .force, .noInput, .quiet,
    ],
    notes: [
      "With '--all --to zip' the file is a backup of all of the library's folder: damaged creatures as they are, unknown "
        + "files, subfolders and the trash. Each entry that is damaged or cannot be read is named; the exit code is then 1. "
        + "'import --keep-numbers' restores the backup, and 'verify FILE' checks it. '--all --to folder' copies the same to "
        + "a new library, and the creatures alone to one that has creatures.",
      "Replaces an existing file only after confirmation, or with --force. An output inside the library is an error. A terminal "
        + "gets control characters in titles only with --force.",
    ],
    examples: [
      .init(arguments: "export --all -o backup.zip --library ./creatures", meaning: "back up the library"),
      .init(arguments: "export --all --to csv --library ./creatures", meaning: "export for a spreadsheet"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  private enum Target: String, CaseIterable {
    case zip, folder, json, csv, old
  }

  let arguments: Arguments
  private let numbers: [DocumentNumber]?
  private let target: Target
  private let output: String

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    target = arguments.value("to").flatMap(Target.init) ?? .zip
    guard arguments.has("all") || !arguments.operands.isEmpty else {
      throw UsageError("no creatures selected", remedy: "Pass numbers or --all")
    }
    guard !arguments.has("all") || arguments.operands.isEmpty else {
      throw UsageError("'--all' conflicts with numbers", remedy: "Use one or the other")
    }
    numbers = arguments.has("all") ? nil : try Numbers.parse(arguments.operands)
    if target == .old, numbers?.count != 1 {
      throw UsageError("'--to old' exports exactly one creature", remedy: "Pass one number")
    }
    guard let output = arguments.value("output") ?? (target == .json || target == .csv ? "-" : nil) else {
      throw UsageError("'--output' is missing", remedy: "Pass -o OUT")
    }
    if output == "-", target == .folder {
      throw UsageError("cannot write a folder to standard output", remedy: "Pass -o OUT")
    }
    self.output = output
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    if output != "-" { try OutputPlace(output).check(outside: database, isFolder: target == .folder) }
    if numbers == nil, target == .zip { return try backUp(database, on: console) }
    if numbers == nil, target == .folder, !arguments.has(.dryRun) { return try copyAll(of: database, on: console) }
    let docs = try failing { try numbers?.map { try database.document($0) } ?? database.loadScaryCreatureDocs() }
    if arguments.has(.dryRun) {
      console.say("would write \(CountText.text(docs.count, "creature")) to \(output)")
      return .fine
    }
    guard try mayReplace(on: console) else { return .negative }
    switch target {
    case .zip: return try writeContainer(docs, database, on: console)
    case .folder: return try writeFolders(docs, on: console)
    case .json: return try writeText(docs, on: console) { CreatureTable.json($0, schema: console.tool.schema) }
    case .csv: return try writeText(docs, on: console, heading: CreatureTable.heading) { CreatureTable.csv($0) }
    case .old:
      let bytes = try failing { try docs.first?.data?.archivedForOldReaders() ?? Data() }
      try OutputFile.write(bytes, to: output, isBinary: true, force: arguments.has(.force), on: console)
      console.say("note: programs with secure coding cannot read the rating of this file")
      return .fine
    }
  }

  /// Returns whether the output may be written. Only an existing file needs a confirmation: an open stream, such as
  /// `/dev/stdout`, is not replaced.
  private func mayReplace(on console: Console) throws(Failure) -> Bool {
    guard OutputFile.stream(output) == nil, FileKind(output) == .file, target != .folder else { return true }
    return try Confirmation(arguments, on: console)("Replace \(output)?")
  }

  private func backUp(_ database: ScaryCreatureDatabase, on console: Console) throws(Failure) -> ExitCode {
    let count = try failing { try database.contents().numbers.count }
    if arguments.has(.dryRun) {
      console.say("would write \(CountText.text(count, "creature")) to \(output)")
      return .fine
    }
    guard try mayReplace(on: console) else { return .negative }
    let progress = ProgressLine(of: "creature", total: count, isQuiet: arguments.has(.quiet), on: console)
    let file = try StreamedFile(output, force: arguments.has(.force), on: console)
    var problemCount = 0
    do {
      try database.backUpCreatures(to: { try file.write($0) }, progress: { progress.advance() }) { problem in
        problemCount += 1
        report(problem, missing: "not in the backup", on: console)
      }
      try file.finish()
    } catch {
      file.discard()
      throw Failure(any: error)
    }
    progress.finish()
    guard problemCount > 0 else { return .fine }
    console.say("\(CountText.text(problemCount, "problem")); all other entries of the library are in the backup")
    return .negative
  }

  private func report(_ problem: BackupProblem, missing: String, on console: Console) {
    var failure = Failure(problem.error)
    let state = problem.isIncluded ? "damaged, and saved as it is" : missing
    failure.detail = "\(state): \(failure.detail)"
    console.report(failure, file: EscapedText.plain(problem.name), noun: "entry")
  }

  /// Copies all of a library to another one: with the same numbers, the trash and other files, if that has no creatures.
  private func copyAll(of database: ScaryCreatureDatabase, on console: Console) throws(Failure) -> ExitCode {
    let count = try failing { try database.contents().numbers.count }
    let progress = ProgressLine(of: "creature", total: count, isQuiet: arguments.has(.quiet), on: console)
    var worst = ExitCode.fine
    let copy = try failing {
      let target = try ScaryCreatureDatabase(at: URL(argument: output, isFolder: true), creating: true)
      let isNew = try target.contents().numbers.isEmpty
      let spool = try BackupSpool()
      try database.backUpCreatures(only: !isNew, to: { try spool.write($0) }, progress: { progress.advance() }) {
        problem in
        worst = .negative
        report(problem, missing: "not in the copy", on: console)
      }
      let copy = try target.importBackup(spool.source(), keepingNumbers: isNew)
      progress.finish()
      for creature in copy.documents {
        Reply.write(try target.document(creature.number), json: false, on: console)
      }
      return copy
    }
    for refusal in copy.refused {
      let failure = Failure(any: refusal.error)
      console.report(failure, file: refusal.source, noun: "creature")
      worst = max(worst, failure.exit)
    }
    return worst
  }

  private func writeContainer(
    _ docs: [ScaryCreatureDoc], _ database: ScaryCreatureDatabase, on console: Console
  ) throws(Failure) -> ExitCode {
    let progress = ProgressLine(of: "creature", total: docs.count, isQuiet: arguments.has(.quiet), on: console)
    let file = try StreamedFile(output, force: arguments.has(.force), on: console)
    do {
      try database.export(docs.compactMap(\.number), to: { try file.write($0) }, progress: { progress.advance() })
      try file.finish()
    } catch {
      file.discard()
      throw Failure(any: error)
    }
    progress.finish()
    return .fine
  }

  private func writeFolders(_ docs: [ScaryCreatureDoc], on console: Console) throws(Failure) -> ExitCode {
    let target = try failing {
      try ScaryCreatureDatabase(at: URL(argument: output, isFolder: true), creating: true)
    }
    let items = docs.compactMap { $0.number.map { "\($0)" } }
    let docs = Dictionary(docs.compactMap { doc in doc.number.map { (BytewiseString("\($0)"), doc) } }) { $1 }
    return FileRun(console: console, json: false, noun: "creature", changesFiles: true)(items) {
      (text) throws(Failure) in
      guard let doc = docs[text] else { return .negative }
      Reply.write(try failing { try target.addCopy(of: doc) }, json: false, on: console)
      doc.discardCache()
      return .fine
    }
  }

  /// Writes a table. Unreadable creatures are reported and left out.
  private func writeText(
    _ docs: [ScaryCreatureDoc], on console: Console, heading: String = "", _ line: (CreatureRecord) -> String
  ) throws(Failure) -> ExitCode {
    var worst = ExitCode.fine
    var text = heading
    for doc in docs {
      do {
        guard let record = try CreatureRecord(doc) else { continue }
        text += line(record)
      } catch {
        let failure = Failure(any: error)
        console.report(failure, file: doc.number.map { "\($0)" }, noun: "creature")
        worst = max(worst, failure.exit)
      }
    }
    try OutputFile.write(Data(text.utf8), to: output, isBinary: false, force: arguments.has(.force), on: console)
    return worst
  }
}
