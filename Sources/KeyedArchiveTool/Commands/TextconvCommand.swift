// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat

/// `textconv`: prints a file for programs that compare text.
struct TextconvCommand: Command {
  static let help = CommandHelp(
    name: "textconv", summary: "print any file as text that git and diff can compare",
    operands: [.init(name: "FILE", meaning: "any file; '-' is standard input", kind: .file)],
    notes: [
      "An archive is printed as a tree without UIDs, other numbers of objects and counts: two archives with equal contents "
        + "have equal texts. Keys and the elements of sets are sorted. '↑ path' refers to an object printed above. The "
        + "last lines have the superclasses of each class.",
      "A key is in quotes, like a string, if it is empty, has a colon, a quotation mark, a backslash or a control character, "
        + "or begins or ends with a space. Dates are in ISO 8601 and UTC; one that is not a whole number of milliseconds "
        + "also has its seconds since 2001.",
      "Another property list is printed in the same form. Property lists and archives in data are printed as a part of "
        + "the tree. For other data, a line has its size, likely format, first bytes and a checksum; so does a file with a "
        + "damaged value, or a value that nests deeper than 32 inline arrays and dictionaries. The comments of an XML "
        + "file follow its values.",
      "Any other text is printed unchanged, on a terminal with control characters escaped; of other files a summary. A file that cannot be read gives a line with "
        + "the reason. The exit code is 0 for any file, because git ends with an error otherwise; it is 7 if the text cannot "
        + "be written. See 'install-git'.",
    ],
    examples: [
      .init(arguments: "textconv Fixtures/apple/NSURL.plist", meaning: "print an archived URL for a comparison")
    ])

  private let file: String

  init(_ arguments: Arguments) throws(UsageError) { file = arguments.operands[0] }

  func run(on console: Console) -> ExitCode {
    do {
      let lines = ContentText.lines(of: try InputFile.read(file, on: console))
      guard console.output.isTerminal else {
        console.output.write(lines)
        return .fine
      }
      // Git reads a pipe. On a terminal, the bytes of a text file could be commands.
      console.output.write(EscapedText.plain(String(decoding: lines, as: UTF8.self), keeping: ["\n", "\t"]))
    } catch {
      console.output.write(EscapedText.plain(error.line) + "\n")
    }
    return .fine
  }
}
