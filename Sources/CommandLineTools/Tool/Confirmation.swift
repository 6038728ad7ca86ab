// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Asks for confirmation before a command deletes something or changes it in place.
///
/// The question goes to standard error; only `y` or `yes` confirms. ``Option/force`` confirms without asking. Without a
/// terminal, or with ``Option/noInput``, the command fails and says how to go on.
package struct Confirmation {
  private let console: Console
  private let isForced: Bool
  /// Why the tool cannot ask; nil if it can.
  private let hindrance: String?

  /// Creates a confirmation from `--force` and `--no-input`.
  package init(_ arguments: Arguments, on console: Console) {
    self.console = console
    isForced = arguments.has(.force)
    let hasTerminal = console.input.isTerminal && console.errors.isTerminal
    hindrance = arguments.has(.noInput) ? "with --no-input" : hasTerminal ? nil : "without a terminal"
  }

  /// Asks a question. After a negative answer, a command does nothing and returns ``ExitCode/negative``.
  /// - Parameter question: The question, such as `Delete creature 3 'Ghost'?`; control characters are escaped.
  /// - Returns: Whether to go on.
  /// - Throws: ``Failure`` with code `confirmationNeeded` if the tool cannot ask.
  package func callAsFunction(_ question: String) throws(Failure) -> Bool {
    guard !isForced else { return true }
    let question = EscapedText.plain(question)
    if let hindrance {
      throw Failure(
        .usage, "confirmationNeeded", "cannot ask '\(question)' \(hindrance)",
        remedy: "Add --force to skip the confirmation")
    }
    console.output.flush()
    console.errors.write("\(question) [y/N] ")
    console.errors.flush()
    guard let answer = console.input.readLine() else {
      // At the end of the input, the cursor is still behind the question.
      console.errors.write("\n")
      console.errors.flush()
      return false
    }
    let letters = answer.unicodeScalars.filter { !$0.properties.isWhitespace }
    return ["y", "yes"].contains(String(String.UnicodeScalarView(letters)).lowercased())
  }
}
