// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What a command is called and takes: the one table that parsing, help pages and suggestions are made from.
struct CommandHelp: Sendable {
  /// Something that stands on the command line without an option's name.
  struct Operand: Sendable {
    var name: String
    var meaning: String
    var repeats = false
  }

  /// A command line that works in the project's folder.
  struct Example: Sendable {
    var arguments: String
    var meaning: String
  }

  /// Its name on the command line.
  var name: String
  /// What it does, in a line that continues the name.
  var summary: String
  var operands: [Operand]
  var options: [Option]
  /// What else there is to know, a paragraph each.
  var notes: [String] = []
  var examples: [Example]
  /// The exit codes it may end with, besides those for usage.
  var exitCodes: [ExitCode] = [.fine, .unreadable, .notAnArchive, .limitReached]

  /// The options with those that every command has.
  var allOptions: [Option] { options + [.help] }

  /// The line that shows how to call it.
  var usage: String {
    let operands = operands.map { $0.repeats ? "\($0.name)..." : $0.name }.joined(separator: " ")
    return "\(Tool.name) \(name) \(operands)\(options.isEmpty ? "" : " [options]")"
  }
}

/// An option of a command.
struct Option: Sendable {
  /// Its long name, without dashes.
  var long: String
  /// Its one-letter name.
  var short: Character?
  /// What its value is called; nil for one that takes none.
  var value: String?
  /// The only values it takes; any if empty.
  var choices: [String] = []
  var meaning: String

  init(_ long: String, short: Character? = nil, value: String? = nil, choices: [String] = [], _ meaning: String) {
    self.long = long
    self.short = short
    self.value = choices.isEmpty ? value : choices.joined(separator: "|")
    self.choices = choices
    self.meaning = meaning
  }

  static let help = Option("help", short: "h", "print this page")
  static let anyArchiver = Option("any-archiver", "take any '$archiver' for that of a keyed archive")
  static let json = Option("json", short: "j", "print JSON, one object a line; errors are JSON too, on standard error")
}

extension CommandHelp.Operand {
  static let file = Self(name: "FILE", meaning: "a keyed archive, binary or XML; '-' is standard input")
  static let files = Self(
    name: "FILE", meaning: "keyed archives, binary or XML; '-' is standard input", repeats: true)
}
