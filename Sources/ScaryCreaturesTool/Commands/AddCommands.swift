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

struct AddCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "add", summary: "add a creature with the next number",
    operands: [.init(name: "TITLE", meaning: "the title (default: 'New Creature')", isOptional: true)],
    options: [
      Option("title", value: "TEXT", "the title, as in 'edit'; instead of TITLE"), Ratings.option, Pictures.image,
      Pictures.thumb, Library.option, .dryRun, .json,
    ],
    notes: ["Prints the number and the folder of the new creature. The creature appears completely or not at all."],
    examples: [
      .init(arguments: "add Ghost --rating 5 --library ./creatures", meaning: "add a creature without images")
    ],
    exitCodes: [.fine, .unreadable, .limitReached])

  let arguments: Arguments
  private let creature: ScaryCreatureData

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    if let title = arguments.operands.first, arguments.has("title") {
      throw UsageError("found two titles: '\(title)' and '--title'", remedy: "Use one or the other")
    }
    creature = ScaryCreatureData(
      title: arguments.operands.first ?? arguments.value("title") ?? "New Creature",
      rating: try arguments.value("rating").map { (text) throws(UsageError) in try Ratings.parse(text) } ?? 0)
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let pictures = try Pictures(arguments, on: console)
    let library = try Library(arguments, on: console)
    if arguments.has(.dryRun) {
      try pictures.check()
      // A trial does not create the library.
      var next = library.folder.appending(path: "1.\(ScaryCreatureData.folderExtension)").path
      if FileKind(library.folder.path) != .none {
        let database = try library.open(creating: true, sweeping: false)
        next = try failing { try database.nextScaryCreatureDocPath().path }
      }
      Reply.plan(Self.help, "add \(next)", json: json, on: console) { $0.field("path", next) }
      return .fine
    }
    let database = try library.open(creating: true)
    let doc = try pictures.failing {
      try database.addCreature(
        title: creature.title, rating: creature.rating, thumbImage: pictures.thumb, fullImage: pictures.full)
    }
    Reply.write(doc, json: json, on: console)
    return .fine
  }
}

struct SamplesCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "samples", summary: "add the seven sample creatures with images",
    options: [Library.option, .dryRun, .quiet, .json],
    notes: ["Each run adds them again. No other command adds them."],
    examples: [.init(arguments: "samples --library ./creatures", meaning: "fill a new library")],
    exitCodes: [.fine])

  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let library = try Library(arguments, on: console)
    guard !arguments.has(.dryRun) else {
      let text = "add \(CountText.text(SampleCreature.allCases.count, "creature")) to \(library.folder.path)"
      Reply.plan(Self.help, text, json: json, on: console) { line in
        line.field("creatures", SampleCreature.allCases.count)
        line.field("path", library.folder.path)
      }
      return .fine
    }
    let database = try library.open(creating: true)
    let progress = ProgressLine(
      of: "creature", total: SampleCreature.allCases.count, isQuiet: arguments.has(.quiet), on: console)
    for sample in SampleCreature.allCases {
      Reply.write(try failing { try database.addSample(sample) }, json: json, on: console)
      progress.advance()
    }
    progress.finish()
    return .fine
  }
}
