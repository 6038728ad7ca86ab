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

/// `rate`: another rating.
struct RateCommand: Command {
  static let help = CommandHelp(
    name: "rate", summary: "say how scary a creature is",
    operands: [Numbers.operand, .init(name: "RATING", meaning: "0 to 5; 0 is 'not rated'")],
    options: [Library.option, .dryRun, .json],
    examples: [.init(arguments: "rate 1 4 --library ./creatures", meaning: "four faces")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached, .notWritten])

  private let arguments: Arguments
  private let number: DocumentNumber
  private let rating: Float

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    number = try Numbers.parse(arguments.operands[0])
    rating = try Ratings.parse(arguments.operands[1])
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let doc = try failing { try Library(arguments, on: console).open().document(number) }
      guard !arguments.has(.dryRun) else {
        console.say("would rate \(doc.docPath?.path ?? "") \(rating)")
        return .fine
      }
      try failing { try doc.setRating(rating) }
      try Reply.write(doc, json: json, on: console)
      return .fine
    }
  }
}
