// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Colour for terminals, or none.
struct Style {
  /// What a piece of text is.
  enum Role: String {
    case key = "36"
    case className = "1;34"
    case string = "32"
    case number = "33"
    case dim = "2"
    case wrong = "1;31"
  }

  /// Whether there is colour at all.
  let isOn: Bool

  static let option = Option(
    "color", choices: ["auto", "always", "never"],
    "colour; 'auto', if nothing is said, is a terminal that knows it, unless NO_COLOR is set or TERM is 'dumb'")

  init(isOn: Bool) { self.isOn = isOn }

  /// The style that an option's value, environment and output ask for.
  init(_ choice: String?, on console: Console) {
    switch choice {
    case "always": isOn = true
    case "never": isOn = false
    default:
      isOn =
        console.output.isTerminal && (console.environment["NO_COLOR"] ?? "").isEmpty
        && !["", "dumb"].contains(console.environment["TERM"] ?? "")
    }
  }

  /// Text in the colour of its role.
  func callAsFunction(_ role: Role, _ text: String) -> String {
    isOn ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
  }
}
