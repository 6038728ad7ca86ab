// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What a command is called and takes: the one table that parsing, help pages, manual pages, completions and suggestions
/// are made from.
package struct CommandHelp: Sendable {
  /// Its name on the command line.
  package var name: String
  /// What it does, in a line that continues the name.
  package var summary: String
  /// What it takes, in this order; only the last may repeat, and none that is needed follows one that is optional.
  package var operands: [Operand]
  /// Its options, without those that every command has.
  package var options: [Option]
  /// What else there is to know, a paragraph each.
  package var notes: [String]
  /// Command lines that work.
  package var examples: [Example]
  /// The exit codes it may end with, besides those for usage.
  package var exitCodes: [ExitCode]

  /// Makes a command's row of the table.
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

  /// The options with those that every command has.
  package var allOptions: [Option] { options + [.help] }

  /// All exit codes it may end with, in their order.
  package var allExitCodes: [ExitCode] { (exitCodes + [.usage]).sorted() }

  /// The line that shows how to call it, without the tool's name.
  package var usage: String {
    ([name] + operands.map(\.usage) + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
  }
}

extension CommandHelp {
  /// Something that stands on the command line without an option's name.
  package struct Operand: Sendable {
    /// What help pages call it.
    package var name: String
    /// What it is, for people.
    package var meaning: String
    /// Whether more of the kind may follow.
    package var repeats: Bool
    /// Whether it may be left out.
    package var isOptional: Bool
    /// The only values it takes; any if empty.
    package var choices: [String]
    /// What it names, for shells to complete.
    package var kind: ValueKind

    /// Describes an operand.
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

    /// Its name and whether it repeats.
    package var label: String { repeats ? "\(name)..." : name }

    /// How it stands in the line that shows how to call the command.
    package var usage: String { isOptional ? "[\(label)]" : label }
  }

  /// A command line that works in the project's folder.
  package struct Example: Sendable {
    /// What follows the tool's name.
    package var arguments: String
    /// What it is good for.
    package var meaning: String

    /// Makes an example.
    package init(arguments: String, meaning: String) {
      self.arguments = arguments
      self.meaning = meaning
    }
  }
}

/// What a value on the command line names, so that shells can complete it.
package enum ValueKind: Sendable {
  /// Nothing that a shell knows.
  case text
  /// A file.
  case file
  /// A folder.
  case folder
  /// One of the tool's commands.
  case command
}
