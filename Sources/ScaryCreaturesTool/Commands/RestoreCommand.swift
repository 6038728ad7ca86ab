// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

/// `restore`: creatures come back from the trash.
struct RestoreCommand: Command {
  static let help = CommandHelp(
    name: "restore", summary: "take creatures back from the trash, or list what is in it",
    operands: [
      .init(name: "NAME", meaning: "what the list calls it; nothing to list", repeats: true, isOptional: true)
    ],
    options: [Library.option, .dryRun, .json],
    notes: ["Each gets the number after the largest one."],
    examples: [.init(arguments: "restore --library ./creatures", meaning: "what is in the trash")],
    exitCodes: [.fine, .negative, .unreadable, .notWritten])

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let database = try Library(arguments, on: console).open()
      let names = try failing { try database.trash() }
      guard !arguments.operands.isEmpty else {
        for name in names {
          if json {
            console.writeJSON { $0.field("name", name) }
          } else {
            console.output.write(EscapedText.plain(name) + "\n")
          }
        }
        return .fine
      }
      return FileRun(console: console, json: json, noun: "name")(arguments.operands) { (name) throws(Failure) in
        guard names.contains(name) else {
          throw Failure(.negative, "notFound", "there is nothing of that name in the trash")
        }
        guard !arguments.has(.dryRun) else {
          console.say("would restore \(name)")
          return .fine
        }
        try Reply.write(try failing { try database.restore(name) }, json: json, on: console)
        return .fine
      }
    }
  }
}
