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

struct RestoreCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "restore", summary: "restore creatures from the trash, or list the trash",
    operands: [
      .init(
        name: "NAME", meaning: "names from the list, or numbers (default: print the list)", repeats: true,
        isOptional: true)
    ],
    options: [Library.option, .dryRun, .json],
    notes: [
      "Each creature gets its number back if that is free, or else the number after the largest one. The output has the "
        + "number; with --json, formerNumber is the one that the creature had."
    ],
    examples: [
      .init(arguments: "restore --library ./creatures", meaning: "list the trash"),
      .init(arguments: "restore 7 --library ./creatures", meaning: "restore the creature that had number 7"),
    ],
    exitCodes: [.fine, .negative, .unreadable])

  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    let trashed = try failing { try database.trashedDocuments() }
    guard !arguments.operands.isEmpty else {
      for name in trashed.map(\.name) {
        if json {
          console.writeJSON { $0.field("name", name) }
        } else {
          console.output.write(EscapedText.plain(name) + "\n")
        }
      }
      return .fine
    }
    let run = FileRun(console: console, json: json, noun: "name", changesFiles: !arguments.has(.dryRun))
    return run(arguments.operands) { (text) throws(Failure) in
      let former = try Self.find(text, in: trashed)
      let name = former.name
      guard !arguments.has(.dryRun) else {
        Reply.plan(Self.help, "restore \(name)", json: json, on: console) { $0.field("name", name) }
        return .fine
      }
      let doc = try failing { try database.restore(former) }
      Reply.write(doc, json: json, on: console) { line in
        if let number = former.number { line.field("formerNumber", number.rawValue) }
      }
      if !json, let old = former.number, let new = doc.number, old != new {
        console.say("note: number \(old) is in use, so \(name) has number \(new) now")
      }
      return .fine
    }
  }

  /// Returns the creature in the trash with a name, or the only one that had a number.
  private static func find(_ text: String, in trashed: [TrashedDocument]) throws(Failure) -> TrashedDocument {
    if let document = trashed.first(where: { $0.name == text }) { return document }
    let found = DocumentNumber(text).map { number in trashed.filter { $0.number == number } } ?? []
    guard let document = found.first else {
      throw Failure(.negative, "notFound", "not found in the trash", remedy: "List the trash with 'trash list'")
    }
    guard found.count == 1 else {
      throw Failure(
        .negative, "ambiguous", "\(found.count) creatures in the trash had this number",
        remedy: "Pass one of the names \(found.map { "'\($0.name)'" }.joined(separator: ", "))")
    }
    return document
  }
}

struct TrashCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "trash", summary: "list or empty the library's trash",
    operands: [
      .init(
        name: "ACTION", meaning: "'list', or 'empty' to delete the creatures in the trash permanently",
        choices: Action.allCases.map(\.rawValue))
    ],
    options: [
      Option("older-than", value: "DAYS", "only creatures that were moved to the trash at least DAYS days ago"),
      Library.option, .dryRun, .force, .noInput, .json,
    ],
    notes: [
      "'delete --trash' moves creatures to the trash, and 'restore NAME' moves them back.",
      "With --json, each listed or deleted creature is an object with the keys schema, name, number (the former one), "
        + "title (null if it is unreadable) and trashed (the date).",
    ],
    examples: [
      .init(arguments: "trash list --library ./creatures", meaning: "list the trash"),
      .init(
        arguments: "trash empty --older-than 30 --force --library ./creatures",
        meaning: "delete what is in the trash for 30 days or longer, without confirmation"),
    ],
    exitCodes: [.fine, .negative, .unreadable])

  private enum Action: String, CaseIterable {
    case list, empty
  }

  let arguments: Arguments
  private let action: Action
  private let days: Int?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    action = arguments.operands.first.flatMap { Action(exactly: $0) } ?? .list
    days = try arguments.count("older-than")
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    let now = Date()
    let documents = try failing { try database.trashedDocuments() }.filter { document in
      days.map { now.timeIntervalSince(document.date.date) >= Double($0) * 86_400 } ?? true
    }
    switch action {
    case .list:
      list(documents, database, json: json, on: console)
      return .fine
    case .empty: return try empty(documents, database, json: json, on: console)
    }
  }

  private func list(
    _ documents: [TrashedDocument], _ database: ScaryCreatureDatabase, json: Bool, on console: Console
  ) {
    var table = TextTable([
      .init("Name"), .init("Title", isFlexible: true, role: .string), .init("Trashed", role: .dim),
    ])
    for document in documents {
      let title = Self.title(of: document, in: database)
      if json {
        write(document, title, on: console)
      } else {
        table.add([document.name, title ?? "", Self.date(of: document)])
      }
    }
    if !json { table.write(to: console.output, style: Style(nil, on: console)) }
  }

  private func empty(
    _ documents: [TrashedDocument], _ database: ScaryCreatureDatabase, json: Bool, on console: Console
  ) throws(Failure) -> ExitCode {
    guard !documents.isEmpty else { return .fine }
    guard !arguments.has(.dryRun) else {
      for document in documents {
        Reply.plan(Self.help, "delete \(document.name) in the trash", json: json, on: console) { line in
          line.field("name", document.name)
        }
      }
      return .fine
    }
    let count = CountText.text(documents.count, "creature")
    guard try Confirmation(arguments, on: console)("Delete \(count) in the trash permanently?") else {
      return .negative
    }
    var rest = documents[...]
    let run = FileRun(console: console, json: json, noun: "name", changesFiles: true)
    return run(documents.map(\.name)) { (_) throws(Failure) in
      guard let document = rest.popFirst() else { return .negative }
      let title = json ? Self.title(of: document, in: database) : nil
      try failing { try database.deleteFromTrash(document) }
      if json { write(document, title, on: console) }
      return .fine
    }
  }

  private func write(_ document: TrashedDocument, _ title: String?, on console: Console) {
    console.writeJSON { line in
      line.field("name", document.name)
      line.field("number", document.number?.rawValue)
      line.field("title", title)
      line.field("trashed", Self.date(of: document))
    }
  }

  private static func title(of document: TrashedDocument, in database: ScaryCreatureDatabase) -> String? {
    try? database.trashedData(of: document).title
  }

  /// The date of the move to the trash, to the second.
  private static func date(of document: TrashedDocument) -> String {
    DateText.iso8601(document.date.date.timeIntervalSinceReferenceDate.rounded(.down))
  }
}
