// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A tool's help pages, derived from its commands.
package struct HelpText {
  private let tool: Tool

  package init(_ tool: Tool) { self.tool = tool }

  /// Returns the page for the tool.
  package func overview() -> String {
    var text = "\(tool.name): \(tool.summary)\n\nUsage: \(tool.name) \(tool.usage)\n\nCommands:\n"
    text += Self.table(tool.commands.map { ($0.help.name, $0.help.summary) })
    text += "\nOptions:\n" + Self.table(Tool.options)
    for note in tool.notes { text += "\n\(Self.wrapped(note, indent: 0))" }
    text += "\nExit codes:\n" + exitCodes(ExitCode.allCases)
    text += "\nExamples:\n" + examples(tool.commands.compactMap { $0.help.examples.first })
    return text
  }

  /// Returns the page for a command.
  package func page(for help: CommandHelp) -> String {
    var text = "\(tool.name) \(help.name): \(help.summary)\n\nUsage: \(tool.name) \(help.usage)\n\n"
    text += Self.table(help.operands.map { ($0.label, $0.meaning) })
    text +=
      (help.operands.isEmpty ? "" : "\n") + "Options:\n" + Self.table(help.allOptions.map { ($0.label, $0.meaning) })
    for note in help.notes { text += "\n\(Self.wrapped(note, indent: 0))" }
    text += "\nExit codes:\n" + exitCodes(help.allExitCodes)
    if !help.examples.isEmpty { text += "\nExamples:\n" + examples(help.examples) }
    return text
  }

  private func exitCodes(_ codes: [ExitCode]) -> String {
    Self.table(codes.map { (String($0.rawValue), tool.meaning(of: $0)) })
  }

  private func examples(_ examples: [CommandHelp.Example]) -> String {
    examples.map { "  \(tool.name) \($0.arguments)\n      \($0.meaning)\n" }.joined()
  }

  /// Returns rows in two columns.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, meaning in
      let gap = String(repeating: " ", count: width - name.count + 2)
      return "  \(name)\(gap)" + String(wrapped(meaning, indent: width + 4).dropFirst(width + 4))
    }.joined()
  }

  /// Wraps text into indented lines of at most 100 characters.
  private static func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > 100 {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    lines.append(line)
    return lines.map { margin + $0 + "\n" }.joined()
  }
}
