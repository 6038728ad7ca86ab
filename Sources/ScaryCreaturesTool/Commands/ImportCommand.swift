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
      Option("keep-numbers", "keep the numbers of creatures of an exported file"),
      Library.option, .dryRun, .quiet, .json,
    ],
    notes: [
      "The source is not changed. Each creature gets the number after the largest one. Unreadable creatures are reported "
        + "and skipped. Images are copied unchanged, in any format.",
      "With --json, each line is an object with the keys schema, source, number and warnings.",
    ],
    examples: [
      .init(arguments: "import 'Private Documents' --library ./creatures", meaning: "import a library of 2010")
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached, .notWritten])

  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let library = try Library(arguments, on: console)
    return FileRun(console: console, json: json, noun: "source")(arguments.operands) { (source) throws(Failure) in
      if arguments.has(.dryRun) {
        // A trial import into memory finds all errors.
        let trial = try failing { try ScaryCreatureDatabase(in: MemoryStorage()) }
        return try importAll(of: source, into: trial, verb: "would be imported", on: console)
      }
      return try importAll(of: source, into: try library.open(creating: true), verb: "imported", on: console)
    }
  }

  private func importAll(
    of source: String, into database: ScaryCreatureDatabase, verb: String, on console: Console
  ) throws(Failure) -> ExitCode {
    let json = arguments.has(.json)
    let report = try failing { try imported(source, into: database, on: console) }
    for creature in report.documents {
      if json {
        console.writeJSON { line in
          line.field("source", creature.source)
          line.field("number", creature.number.rawValue)
          line.field("warnings", creature.warnings.map(\.code))
        }
      } else if !arguments.has(.quiet) {
        console.output.write("\(creature.number)\t\(verb)\t\(EscapedText.plain(creature.source))\n")
      }
      for warning in creature.warnings where !json { console.say("\(creature.source): note: \(warning)") }
    }
    var worst = ExitCode.fine
    for refusal in report.refused {
      let failure = Failure(any: refusal.error)
      console.report(failure, file: refusal.source, noun: "creature", json: json)
      worst = max(worst, failure.exit)
    }
    return worst
  }

  private func imported(
    _ source: String, into database: ScaryCreatureDatabase, on console: Console
  ) throws -> ImportReport {
    func refuseNumbers() throws {
      guard arguments.has("keep-numbers") else { return }
      throw Failure(
        .usage, "keepNumbers", "'--keep-numbers' works only with files from 'export'",
        remedy: "Omit it; each creature then gets the number after the largest one")
    }
    if source != "-", FileKind(source) == .folder {
      try refuseNumbers()
      return try database.importFolder(URL(filePath: source, directoryHint: .isDirectory))
    }
    let data = try InputFile.read(source, on: console)
    if data.starts(with: [0x50, 0x4B]) {
      return try database.importDocuments(from: data, keepingNumbers: arguments.has("keep-numbers"))
    }
    try refuseNumbers()
    return try database.importMacArchive(data)
  }
}
