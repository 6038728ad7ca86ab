// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Text that the shells take as it stands.
enum ShellQuote {
  /// In single quotes, for bash and zsh; fish takes more than that as special, see ``fish(_:)``.
  static func posix(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }

  /// In single quotes, in which fish knows `\'` and `\\`.
  static func fish(_ text: String) -> String {
    "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
  }
}
