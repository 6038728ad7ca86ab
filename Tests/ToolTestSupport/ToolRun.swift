// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import CommandLineTools
package import Foundation

/// A run of a tool in the test's process.
package struct ToolRun {
  /// The exit code.
  package let code: ExitCode
  /// Standard output.
  package let data: Data
  /// Standard error.
  package let errors: String

  /// Standard output as text.
  package var output: String { String(decoding: data, as: UTF8.self) }

  /// The lines of standard output.
  package var lines: [String] {
    output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Each line of standard output as JSON, parsed by Foundation.
  package var json: [[String: Any]] {
    get throws {
      try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    }
  }

  /// Runs a tool.
  /// - Parameters:
  ///   - tool: The tool.
  ///   - arguments: Its arguments.
  ///   - input: Its standard input.
  ///   - answers: The answers to questions; nil if standard input and standard error are not terminals.
  ///   - isTerminal: Whether standard output is a terminal.
  ///   - width: The columns of that terminal.
  ///   - environment: The environment variables.
  ///   - outcome: The outcome of each write to standard output, which receives nothing if that is not `written`.
  package init(
    _ tool: Tool, _ arguments: [String], input: Data = Data(), answers: [String]? = nil, isTerminal: Bool = false,
    width: Int = 80, environment: [String: String] = [:], outcome: Terminal.Outcome = .written
  ) {
    var (out, err) = (Data(), Data())
    var answers = answers.map { $0[...] }
    let console = Console(
      tool: tool,
      input: StandardInput(isTerminal: answers != nil, line: { answers?.popFirst() }) { () throws(Failure) in input },
      output: TextOutput(isTerminal: isTerminal, width: { width }) {
        if outcome == .written { out.append(contentsOf: $0) }
        return outcome
      },
      errors: TextOutput(isTerminal: answers != nil) {
        err.append(contentsOf: $0)
        return .written
      },
      environment: environment)
    code = Tool.run(arguments, on: console)
    data = out
    errors = String(decoding: err, as: UTF8.self)
  }
}
