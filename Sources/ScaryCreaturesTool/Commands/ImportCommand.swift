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

/// `import`: creatures from elsewhere.
struct ImportCommand: Command {
  static let help = CommandHelp(
    name: "import", summary: "add the creatures of other libraries, old ones too",
    operands: [
      .init(
        name: "SOURCE",
        meaning:
          "a file that 'export' made, a library's folder, a folder of N.scarybug folders, or the preferences of the "
          + "Mac app of 2015", repeats: true, kind: .file)
    ],
    options: [
      Option("keep-numbers", "give creatures of a file by 'export' the numbers they had, which must be free"),
      Library.option, .dryRun, .quiet, .json,
    ],
    notes: [
      "The source is not changed. Each creature appears whole, with the number after the largest one. One that cannot be "
        + "read is reported and hides no other. Pictures are taken over as they are, whatever their format.",
      "With --json each line is an object with the keys schema, source, number and warnings.",
    ],
    examples: [.init(arguments: "import 'Private Documents' --library ./creatures", meaning: "a library of 2010")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached, .notWritten])

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let library = Library(arguments, on: console)
      return FileRun(console: console, json: json, noun: "source")(arguments.operands) { (source) throws(Failure) in
        if arguments.has(.dryRun) {
          // Into memory, which shows all that would go wrong.
          let trial = try failing { try ScaryCreatureDatabase(in: MemoryStorage()) }
          return try take(source, into: trial, verb: "would be imported", on: console)
        }
        return try take(source, into: try library.open(creating: true), verb: "imported", on: console)
      }
    }
  }

  private func take(
    _ source: String, into database: ScaryCreatureDatabase, verb: String, on console: Console
  ) throws(Failure) -> ExitCode {
    let json = arguments.has(.json)
    let report = try failing { try imported(source, into: database, on: console) }
    for creature in report.creatures {
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
  ) throws -> CreatureImport {
    func refuseNumbers() throws {
      guard arguments.has("keep-numbers") else { return }
      throw Failure(
        .usage, "keepNumbers", "'--keep-numbers' is for files that 'export' made",
        remedy: "Leave it out; each creature gets the number after the largest one")
    }
    if source != "-", FileKind(source) == .folder {
      try refuseNumbers()
      return try database.importFolder(URL(filePath: source, directoryHint: .isDirectory))
    }
    let data = try InputFile.read(source, on: console)
    if data.starts(with: [0x50, 0x4B]) {
      return try database.importContainer(data, keepingNumbers: arguments.has("keep-numbers"))
    }
    try refuseNumbers()
    return try database.importMacArchive(data)
  }
}
