// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A tool's manual pages, made from its table of commands; without dates, so that the same tool prints the same page.
struct ManualPage {
  private let tool: Tool

  init(_ tool: Tool) { self.tool = tool }

  /// The page for the tool as a whole.
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

  /// The page for a command.
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
