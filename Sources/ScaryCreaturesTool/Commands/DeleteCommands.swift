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

struct DeleteCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "delete", summary: "delete creatures, or move them to the library's trash", operands: [Numbers.operands],
    options: [
      Option("trash", "move them to the trash; 'restore' moves them back"), Library.option, .dryRun, .force, .noInput,
      .json,
    ],
    notes: ["Each creature is deleted atomically, with all files in its folder."],
    examples: [
      .init(
        arguments: "delete 7 --trash --force --library ./creatures", meaning: "move to the trash without confirmation")
    ],
    exitCodes: [.fine, .negative, .unreadable])

  let arguments: Arguments
  /// Without duplicates.
  private let numbers: [DocumentNumber]

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    numbers = try Numbers.parse(arguments.operands)
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    let confirmed = Confirmation(arguments, on: console)
    let run = FileRun(console: console, json: json, noun: "creature", changesFiles: !arguments.has(.dryRun))
    return run(numbers.map { "\($0)" }) { (text) throws(Failure) in
      guard let number = DocumentNumber(text) else { return .negative }
      let doc = try failing { try database.document(number) }
      let title = (try? doc.data?.title).map { " '\($0)'" } ?? ""
      let toTrash = arguments.has("trash")
      if arguments.has(.dryRun) {
        let path = doc.docPath?.path ?? ""
        let text = "\(toTrash ? "move to the trash" : "delete") \(path)"
        Reply.plan(Self.help, text, json: json, on: console) { line in
          line.field(toTrash ? "trashed" : "deleted", number.rawValue)
          line.field("path", path)
        }
        return .fine
      }
      let question = toTrash ? "Move creature \(number)\(title) to the trash?" : "Delete creature \(number)\(title)?"
      guard try confirmed(question) else { return .negative }
      try failing { toTrash ? try doc.moveToTrash() : try doc.deleteDoc() }
      if json {
        console.writeJSON { line in
          line.field(toTrash ? "trashed" : "deleted", number.rawValue)
        }
      }
      return .fine
    }
  }
}
