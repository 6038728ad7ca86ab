// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The question before something is deleted or changed in place.
///
/// It is asked on standard error and answered on a terminal; nothing but `y` or `yes` is a yes. With ``Option/force``
/// the answer is yes without a question. Where nobody can be asked, or with ``Option/noInput``, there is no default:
/// the command ends and says how to go on.
package struct Confirmation {
  private let console: Console
  private let isForced: Bool
  private let mayAsk: Bool

  /// Takes `--force` and `--no-input` from a command's arguments.
  package init(_ arguments: Arguments, on console: Console) {
    self.console = console
    isForced = arguments.has(.force)
    mayAsk = !arguments.has(.noInput) && console.input.isTerminal && console.errors.isTerminal
  }

  /// Asks. A command that is told no does nothing and ends with ``ExitCode/negative``.
  /// - Parameter question: such as `Delete creature 3 'Ghost'?`; what could harm a terminal is escaped.
  /// - Returns: whether to go on.
  /// - Throws: ``Failure`` with code `confirmationNeeded` if nobody can be asked.
  package func callAsFunction(_ question: String) throws(Failure) -> Bool {
    guard !isForced else { return true }
    let question = EscapedText.plain(question)
    guard mayAsk else {
      throw Failure(
        .usage, "confirmationNeeded", "there is nobody to ask '\(question)'",
        remedy: "Say --force to do it without asking")
    }
    console.output.flush()
    console.errors.write("\(question) [y/N] ")
    console.errors.flush()
    guard let answer = console.input.readLine() else {
      // The input's end leaves the cursor behind the question.
      console.errors.write("\n")
      console.errors.flush()
      return false
    }
    let letters = answer.unicodeScalars.filter { !$0.properties.isWhitespace }
    return ["y", "yes"].contains(String(String.UnicodeScalarView(letters)).lowercased())
  }
}
