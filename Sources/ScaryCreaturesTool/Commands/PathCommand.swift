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

/// `path`: where the library is.
struct PathCommand: Command {
  static let help = CommandHelp(
    name: "path", summary: "print the library's folder, or a creature's",
    operands: [.init(name: "N", meaning: "a creature's number; nothing for the library", isOptional: true)],
    options: [Library.option, .json],
    examples: [.init(arguments: "path", meaning: "where creatures are kept if nothing else is said")],
    exitCodes: [.fine, .negative])

  private let arguments: Arguments
  private let number: DocumentNumber?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    number = try arguments.operands.first.map { (text) throws(UsageError) in try Numbers.parse(text) }
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    return reporting(on: console, json: json) { () throws(Failure) in
      let library = Library(arguments, on: console)
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
}
