// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Colour for terminals, or none.
package struct Style {
  /// What a piece of text is.
  package enum Role: String {
    case heading = "1"
    case key = "36"
    case className = "1;34"
    case string = "32"
    case number = "33"
    case dim = "2"
    case wrong = "1;31"
  }

  /// Whether there is colour at all.
  package let isOn: Bool

  /// Colour or none.
  package init(isOn: Bool) { self.isOn = isOn }

  /// The style that the value of ``Option/color``, environment and output ask for.
  package init(_ choice: String?, on console: Console) {
    switch choice ?? "auto" {
    case "always": isOn = true
    case "never": isOn = false
    default:
      isOn =
        console.output.isTerminal && (console.environment["NO_COLOR"] ?? "").isEmpty
        && console.knowsEscapes
    }
  }

  /// Text in the colour of its role.
  package func callAsFunction(_ role: Role, _ text: String) -> String {
    isOn ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
  }
}
