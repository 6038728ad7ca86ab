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

struct EditCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "edit", summary: "change a creature's title, rating or images", operands: [Numbers.operand],
    options: [
      Option("title", value: "TEXT", "the new title"), Ratings.option, Pictures.image, Pictures.thumb,
      Option("remove-images", "remove both images"),
      Option("overwrite", "replace missing or damaged data by --title and --rating"), Library.option, .dryRun, .json,
    ],
    notes: [
      "Writes only changed files, in one atomic change. A new full image gets a new thumbnail.",
      "Changes by other processes in the meantime are kept.",
      "With --overwrite, a damaged data file stays in the creature's folder as '.Data.plist.damaged'. Valid data are edited "
        + "as without the option. 'repair' restores damaged data, and 'undo' undoes an edit.",
    ],
    examples: [.init(arguments: "edit 1 --title 'Old Ghost' --library ./creatures", meaning: "change the title")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments
  private let number: DocumentNumber
  private let rating: Float?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    number = try Numbers.parse(arguments.operands[0])
    rating = try arguments.value("rating").map { (text) throws(UsageError) in try Ratings.parse(text) }
    guard ["title", "rating", "image", "thumb", "remove-images"].contains(where: { arguments.has($0) }) else {
      throw UsageError("nothing to change", remedy: "Use --title, --rating, --image, --thumb or --remove-images")
    }
    if arguments.has("overwrite"), !arguments.has("title") {
      throw UsageError("'--overwrite' needs a title", remedy: "Pass --title TEXT")
    }
    if arguments.has("remove-images"), arguments.has("image") || arguments.has("thumb") {
      throw UsageError("'--remove-images' conflicts with '--image' and '--thumb'", remedy: "Use one or the other")
    }
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let pictures = try Pictures(arguments, on: console)
    let database = try Library(arguments, on: console).open()
    let doc = try failing { try database.document(number) }
    guard !arguments.has(.dryRun) else {
      try pictures.check()
      try failing { try checkData(of: doc) }
      let path = doc.docPath?.path ?? ""
      Reply.plan(Self.help, "change \(path)", json: json, on: console) { line in
        line.field("number", number.rawValue)
        line.field("path", path)
      }
      return .fine
    }
    var images: [String: Data?] = [:]
    for (image, bytes) in [(CreatureImage.full, pictures.full), (.thumb, pictures.thumb)] {
      if bytes != nil || arguments.has("remove-images") { images.merge(image.attachments(bytes)) { $1 } }
    }
    try pictures.failing {
      guard arguments.has("title") || rating != nil else {
        // Images alone do not need the data, which may be damaged.
        for (name, bytes) in images { try doc.setAttachment(name, to: bytes) }
        return try doc.saveImages()
      }
      if arguments.has("overwrite"), let title = arguments.value("title") {
        do {
          return try doc.repairData(with: ScaryCreatureData(title: title, rating: rating ?? 0), attachments: images)
        } catch let error as LibraryError where error.code == .changedElsewhere {
          // The data are valid, so they are edited.
        }
      }
      try doc.edit(attachments: images) { creature in
        if let title = arguments.value("title") { creature.title = title }
        if let rating { creature.rating = rating }
      }
    }
    Reply.write(doc, json: json, on: console)
    return .fine
  }

  /// Reads the data as the change does. A change of images alone and '--overwrite' accept damaged data, but not those of
  /// a newer version.
  private func checkData(of doc: ScaryCreatureDoc) throws {
    let isNeeded = (arguments.has("title") || rating != nil) && !arguments.has("overwrite")
    do {
      _ = try doc.data
    } catch let error as LibraryError where !isNeeded && error.code != .newerVersion {
      return
    }
  }
}

struct RateCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "rate", summary: "change a creature's rating",
    operands: [Numbers.operand, .init(name: "RATING", meaning: "0 to 5; 0 means not rated")],
    options: [Library.option, .dryRun, .json],
    examples: [.init(arguments: "rate 1 4 --library ./creatures", meaning: "rate a creature with four faces")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments
  private let number: DocumentNumber
  private let rating: Float

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    number = try Numbers.parse(arguments.operands[0])
    rating = try Ratings.parse(arguments.operands[1])
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let doc = try failing { try Library(arguments, on: console).open().document(number) }
    guard !arguments.has(.dryRun) else {
      _ = try failing { try doc.data }
      let path = doc.docPath?.path ?? ""
      Reply.plan(Self.help, "rate \(path) \(rating)", json: json, on: console) { line in
        line.field("number", number.rawValue)
        line.field("path", path)
        line.field("rating", rating)
      }
      return .fine
    }
    try failing { try doc.setRating(rating) }
    Reply.write(doc, json: json, on: console)
    return .fine
  }
}
