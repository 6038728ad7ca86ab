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

struct UndoCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "undo", summary: "undo the last change of creatures, or redo it", operands: [Numbers.operands],
    options: [Library.option, .dryRun, .json],
    notes: [
      "Brings back the title, the rating and the images that the last 'edit', 'rate' or 'migrate' replaced, in one atomic "
        + "change. A second 'undo' brings back the newer ones.",
      "A creature keeps only what its last change replaced, in hidden files of its folder. 'delete --trash' is undone by "
        + "'restore'.",
    ],
    examples: [
      .init(arguments: "undo 1 --library ./creatures", meaning: "bring back what the last change replaced")
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments
  private let numbers: [DocumentNumber]

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    numbers = try Numbers.parse(arguments.operands)
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    let run = FileRun(console: console, json: json, noun: "creature", changesFiles: !arguments.has(.dryRun))
    return run(numbers.map { "\($0)" }) { (text) throws(Failure) in
      guard let number = DocumentNumber(text) else { return .negative }
      let doc = try failing { try database.document(number) }
      guard !arguments.has(.dryRun) else {
        guard try failing({ try doc.hasFormerSave }) else {
          throw Failure(.negative, "noFormerSave", "no change to undo")
        }
        let path = doc.docPath?.path ?? ""
        Reply.plan(Self.help, "undo the last change of \(path)", json: json, on: console) { line in
          line.field("number", number.rawValue)
          line.field("path", path)
        }
        return .fine
      }
      try failing { try doc.undoLastSave() }
      Reply.write(doc, json: json, on: console)
      return .fine
    }
  }
}
