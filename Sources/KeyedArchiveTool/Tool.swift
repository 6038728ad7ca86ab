// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The tool as a whole: from a list of arguments to an exit code.
enum Tool {
  static let name = "keyedarchive"
  static let version = "0.1.0"

  /// Runs a command line, without the name of the program.
  static func run(_ arguments: [String], on console: Console) -> ExitCode {
    var code: ExitCode
    do {
      code = try dispatch(arguments, console)
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

  private static func dispatch(_ arguments: [String], _ console: Console) throws(UsageError) -> ExitCode {
    guard let first = arguments.first else {
      throw UsageError(
        "a command is missing", remedy: "Say one of \(CommandTable.nameList); '\(name) --help' tells what they do")
    }
    switch first {
    case "--version", "-V":
      console.output.write("\(name) \(version)\n")
      return .fine
    case "--help", "-h", "help":
      guard let topic = arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) else {
        console.output.write(HelpText.overview())
        return .fine
      }
      console.output.write(HelpText.page(for: try CommandTable.command(named: topic).help))
      return .fine
    case let option where option.hasPrefix("-"):
      throw UsageError("unknown option '\(option)'", remedy: "A command comes first; see '\(name) --help'")
    default:
      return try run(try CommandTable.command(named: first), Array(arguments.dropFirst()), console)
    }
  }

  private static func run(
    _ command: any Command.Type, _ arguments: [String], _ console: Console
  ) throws(UsageError) -> ExitCode {
    do {
      let parsed = try Arguments(arguments, for: command.help)
      if parsed.has("help") {
        console.output.write(HelpText.page(for: command.help))
        return .fine
      }
      try parsed.checkOperands(of: command.help)
      return try command.init(parsed).run(on: console)
    } catch {
      throw UsageError(
        "\(command.help.name): \(error.detail)", remedy: error.remedy ?? "See '\(name) \(command.help.name) --help'")
    }
  }
}
