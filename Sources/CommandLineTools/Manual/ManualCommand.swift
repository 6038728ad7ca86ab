// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// `manual`: a manual page.
struct ManualCommand: Command {
  static let help = CommandHelp(
    name: "manual", summary: "print a manual page for 'man', of the tool or of a command",
    operands: [
      .init(name: "COMMAND", meaning: "a command; the tool as a whole if left out", isOptional: true, kind: .command)
    ],
    notes: [
      "The page is in the roff format that 'man' reads: 'man -l FILE' shows it from anywhere. Among the system's pages, "
        + "in section 1, its file has the name of the tool, for a command with a hyphen and the command's, and '.1' "
        + "behind."
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
