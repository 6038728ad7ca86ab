// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The help pages, made from the table of commands.
enum HelpText {
  /// The page for the tool as a whole.
  static func overview() -> String {
    var text = "\(Tool.name): look at, check and convert keyed archives (files of Apple's NSKeyedArchiver)\n\n"
    text += "Usage: \(Tool.name) COMMAND [options] FILE...\n\nCommands:\n"
    text += table(CommandTable.all.map { ($0.help.name, $0.help.summary) })
    text += "\nOptions:\n"
    text += table([
      ("-h, --help", "print this page, or after a command's name that command's"),
      ("-V, --version", "print the version"),
      ("--", "what follows is no option"),
    ])
    text +=
      "\nFILE is a binary or XML file; '-' is standard input. With several files the tool goes on after a bad one,\n"
    text += "and the highest exit code wins.\n"
    text += "\nExit codes:\n" + exitCodes(ExitCode.allCases)
    text += "\nExamples:\n"
    text += examples(CommandTable.all.compactMap { $0.help.examples.first })
    return text
  }

  /// The page for a command.
  static func page(for help: CommandHelp) -> String {
    var text = "\(Tool.name) \(help.name): \(help.summary)\n\nUsage: \(help.usage)\n\n"
    text += table(help.operands.map { ($0.repeats ? "\($0.name)..." : $0.name, $0.meaning) })
    text += "\nOptions:\n"
    text += table(help.allOptions.map { ($0.label, $0.meaning) })
    for note in help.notes { text += "\n\(wrapped(note, indent: 0))" }
    text += "\nExit codes:\n" + exitCodes((help.exitCodes + [.usage]).sorted())
    text += "\nExamples:\n" + examples(help.examples)
    return text
  }

  private static func exitCodes(_ codes: [ExitCode]) -> String {
    table(codes.map { (String($0.rawValue), $0.meaning) })
  }

  private static func examples(_ examples: [CommandHelp.Example]) -> String {
    examples.map { "  \(Tool.name) \($0.arguments)\n      \($0.meaning)\n" }.joined()
  }

  /// Two columns.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, meaning in
      let gap = String(repeating: " ", count: width - name.count + 2)
      return "  \(name)\(gap)" + String(wrapped(meaning, indent: width + 4).dropFirst(width + 4))
    }.joined()
  }

  /// Text in lines of at most 100 characters, each indented.
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

extension Option {
  /// The option as help pages show it.
  var label: String {
    let names = short.map { "-\($0), --\(long)" } ?? "    --\(long)"
    return value.map { "\(names) \($0)" } ?? names
  }
}
