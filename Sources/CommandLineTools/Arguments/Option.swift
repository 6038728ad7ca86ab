// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// An option of a command.
package struct Option: Sendable {
  /// Its long name, without dashes.
  package var long: String
  /// Its one-letter name.
  package var short: Character?
  /// What its value is called; nil for one that takes none.
  package var value: String?
  /// The only values it takes; any if empty.
  package var choices: [String]
  /// What its value names, for shells to complete.
  package var kind: ValueKind
  /// What it does, for people.
  package var meaning: String

  /// Describes an option; one with choices is named after them.
  package init(
    _ long: String, short: Character? = nil, value: String? = nil, choices: [String] = [], kind: ValueKind = .text,
    _ meaning: String
  ) {
    self.long = long
    self.short = short
    self.value = choices.isEmpty ? value : choices.joined(separator: "|")
    self.choices = choices
    self.kind = kind
    self.meaning = meaning
  }

  /// Its names as they are typed, the short one first.
  package var names: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }

  /// The option as help pages show it.
  package var label: String {
    let names = (short.map { _ in "" } ?? "    ") + names.joined(separator: ", ")
    return value.map { "\(names) \($0)" } ?? names
  }
}

// Options that mean the same in every command that has them.
extension Option {
  /// Every command has it.
  package static let help = Option("help", short: "h", "print this page")

  /// Output for programs.
  package static let json = Option(
    "json", short: "j", "print JSON, one object a line; errors are JSON too, on standard error")

  /// Colour; see ``Style``.
  package static let color = Option(
    "color", choices: ["auto", "always", "never"],
    "colour; 'auto', if nothing is said, is a terminal that knows it, unless NO_COLOR is set or TERM is 'dumb'")

  /// The answer to every question is yes; see ``Confirmation``.
  package static let force = Option("force", short: "f", "do it without asking; needed where nobody can be asked")

  /// No question is asked; see ``Confirmation``.
  package static let noInput = Option("no-input", "never ask; what would have to be asked is an error")

  /// For all commands that write.
  package static let dryRun = Option("dry-run", short: "n", "say what would be done, and do nothing")

  /// For commands that say more than what was asked for; see ``ProgressLine``.
  package static let quiet = Option("quiet", short: "q", "say nothing but results and errors")
}
