// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Completions for zsh, with descriptions.
struct ZshCompletions {
  private let tool: Tool

  init(_ tool: Tool) { self.tool = tool }

  var script: String {
    """
    #compdef \(tool.name)
    # zsh completions for \(tool.name), made by '\(tool.name) completions zsh'
    \(tool.functionName)() {
      local context state state_descr line
      typeset -A opt_args
      _arguments -C \\
        \(ShellQuote.posix("(- :)-h"))\(explained("print this page")) \\
        \(ShellQuote.posix("(- :)--help"))\(explained("print this page")) \\
        \(ShellQuote.posix("(- :)-V"))\(explained("print the version")) \\
        \(ShellQuote.posix("(- :)--version"))\(explained("print the version")) \\
        '1:command:->command' '*::argument:->argument'
      case $state in
      command)
        local -a commands
        commands=(
    \(commands)    )
        _describe -t commands command commands
        ;;
      argument)
        case $words[1] in
    \(arguments)    esac
        ;;
      esac
    }
    # A file loaded from $fpath is the body of the function's first call; a sourced file is not.
    if [[ ${funcstack[1]} == \(tool.functionName) ]]; then
      \(tool.functionName) "$@"
    else
      compdef \(tool.functionName) \(tool.name)
    fi

    """
  }

  private var commands: String {
    let rows = tool.commands.map { ($0.help.name, $0.help.summary) } + [("help", "print a command's help page")]
    return rows.map { name, summary in
      "      \(ShellQuote.posix("\(name):\(summary.replacing(":", with: #"\:"#))"))\n"
    }.joined()
  }

  private var arguments: String {
    var text = ""
    for help in tool.commands.map({ $0.help }) {
      let words = help.allOptions.flatMap(specifications) + help.operands.map(specification)
      text += "    \(help.name)) _arguments -s \\\n"
      text += words.map { "      \($0)" }.joined(separator: " \\\n") + "\n      ;;\n"
    }
    let names = tool.commandNames.joined(separator: " ")
    return text + "    help) _arguments \(ShellQuote.posix("1:command:(\(names))")) ;;\n"
  }

  /// Returns the specifications of an option's names. Each name may repeat, because the last value counts.
  private func specifications(_ option: Option) -> [String] {
    let value = tool.completion(of: option).map { ShellQuote.posix(":\(message(option.value ?? "")):\(action($0))") }
    return option.names.map { name in
      // The value is the next word, or follows '=' or the letter in the same word.
      let mark = option.value == nil ? "" : name.hasPrefix("--") ? "=" : "+"
      return ShellQuote.posix("*\(name)\(mark)") + explained(option.meaning) + (value ?? "")
    }
  }

  private func specification(_ operand: CommandHelp.Operand) -> String {
    let place = operand.repeats ? "*:" : operand.isOptional ? "::" : ":"
    let completion = tool.completion(of: operand)
    // With a message for a value that cannot be completed, zsh would not insert options here.
    let action = completion == .nothing ? "()" : action(completion)
    return ShellQuote.posix("\(place)\(message(operand.name)):\(action)")
  }

  private func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .files: "_files"
    case .folders: "_files -/"
    }
  }

  /// Returns an explanation in brackets.
  private func explained(_ text: String) -> String {
    let escaped = text.replacing(#"\"#, with: #"\\"#).replacing("[", with: #"\["#).replacing("]", with: #"\]"#)
    return ShellQuote.posix("[\(escaped)]")
  }

  private func message(_ text: String) -> String { text.replacing(":", with: #"\:"#) }
}
