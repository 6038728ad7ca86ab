// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Completions for bash 3.2 and later, the version of macOS, without the bash-completion package.
struct BashCompletions {
  private let tool: Tool

  init(_ tool: Tool) { self.tool = tool }

  var script: String {
    """
    # bash completions for \(tool.name), made by '\(tool.name) completions bash'
    \(tool.functionName)() {
      local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= words= kind=
      local operandsOnly= index word
      COMPREPLY=()
      # bash splits --option=value into three words.
      if [[ $current == = ]]; then
        current=
      elif [[ $previous == = && COMP_CWORD -ge 3 ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      if ((COMP_CWORD > 1)); then command=${COMP_WORDS[1]}; fi
      for ((index = 2; index < COMP_CWORD; index++)); do
        if [[ ${COMP_WORDS[index]} == -- ]]; then operandsOnly=yes previous=; fi
      done
      case "$command $previous" in
    \(optionValues)  *)
        if [[ -z $command ]]; then
          words=\(ShellQuote.posix((tool.commandNames + ["help"] + Tool.optionWords).joined(separator: " ")))
        elif [[ $current == -* && -z $operandsOnly ]]; then
          case $command in
    \(options)      esac
        else
          case $command in
    \(operands)      help) words=\(ShellQuote.posix(tool.commandNames.joined(separator: " "))) ;;
          esac
        fi
        ;;
      esac
      while IFS= read -r word; do
        COMPREPLY+=("$word")
      done < <(
        if [[ -n $words ]]; then compgen -W "$words" -- "$current"; fi
        case $kind in
        files) compgen -f -- "$current" ;;
        folders) compgen -d -- "$current" ;;
        esac
      )
      # Lets bash add a slash to folders and quote names; version 3.2 cannot.
      if [[ -n $kind ]]; then compopt -o filenames 2>/dev/null; fi
    }
    complete -F \(tool.functionName) \(tool.name)

    """
  }

  /// One case per option that takes a value.
  private var optionValues: String {
    var text = ""
    for help in tool.commands.map({ $0.help }) {
      for option in help.allOptions {
        guard let completion = tool.completion(of: option) else { continue }
        let pattern = option.names.map { ShellQuote.posix("\(help.name) \($0)") }.joined(separator: " | ")
        text += "  \(pattern)) \(assignments([completion])) ;;\n"
      }
    }
    return text
  }

  private var options: String {
    tool.commands.map { command in
      let words = command.help.allOptions.map { "--\($0.long)" }.joined(separator: " ")
      return "      \(command.help.name)) words=\(ShellQuote.posix(words)) ;;\n"
    }.joined()
  }

  /// The completions of operands. All positions share them.
  private var operands: String {
    tool.commands.map { command in
      "      \(command.help.name)) \(assignments(command.help.operands.map { tool.completion(of: $0) })) ;;\n"
    }.joined()
  }

  private func assignments(_ completions: [Completion]) -> String {
    var words: [String] = []
    var kind = ""
    for completion in completions {
      switch completion {
      case .nothing: break
      case .words(let some): words += some
      case .files: kind = "files"
      case .folders: if kind.isEmpty { kind = "folders" }
      }
    }
    var parts: [String] = []
    if !words.isEmpty { parts.append("words=\(ShellQuote.posix(words.joined(separator: " ")))") }
    if !kind.isEmpty { parts.append("kind=\(kind)") }
    return parts.isEmpty ? ":" : parts.joined(separator: " ")
  }
}
