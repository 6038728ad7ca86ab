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

struct ImportCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "import", summary: "import creatures from a file, another library or an old app",
    operands: [
      .init(
        name: "SOURCE",
        meaning:
          "a file from 'export', the folder of a library or of N.scarybug folders, or the preferences of the Mac app of "
          + "2015", repeats: true, kind: .file)
    ],
    options: [
      Option("keep-numbers", "restore a backup: keep the numbers, and restore the trash and all other files"),
      Library.option, .dryRun, .quiet, .json,
    ],
    notes: [
      "The source is not changed. Each creature gets the number after the largest one. Images are copied unchanged, in any "
        + "format.",
      "From a file of 'export' or a library, creatures with damaged data or images are imported as they are and named, and the exit code is 1. "
        + "Creatures that the library has already, with the same files, are skipped, so an interrupted import can be "
        + "repeated. Unreadable creatures of old apps are reported and skipped.",
      "With --json, each line is an object with the keys schema, source, number (null for other files), state (imported, "
        + "damaged, present or omitted) and warnings.",
    ],
    examples: [
      .init(arguments: "import 'Private Documents' --library ./creatures", meaning: "import a library of 2010")
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let library = try Library(arguments, on: console)
    let run = FileRun(console: console, json: json, noun: "source", changesFiles: !arguments.has(.dryRun))
    return run(arguments.operands) { (source) throws(Failure) in
      write(try failing { try imported(source, into: library, on: console) }, on: console)
    }
  }

  private func imported(_ source: String, into library: Library, on console: Console) throws -> ImportReport {
    if source != "-", FileKind(source) == .folder {
      try refuseNumbers()
      return try database(library).importFolder(
        try URL(argument: source, isFolder: true), dryRun: arguments.has(.dryRun))
    }
    switch try ExchangeFile(source, on: console) {
    case .backup(let backup):
      return try database(library).importCreatures(
        from: backup, keepingNumbers: arguments.has("keep-numbers"), dryRun: arguments.has(.dryRun))
    case .other(let data):
      try refuseNumbers()
      let database = try database(library)
      guard arguments.has(.dryRun) else { return try database.importMacArchive(data) }
      return try database.trial { try $0.importMacArchive(data) }
    }
  }

  private func refuseNumbers() throws {
    guard arguments.has("keep-numbers") else { return }
    throw Failure(
      .usage, "keepNumbers", "'--keep-numbers' works only with files from 'export'",
      remedy: "Omit it; each creature then gets the number after the largest one")
  }

  /// The library. A trial does not create it, and has one in memory instead.
  private func database(_ library: Library) throws -> ScaryCreatureDatabase {
    guard arguments.has(.dryRun) else { return try library.open(creating: true) }
    guard FileKind(library.folder.path) != .none else {
      return try ScaryCreatureDatabase(in: MemoryStorage())
    }
    return try library.open(sweeping: false)
  }

  private enum State: String {
    case imported, damaged, present, omitted

    func words(dryRun: Bool) -> String {
      switch self {
      case .imported: dryRun ? "would be imported" : "imported"
      case .damaged: dryRun ? "would be imported as it is" : "imported as it is"
      case .present: "present already"
      case .omitted: "omitted"
      }
    }
  }

  private func write(_ report: ImportReport, on console: Console) -> ExitCode {
    var worst = ExitCode.fine
    for creature in report.documents {
      let damages = [creature.damage].compactMap(\.self) + creature.damagedAttachments
      let state = damages.isEmpty ? State.imported : .damaged
      write(state, creature.source, creature.number, creature.warnings, on: console)
      for damage in damages {
        var failure = Failure(any: damage)
        failure.detail = "damaged, and imported as it is: \(failure.detail)"
        console.report(failure, file: creature.source, noun: "creature", json: arguments.has(.json))
        worst = max(worst, .negative)
      }
    }
    for entry in report.present { write(.present, entry.source, entry.number, on: console) }
    for name in report.others { write(.imported, name, nil, on: console) }
    for name in report.omitted { write(.omitted, name, nil, on: console) }
    if !report.omitted.isEmpty, !arguments.has(.json), !arguments.has("keep-numbers") {
      console.say("note: to restore also the trash and other files, pass --keep-numbers and an empty library")
    }
    for refusal in report.refused {
      let failure = Failure(any: refusal.error)
      console.report(failure, file: refusal.source, noun: "creature", json: arguments.has(.json))
      worst = max(worst, failure.exit)
    }
    return worst
  }

  private func write(
    _ state: State, _ source: String, _ number: DocumentNumber?, _ warnings: [DocumentWarning] = [],
    on console: Console
  ) {
    if arguments.has(.json) {
      console.writeJSON { line in
        line.field("source", source)
        line.field("number", number?.rawValue)
        line.field("state", state.rawValue)
        line.field("warnings", warnings.map(\.code))
      }
    } else if !arguments.has(.quiet) {
      let words = state.words(dryRun: arguments.has(.dryRun))
      console.output.write("\(number.map { "\($0)" } ?? "-")\t\(words)\t\(EscapedText.plain(source))\n")
    }
    for warning in warnings where !arguments.has(.json) { console.say("\(source): note: \(warning)") }
  }
}
