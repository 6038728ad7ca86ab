// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// `manual`: a manual page.
struct ManualCommand: Command {
  static let help = CommandHelp(
    name: "manual", summary: "print a manual page for the tool or a command, in roff format",
    operands: [.init(name: "COMMAND", meaning: "a command (default: the tool)", isOptional: true, kind: .command)],
    notes: [
      "'man -l FILE' shows the page from anywhere. To install it, save it in section 1 of the system's pages as "
        + "TOOL.1 or TOOL-COMMAND.1."
    ],
    examples: [.init(arguments: "manual", meaning: "the tool's page")])

  private let topic: String?

  init(_ arguments: Arguments) { topic = arguments.operands.first }

  func run(on console: Console) throws(UsageError) -> ExitCode {
    let page = ManualPage(console.tool)
    if let topic {
      console.output.write(page.page(for: try console.tool.command(named: topic).help))
    } else {
      console.output.write(page.overview())
    }
    return .fine
  }
}

/// A tool's manual pages, derived from its commands. They have no dates, so the same tool prints the same page.
struct ManualPage {
  private let tool: Tool

  init(_ tool: Tool) { self.tool = tool }

  /// Returns the page for the tool.
  func overview() -> String {
    var page = begin(tool.name, tool.summary)
    page.heading("synopsis")
    page.synopsis(tool.name, tool.usage)
    describe(tool.notes, in: &page)
    page.heading("commands")
    for command in tool.commands { page.item(command.help.name, command.help.summary) }
    page.heading("options")
    for option in Tool.options { page.item(option.label, option.meaning) }
    exitCodes(ExitCode.allCases, in: &page)
    examples(tool.commands.compactMap { $0.help.examples.first }, in: &page)
    page.heading("see also")
    page.references(tool.commands.map { "\(tool.name)-\($0.help.name)" })
    return page.text
  }

  /// Returns the page for a command.
  func page(for help: CommandHelp) -> String {
    var page = begin("\(tool.name)-\(help.name)", help.summary)
    page.heading("synopsis")
    page.synopsis(tool.name, help.usage)
    describe(help.notes, in: &page)
    if !help.operands.isEmpty {
      page.heading("operands")
      for operand in help.operands { page.item(operand.label, operand.meaning) }
    }
    page.heading("options")
    for option in help.allOptions {
      page.item(String(Substring(option.label.utf8.drop { $0 == UInt8(ascii: " ") })), option.meaning)
    }
    exitCodes(help.allExitCodes, in: &page)
    examples(help.examples, in: &page)
    page.heading("see also")
    page.references([tool.name])
    return page.text
  }

  private func begin(_ name: String, _ summary: String) -> Roff {
    var page = Roff(title: name, source: "\(tool.name) \(tool.version)")
    page.heading("name")
    page.paragraph("\(name) - \(summary)")
    return page
  }

  private func describe(_ notes: [String], in page: inout Roff) {
    guard !notes.isEmpty else { return }
    page.heading("description")
    for note in notes { page.paragraph(note) }
  }

  private func exitCodes(_ codes: [ExitCode], in page: inout Roff) {
    page.heading("exit status")
    for code in codes { page.item(String(code.rawValue), tool.meaning(of: code)) }
  }

  private func examples(_ examples: [CommandHelp.Example], in page: inout Roff) {
    guard !examples.isEmpty else { return }
    page.heading("examples")
    for example in examples { page.item("\(tool.name) \(example.arguments)", example.meaning) }
  }
}

/// A page in ASCII, in roff with the macros of man(7), which groff and mandoc both read.
struct Roff {
  private(set) var text = ""
  private var isAfterHeading = false

  /// Begins a page of section 1 that belongs to `source`.
  init(title: String, source: String) {
    text = ".TH \(Self.argument(title.uppercased())) 1 \"\" \(Self.argument(source)) \"User Commands\"\n"
    // Ragged lines without hyphens make names and options easier to find and to copy.
    text += ".nh\n.ad l\n"
  }

  mutating func heading(_ title: String) {
    text += ".SH \(Self.argument(title.uppercased()))\n"
    isAfterHeading = true
  }

  mutating func paragraph(_ words: String) {
    if !isAfterHeading { text += ".PP\n" }
    isAfterHeading = false
    text += Self.escaped(words) + "\n"
  }

  /// Appends a usage line with the name in bold.
  mutating func synopsis(_ name: String, _ rest: String) {
    text += ".B \(Self.argument(name))\n\(Self.escaped(rest))\n"
  }

  /// Appends a name in bold and its meaning.
  mutating func item(_ name: String, _ meaning: String) {
    text += ".TP\n.B \(Self.argument(name))\n\(Self.escaped(meaning))\n"
    isAfterHeading = false
  }

  /// Appends references to other pages of section 1.
  mutating func references(_ names: [String]) {
    for (index, name) in names.enumerated() {
      text += ".BR \(Self.argument(name)) \(index < names.count - 1 ? "(1)," : "(1)")\n"
    }
  }

  /// Returns text that roff prints unchanged, without requests, escapes or substituted characters.
  private static func escaped(_ words: String) -> String {
    // A line that begins with one of these is a request.
    var text = words.hasPrefix(".") || words.hasPrefix("'") ? #"\&"# : ""
    for scalar in words.unicodeScalars {
      switch scalar {
      case "\\": text += #"\(rs"#
      case "-": text += #"\-"#
      case "'": text += #"\(aq"#
      case "\"": text += #"\(dq"#
      case "`": text += #"\(ga"#
      case "^": text += #"\(ha"#
      case "~": text += #"\(ti"#
      case "\n": text += " "
      case _ where scalar.isASCII: text.unicodeScalars.append(scalar)
      default:
        text += "\\[u\(HexText.digits(scalar.value, count: 4, uppercase: true))]"
      }
    }
    return text
  }

  /// Returns text as one argument of a macro.
  private static func argument(_ words: String) -> String { "\"\(escaped(words))\"" }
}
