// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

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
    Terminal.exit(Self.run(Array(CommandLine.arguments.dropFirst()), on: .process(of: self)))
  }
}
