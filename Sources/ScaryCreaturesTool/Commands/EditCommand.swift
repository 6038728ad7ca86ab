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

/// `edit`: another name, rating or picture.
struct EditCommand: Command {
  static let help = CommandHelp(
    name: "edit", summary: "change a creature's title, rating or pictures", operands: [Numbers.operand],
    options: [
      Option("title", value: "TEXT", "the new name"), Ratings.option, Pictures.image, Pictures.thumb,
      Option("remove-images", "take both pictures away"), Library.option, .dryRun, .json,
    ],
    notes: [
      "Only the files that change are written. A new large picture gets a small one of its own, both in one step.",
      "Title and rating are changed in what is stored at that moment, so nobody else's change in between is lost.",
    ],
    examples: [.init(arguments: "edit 1 --title 'Old Ghost' --library ./creatures", meaning: "another name")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached, .notWritten])

  private let arguments: Arguments
  private let number: DocumentNumber
  private let rating: Float?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    number = try Numbers.parse(arguments.operands[0])
    rating = try arguments.value("rating").map { (text) throws(UsageError) in try Ratings.parse(text) }
    guard ["title", "rating", "image", "thumb", "remove-images"].contains(where: { arguments.has($0) }) else {
      throw UsageError("nothing to change", remedy: "Say --title, --rating, --image, --thumb or --remove-images")
    }
    if arguments.has("remove-images"), arguments.has("image") || arguments.has("thumb") {
      throw UsageError("'--remove-images' does not go with a picture")
    }
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let pictures = try Pictures(arguments, on: console)
      let database = try Library(arguments, on: console).open()
      let doc = try failing { try database.document(number) }
      guard !arguments.has(.dryRun) else {
        console.say("would change \(doc.docPath?.path ?? "")")
        return .fine
      }
      try failing {
        if let full = pictures.full { try doc.setFullImage(full) }
        if let thumb = pictures.thumb { try doc.setThumbImage(thumb) }
        if arguments.has("remove-images") {
          try doc.setFullImage(nil)
          try doc.setThumbImage(nil)
        }
        try doc.saveImages()
        guard arguments.has("title") || rating != nil else { return }
        try doc.edit { creature in
          if let title = arguments.value("title") { creature.title = title }
          if let rating { creature.rating = rating }
        }
      }
      try Reply.write(doc, json: json, on: console)
      return .fine
    }
  }
}
