// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The description of a command, from which parsing, help pages, manual pages, completions and suggestions are derived.
package struct CommandHelp: Sendable {
  package var name: String
  /// An imperative phrase that says what the command does.
  package var summary: String
  /// The operands in their order. Only the last may repeat, and no required operand follows an optional one.
  package var operands: [Operand]
  /// The options, without those that every command has.
  package var options: [Option]
  /// Further explanations, one paragraph each.
  package var notes: [String]
  /// Command lines that work in the project's folder.
  package var examples: [Example]
  /// The possible exit codes, besides those that every command has.
  package var exitCodes: [ExitCode]

  package init(
    name: String, summary: String, operands: [Operand] = [], options: [Option] = [], notes: [String] = [],
    examples: [Example] = [], exitCodes: [ExitCode] = [.fine]
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options
    self.notes = notes
    self.examples = examples
    self.exitCodes = exitCodes
  }

  /// All options, including those that every command has.
  package var allOptions: [Option] { options + [.help] }

  /// All possible exit codes, sorted. Every command can meet a wrong command line and a full disk.
  package var allExitCodes: [ExitCode] {
    Set(exitCodes + options.flatMap(\.exitCodes) + [.usage, .notWritten]).sorted()
  }

  /// The usage line, without the tool's name.
  package var usage: String {
    ([name] + operands.map(\.usage) + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
  }
}

extension CommandHelp {
  /// An argument that belongs to no option.
  package struct Operand: Sendable {
    package var name: String
    package var meaning: String
    package var repeats: Bool
    package var isOptional: Bool
    /// The allowed values; empty if any value is.
    package var choices: [String]
    /// The kind of the value, which shell completion uses.
    package var kind: ValueKind

    package init(
      name: String, meaning: String, repeats: Bool = false, isOptional: Bool = false, choices: [String] = [],
      kind: ValueKind = .text
    ) {
      self.name = name
      self.meaning = meaning
      self.repeats = repeats
      self.isOptional = isOptional
      self.choices = choices
      self.kind = kind
    }

    /// The name, with an ellipsis if the operand repeats.
    package var label: String { repeats ? "\(name)..." : name }

    /// The operand in a usage line.
    package var usage: String { isOptional ? "[\(label)]" : label }
  }

  /// A command line and its purpose.
  package struct Example: Sendable {
    /// The words after the tool's name.
    package var arguments: String
    package var meaning: String

    package init(arguments: String, meaning: String) {
      self.arguments = arguments
      self.meaning = meaning
    }
  }
}

/// The kind of a value on the command line. Shell completion uses it, and an option with a path must not be empty.
package enum ValueKind: Sendable {
  case text
  /// A file to read.
  case file
  /// A file to write.
  case output
  case folder
  case command

  /// Whether the value is the path of a file or folder.
  var isPath: Bool { self == .file || self == .output || self == .folder }
}

package struct Option: Sendable {
  /// The long name, without dashes.
  package var long: String
  /// The one-letter name.
  package var short: Character?
  /// The placeholder for its value; nil if it takes none.
  package var value: String?
  /// The allowed values; empty if any value is.
  package var choices: [String]
  /// The kind of the value, which shell completion uses.
  package var kind: ValueKind
  package var meaning: String
  /// The name of the operand that the command does not take with this option.
  package var replacedOperand: String?
  /// The exit codes that are possible in each command with this option.
  package var exitCodes: [ExitCode]

  /// Creates an option. The placeholder of an option with choices lists them.
  package init(
    _ long: String, short: Character? = nil, value: String? = nil, choices: [String] = [], kind: ValueKind = .text,
    _ meaning: String, inPlaceOf replacedOperand: String? = nil, exitCodes: [ExitCode] = []
  ) {
    self.replacedOperand = replacedOperand
    self.exitCodes = exitCodes
    self.long = long
    self.short = short
    self.value = choices.isEmpty ? value : choices.joined(separator: "|")
    self.choices = choices
    self.kind = kind
    self.meaning = meaning
  }

  /// The names as they are typed, the short one first.
  package var names: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }

  /// The option as help pages show it.
  package var label: String {
    let names = (short.map { _ in "" } ?? "    ") + names.joined(separator: ", ")
    return value.map { "\(names) \($0)" } ?? names
  }
}

// Options with the same meaning in every command that has them.
extension Option {
  package static let help = Option("help", short: "h", "print this page")

  package static let json = Option("json", "print one JSON object per line; errors on stderr are JSON too")

  /// Color; see ``Style``.
  package static let color = Option(
    "color", choices: ["auto", "always", "never"],
    "when to color output (default: auto; off if NO_COLOR is set)")

  /// See ``Confirmation``.
  package static let force = Option("force", short: "f", "skip confirmation (required without a terminal)")

  package static let noInput = Option("no-input", "fail instead of prompting")

  package static let dryRun = Option("dry-run", short: "n", "show the changes without making them")

  /// See ``ProgressLine``.
  package static let quiet = Option("quiet", short: "q", "print only results and errors")
}
