// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Completions for fish 3.0 and later, with descriptions.
struct FishCompletions {
  private let tool: Tool

  init(_ tool: Tool) { self.tool = tool }

  var script: String {
    var lines = ["# fish completions for \(tool.name), made by '\(tool.name) completions fish'"]
    lines += [
      "function \(condition) --description 'whether the command line is of a command'",
      "  set -l words (commandline -opc)",
      "  test (count $words) -gt 1; and test $words[2] = $argv[1]",
      "end",
      "\(start) -f",
    ]
    for (name, summary) in tool.commands.map({ ($0.help.name, $0.help.summary) }) + [("help", "print a help page")] {
      lines.append("\(start) -n __fish_use_subcommand -a \(name) -d \(ShellQuote.fish(summary))")
    }
    lines.append("\(start) -n __fish_use_subcommand -s h -l help -d 'print a help page'")
    lines.append("\(start) -n __fish_use_subcommand -s V -l version -d 'print the version'")
    lines.append("\(after("help")) \(arguments(.words(tool.commandNames)))")
    for help in tool.commands.map({ $0.help }) {
      lines += help.allOptions.map { "\(after(help.name)) \(option($0))" }
      lines += help.operands.map { tool.completion(of: $0) }.filter { $0 != .nothing }.map {
        "\(after(help.name)) \(arguments($0))"
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private var start: String { "complete -c \(tool.name)" }

  /// The function that checks the command; the same word in a later position does not count.
  private var condition: String { "_\(tool.functionName)_is" }

  /// Returns the beginning of a line that completes a command's arguments.
  private func after(_ command: String) -> String { "\(start) -n '\(condition) \(command)'" }

  private func option(_ option: Option) -> String {
    var parts = option.short.map { ["-s \($0)"] } ?? []
    parts.append("-l \(option.long)")
    if let completion = tool.completion(of: option) { parts += ["-r", arguments(completion)] }
    return (parts + ["-d \(ShellQuote.fish(option.meaning))"]).joined(separator: " ")
  }

  private func arguments(_ completion: Completion) -> String {
    switch completion {
    case .nothing: "-f"
    case .words(let words): "-f -a \(ShellQuote.fish(words.joined(separator: " ")))"
    case .files: "-F"
    case .folders: "-f -a '(__fish_complete_directories)'"
    }
  }
}
