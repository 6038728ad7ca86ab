// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

/// `list`: the creatures in a table.
struct ListCommand: Command {
  static let help = CommandHelp(
    name: "list", summary: "list creatures: number, faces, title, pictures, whether the file is secure, date",
    options: [
      Option(
        "sort", short: "s", choices: CreatureQuery.Order.allCases.map(\.rawValue), "the order; 'number' if not given"),
      Option("descending", short: "d", "the other way round"),
      Option("min-rating", short: "m", value: "0-5", "only those that are at least so scary"),
      Option("title", value: "TEXT", "only those whose name contains this, small and capital letters alike"),
      Option("limit", value: "COUNT", "so many at most"),
      Option("offset", value: "COUNT", "leave so many out at the beginning"),
      TerminalPictures.option, Library.option, .json, .color,
    ],
    notes: [
      "With --json each line is an object with the keys schema, number, title, rating (null if it is no number), thumbImage, "
        + "fullImage, layout, secure, modified, warnings and path.",
      "A creature that cannot be read is reported on standard error and hides no other.",
    ],
    examples: [
      .init(arguments: "list --library ./creatures", meaning: "all, by their numbers"),
      .init(
        arguments: "list --library ./creatures --sort rating --descending --limit 3", meaning: "the three scariest"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  private let arguments: Arguments
  private let query: CreatureQuery

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    query = CreatureQuery(
      minimumRating: try arguments.value("min-rating").map { (text) throws(UsageError) in try Ratings.parse(text) },
      titleContains: arguments.value("title"),
      order: arguments.value("sort").flatMap { CreatureQuery.Order(exactly: $0) } ?? .number,
      descending: arguments.has("descending"), offset: try arguments.count("offset") ?? 0,
      limit: try arguments.count("limit"))
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let database = try Library(arguments, on: console).open()
      let (docs, unreadable) = try failing { try database.creatures(query) }
      var worst = ExitCode.fine
      func report(_ error: any Error, _ item: String) {
        let failure = Failure(any: error)
        console.report(failure, file: item, noun: "creature", json: json)
        worst = max(worst, failure.exit)
      }
      for creature in unreadable { report(creature.error, "\(creature.number)") }
      let pictures = TerminalPictures(arguments, on: console)
      var table = TextTable([
        .init("No.", isRightAligned: true, role: .number), .init("Scary"),
        .init("Title", isFlexible: true, role: .string),
        .init("Pictures"), .init("Secure"), .init("Modified", role: .dim),
      ])
      for doc in docs {
        do {
          guard let record = try CreatureRecord(doc) else { continue }
          if json {
            console.writeJSON { record.write(to: &$0) }
          } else {
            if let picture = pictures.text(for: try doc.thumbImage) { console.output.write(picture) }
            table.add([
              "\(record.number)", record.faces, record.title, record.pictures, record.isSecure ? "yes" : record.layout,
              record.modifiedText,
            ])
          }
        } catch {
          report(error, doc.number.map { "\($0)" } ?? "")
        }
        // What was read is not needed again.
        doc.discardCache()
      }
      table.write(to: console.output, style: Style(arguments.value("color"), on: console))
      for problem in try failing({ try database.contents() }).problems where !json { console.say(problem.description) }
      return worst
    }
  }
}
