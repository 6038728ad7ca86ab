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

/// `samples`: the seven creatures of the tutorial.
struct SamplesCommand: Command {
  static let help = CommandHelp(
    name: "samples", summary: "add the seven sample creatures, with pictures",
    options: [Library.option, .dryRun, .quiet, .json],
    notes: ["They are added each time this is asked for, and never otherwise."],
    examples: [.init(arguments: "samples --library ./creatures", meaning: "something to begin with")],
    exitCodes: [.fine, .notWritten])

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let library = Library(arguments, on: console)
      guard !arguments.has(.dryRun) else {
        console.say("would add \(CountText.text(SampleCreature.allCases.count, "creature")) to \(library.folder.path)")
        return .fine
      }
      let database = try library.open(creating: true)
      let progress = ProgressLine(
        of: "creature", total: SampleCreature.allCases.count, isQuiet: arguments.has(.quiet), on: console)
      for sample in SampleCreature.allCases {
        try Reply.write(try failing { try database.addSample(sample) }, json: json, on: console)
        progress.advance()
      }
      progress.finish()
      return .fine
    }
  }
}
