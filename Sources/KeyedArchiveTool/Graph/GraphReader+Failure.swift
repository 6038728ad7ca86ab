// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension Failure {
  /// Converts an error of a ``GraphReader``.
  init(reading error: KeyedArchiveError) {
    self.init(error)
    guard error.limitRemedy == .readPart else { return }
    remedy = "To show a part of the archive, use for example 'tree --path \'#1\''"
  }
}

extension TextStyle {
  /// Creates the style of a terminal.
  init(_ style: Style) {
    guard style.isOn else {
      self = .plain
      return
    }
    self.init { role, text in
      switch role {
      case .key: style(.key, text)
      case .className: style(.className, text)
      case .string: style(.string, text)
      case .number: style(.number, text)
      case .dim: style(.dim, text)
      case .wrong: style(.wrong, text)
      }
    }
  }
}
