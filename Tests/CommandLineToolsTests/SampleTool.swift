// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools

extension Tool {
  /// A tool with a command of every kind.
  static let beasts = Tool(
    name: "beasts", version: "3.1", summary: "keep beasts", usage: "COMMAND [options] [ARGUMENT...]",
    notes: [".A note that begins like a request of roff: it's \\plain -- `text` ^ ~ \"quoted\" … here."],
    commands: [ListCommand.self, DeleteCommand.self, PackCommand.self],
    exitMeanings: [.negative: "no such beast"], schema: 7)
}

/// Prints a table, or JSON.
private struct ListCommand: Command {
  static let help = CommandHelp(
    name: "list", summary: "list all beasts", options: [.json, .color],
    examples: [.init(arguments: "list", meaning: "all of them")])

  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(on console: Console) -> ExitCode {
    if arguments.has(.json) {
      console.writeJSON { $0.field("name", "Ghost") }
    } else {
      var table = TextTable([.init("name", isFlexible: true, role: .string), .init("legs", isRightAligned: true)])
      table.add(["Ghost", "0"])
      table.write(to: console.output, style: Style(arguments.value("color"), on: console))
    }
    return .fine
  }
}

/// Asks for confirmation; the tool has ten beasts.
private struct DeleteCommand: Command {
  static let help = CommandHelp(
    name: "delete", summary: "delete beasts",
    operands: [.init(name: "N", meaning: "a beast's number", repeats: true)],
    options: [.force, .noInput, .dryRun, .quiet, .json], exitCodes: [.fine, .negative])

  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(on console: Console) -> ExitCode {
    FileRun(console: console, json: arguments.has(.json), noun: "beast")(arguments.operands) { (text) throws(Failure) in
      guard let number = Int(text), 0..<10 ~= number else { throw Failure(.negative, "notFound", "no such beast") }
      if arguments.has(.dryRun) {
        console.output.write("would delete \(number)\n")
        return .fine
      }
      guard try Confirmation(arguments, on: console)("Delete beast \(number)?") else { return .negative }
      console.output.write("deleted \(number)\n")
      return .fine
    }
  }
}

/// Has values of every kind that shells complete.
private struct PackCommand: Command {
  static let help = CommandHelp(
    name: "pack", summary: "put files in a folder",
    operands: [
      .init(name: "FORMAT", meaning: "how", choices: ["zip", "tar"]),
      .init(name: "FILE", meaning: "what", repeats: true, isOptional: true, kind: .file),
    ],
    options: [
      Option("into", short: "i", value: "FOLDER", kind: .folder, "where; it's [the] \\folder: any"),
      Option("list", value: "FILE", kind: .file, "a list of files"),
      Option("level", choices: ["fast", "small"], "how well"),
      Option("name", short: "n", value: "NAME", "a name"),
    ])

  init(_ arguments: Arguments) {}

  func run(on console: Console) -> ExitCode { .fine }
}
