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

/// `show`: all that is known of a creature.
struct ShowCommand: Command {
  static let help = CommandHelp(
    name: "show", summary: "show all that is known of creatures", operands: [Numbers.operands],
    options: [TerminalPictures.option, Library.option, .json, .color],
    examples: [.init(arguments: "show 1 --library ./creatures", meaning: "one creature")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  private let arguments: Arguments
  /// Each once.
  private let numbers: [DocumentNumber]

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    numbers = try Numbers.parse(arguments.operands)
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let database = try Library(arguments, on: console).open()
      return FileRun(console: console, json: json, noun: "creature")(numbers.map { "\($0)" }) {
        (text) throws(Failure) in
        guard let number = DocumentNumber(text) else { return .negative }
        let doc = try failing { try database.document(number) }
        guard let record = try failing({ try CreatureRecord(doc) }) else { return .negative }
        if json {
          console.writeJSON { record.write(to: &$0) }
        } else {
          if let picture = TerminalPictures(arguments, on: console).text(for: try failing { try doc.thumbImage }) {
            console.output.write(picture)
          }
          write(record, on: console)
        }
        return .fine
      }
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
