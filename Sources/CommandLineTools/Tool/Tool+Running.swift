// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

extension Tool {
  /// Runs the command line of this process, and ends it.
  package func main() -> Never {
    Terminal.ignoreClosedPipes()
    Terminal.exit(Self.run(Array(CommandLine.arguments.dropFirst()), on: .process(of: self)))
  }

  /// Runs a command line, without the name of the program, of the tool that a console belongs to.
  package static func run(_ arguments: [String], on console: Console) -> ExitCode {
    var code: ExitCode
    do {
      code = try console.tool.dispatch(arguments, console)
    } catch {
      console.say([error.detail, error.remedy].compactMap(\.self).joined(separator: ". "))
      code = .usage
    }
    console.output.flush()
    if case .failed(let reason) = console.output.outcome {
      console.say("standard output: could not be written: \(reason)")
      code = max(code, .notWritten)
    }
    return code
  }

  private func dispatch(_ arguments: [String], _ console: Console) throws(UsageError) -> ExitCode {
    guard let first = arguments.first else {
      throw UsageError(
        "a command is missing",
        remedy: "Say one of \(commandNames.joined(separator: ", ")); '\(name) --help' tells what they do")
    }
    switch first {
    case "--version", "-V":
      console.output.write("\(name) \(version)\n")
      return .fine
    case "--help", "-h", "help":
      guard let topic = arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) else {
        console.output.write(HelpText(self).overview())
        return .fine
      }
      console.output.write(HelpText(self).page(for: try command(named: topic).help))
      return .fine
    case let option where option.hasPrefix("-"):
      throw UsageError("unknown option '\(option)'", remedy: "A command comes first; see '\(name) --help'")
    default:
      return try run(try command(named: first), Array(arguments.dropFirst()), console)
    }
  }

  private func run(
    _ command: any Command.Type, _ arguments: [String], _ console: Console
  ) throws(UsageError) -> ExitCode {
    do {
      let parsed = try Arguments(arguments, for: command.help)
      if parsed.has(.help) {
        console.output.write(HelpText(self).page(for: command.help))
        return .fine
      }
      try parsed.checkOperands(of: command.help, usage: "\(name) \(command.help.usage)")
      return try command.init(parsed).run(on: console)
    } catch {
      throw UsageError(
        "\(command.help.name): \(error.detail)", remedy: error.remedy ?? "See '\(name) \(command.help.name) --help'")
    }
  }
}
