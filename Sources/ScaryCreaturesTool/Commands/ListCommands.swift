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

struct ListCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "list", summary: "list creatures with rating, title, images, layout and date",
    options: [
      Option(
        "sort", short: "s", choices: CreatureQuery.Order.allCases.map(\.rawValue), "the sort order (default: number)"),
      Option("descending", short: "d", "sort in descending order"),
      Option("min-rating", short: "m", value: "0-5", "only creatures with at least this rating"),
      Option("title", value: "TEXT", "only titles that contain TEXT (ignores case)"),
      Option("limit", value: "COUNT", "the maximum number of creatures"),
      Option("offset", value: "COUNT", "the number of creatures to skip"),
      TerminalPictures.option, Library.option, .json, .color,
    ],
    notes: [
      "With --json, each line is an object with the keys schema, number, title, rating (null if it is not a number), "
        + "thumbImage, fullImage, layout, secure, modified, warnings and path.",
      "Unreadable creatures are reported on standard error.",
    ],
    examples: [
      .init(arguments: "list --library ./creatures", meaning: "list all creatures by number"),
      .init(
        arguments: "list --library ./creatures --sort rating --descending --limit 3",
        meaning: "list the three scariest creatures"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments
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

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    let contents = try failing { try database.contents() }
    var worst = ExitCode.fine
    func report(_ error: any Error, _ item: String) {
      let failure = Failure(any: error)
      console.report(failure, file: item, noun: "creature", json: json)
      worst = max(worst, failure.exit)
    }
    let pictures = TerminalPictures(arguments, on: console)
    var table = TextTable([
      .init("No.", isRightAligned: true, role: .number), .init("Scary"),
      .init("Title", isFlexible: true, role: .string),
      .init("Pictures"), .init("Secure"), .init("Modified", role: .dim),
    ])
    /// The creatures of the rows. Their images are read one by one when the rows are written.
    var pictured: [ScaryCreatureDoc] = []
    func show(_ doc: ScaryCreatureDoc, _ summary: DocumentSummary<ScaryCreatureData>) {
      guard let record = CreatureRecord(doc, summary) else { return }
      guard !json else { return console.writeJSON { record.write(to: &$0) } }
      table.add([
        "\(record.number)", record.faces, record.title, record.pictures, record.isSecure ? "yes" : record.layout,
        record.modifiedText,
      ])
      if pictures.areShown { pictured.append(doc) }
    }
    func picture(_ row: Int) -> String? {
      guard pictures.areShown else { return nil }
      let doc = pictured[row]
      // The image is not needed again.
      defer { doc.discardCache() }
      do {
        return try pictures.text(for: { try doc.thumbImage })
      } catch {
        report(error, doc.number.map { "\($0)" } ?? "")
        return nil
      }
    }
    try failing {
      try database.readCreatures(query, of: contents) { doc, summary in
        show(doc, summary)
      } unreadable: {
        report($0.error, "\($0.number)")
      }
    }
    table.write(to: console.output, style: Style(arguments.value("color"), on: console), before: picture)
    for problem in contents.problems {
      guard json else {
        console.say(problem.description)
        continue
      }
      console.sayJSON { $0.field("note", EscapedText.plain(problem.description)) }
    }
    return worst
  }
}

struct ShowCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "show", summary: "show all properties of creatures", operands: [Numbers.operands],
    options: [TerminalPictures.option, Library.option, .json, .color],
    examples: [.init(arguments: "show 1 --library ./creatures", meaning: "show one creature")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments
  /// Without duplicates.
  private let numbers: [DocumentNumber]

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    numbers = try Numbers.parse(arguments.operands)
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    return FileRun(console: console, json: json, noun: "creature")(numbers.map { "\($0)" }) {
      (text) throws(Failure) in
      guard let number = DocumentNumber(text) else { return .negative }
      let doc = try failing { try database.document(number) }
      guard let record = try failing({ try CreatureRecord(doc) }) else { return .negative }
      if json {
        console.writeJSON { record.write(to: &$0) }
      } else {
        let pictures = TerminalPictures(arguments, on: console)
        if let picture = try failing({ try pictures.text(for: { try doc.thumbImage }) }) {
          console.output.write(picture)
        }
        write(record, on: console)
      }
      return .fine
    }
  }

  private func write(_ record: CreatureRecord, on console: Console) {
    let style = Style(arguments.value("color"), on: console)
    var rows = [
      ("Number", "\(record.number)"), ("Title", record.title), ("Scary", "\(record.faces) (\(record.rating))"),
      ("Pictures", record.pictures), ("Layout", record.layout), ("Modified", record.modifiedText),
      ("Folder", record.path),
    ]
    rows += record.warnings.map { ("Warning", $0.detail) }
    for (name, value) in rows {
      let gap = String(repeating: " ", count: 10 - name.count)
      console.output.write(style(.key, name) + gap + EscapedText.plain(value) + "\n")
    }
  }
}

struct PathCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "path", summary: "print the folder of the library or of a creature",
    operands: [.init(name: "N", meaning: "the number of a creature (default: the library)", isOptional: true)],
    options: [Library.option, .json],
    examples: [.init(arguments: "path", meaning: "print the default library")],
    exitCodes: [.fine, .negative])

  let arguments: Arguments
  private let number: DocumentNumber?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    number = try arguments.operands.first.map { (text) throws(UsageError) in try Numbers.parse(text) }
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let library = try Library(arguments, on: console)
    var path = library.folder.path
    if let number { path = try failing { try library.open().document(number).docPath?.path } ?? path }
    if json {
      console.writeJSON { $0.field("path", path) }
    } else {
      console.output.write(EscapedText.plain(path) + "\n")
    }
    return .fine
  }
}
