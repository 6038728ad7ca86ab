// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import SystemFiles

extension Tool {
  /// Creates a tool; `completions` and `manual` are added to its commands.
  package init(
    name: String, version: String, summary: String, usage: String = "COMMAND [options] FILE...", notes: [String] = [],
    commands: [any Command.Type], exitMeanings: [ExitCode: String] = [:], schema: Int? = nil
  ) {
    self.init(
      name: name, version: version, summary: summary, usage: usage, notes: notes,
      allCommands: commands + [CompletionsCommand.self, ManualCommand.self], exitMeanings: exitMeanings, schema: schema)
  }

  /// Runs the process's command line, then exits.
  package func main() -> Never {
    Terminal.ignoreClosedPipes()
    TemporaryFiles.removeAtSignals()
    let (console, arguments) = (Console.process(of: self), Terminal.arguments)
    if let index = arguments.firstIndex(where: { $0 == nil }) {
      let text = EscapedText.quoted(CommandLine.arguments[index + 1])
      let error = UsageError(
        "argument \(index + 1), \(text), is not valid UTF-8",
        remedy: "Rename the file, or pass its bytes on standard input")
      Self.report(error, in: arguments.compactMap(\.self), on: console)
      Terminal.exit(.usage)
    }
    Terminal.exit(Self.run(arguments.compactMap(\.self), on: console))
  }
}
