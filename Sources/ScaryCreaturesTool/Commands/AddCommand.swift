// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import ScaryCreatures

/// `add`: a new creature.
struct AddCommand: Command {
  static let help = CommandHelp(
    name: "add", summary: "add a creature, which gets the number after the largest one",
    operands: [.init(name: "TITLE", meaning: "its name; 'New Creature' if it is left out", isOptional: true)],
    options: [
      Ratings.option, Pictures.image, Pictures.thumb, Library.option, .dryRun, .json,
    ],
    notes: ["The creature appears whole: whoever looks sees all of it or nothing. Its number is printed."],
    examples: [
      .init(arguments: "add Ghost --rating 5 --library ./creatures", meaning: "a creature without a picture")
    ],
    exitCodes: [.fine, .unreadable, .limitReached, .notWritten])

  private let arguments: Arguments
  private let creature: ScaryCreatureData

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    creature = ScaryCreatureData(
      title: arguments.operands.first ?? "New Creature",
      rating: try arguments.value("rating").map { (text) throws(UsageError) in try Ratings.parse(text) } ?? 0)
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let pictures = try Pictures(arguments, on: console)
      let library = Library(arguments, on: console)
      if arguments.has(.dryRun) {
        let next = try failing {
          try (try? library.open()).map { try $0.nextScaryCreatureDocPath().path }
            ?? library.folder.appending(path: "1.\(ScaryCreatureData.folderExtension)").path
        }
        console.say("would make \(next)")
        return .fine
      }
      let database = try library.open(creating: true)
      let doc = try failing {
        try database.addCreature(
          title: creature.title, rating: creature.rating, thumbImage: pictures.thumb, fullImage: pictures.full)
      }
      try Reply.write(doc, json: json, on: console)
      return .fine
    }
  }
}
