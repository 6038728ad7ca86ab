// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// Everything a command may touch besides its files: standard streams and environment. Tests bring their own.
package final class Console {
  /// The tool that speaks.
  package let tool: Tool
  /// Standard input.
  package let input: StandardInput
  /// Standard output: data and nothing else.
  package let output: TextOutput
  /// Standard error: what is said to people.
  package let errors: TextOutput
  /// The environment variables.
  package let environment: [String: String]

  /// Makes a console of its streams.
  package init(
    tool: Tool, input: StandardInput, output: TextOutput, errors: TextOutput, environment: [String: String] = [:]
  ) {
    self.tool = tool
    self.input = input
    self.output = output
    self.errors = errors
    self.environment = environment
    if output.isTerminal { output.neighbour = errors }
  }

  /// The process's own streams.
  package static func process(of tool: Tool) -> Console {
    Console(
      tool: tool, input: .process(),
      output: TextOutput(isTerminal: Terminal.isTerminal(1), width: { Terminal.width(1) }) {
        Terminal.write($0, to: 1)
      },
      errors: TextOutput(isTerminal: Terminal.isTerminal(2), width: { Terminal.width(2) }) {
        Terminal.write($0, to: 2)
      },
      environment: ProcessInfo.processInfo.environment)
  }

  /// Whether the terminal, if there is one, is known to obey escape sequences.
  package var knowsEscapes: Bool { !["", "dumb"].contains(environment["TERM"] ?? "") }

  /// Says something to people, in one line.
  package func say(_ text: String) {
    output.flush()
    errors.write("\(tool.name): " + EscapedText.plain(text) + "\n")
    errors.flush()
  }

  /// Says what went wrong with a file or another item; for machines as a JSON object, which also holds the line that
  /// people get, and the item under its `noun`.
  package func report(_ failure: Failure, file item: String?, noun: String = "file", json: Bool = false) {
    let text = item.map { "\($0): \(failure.line)" } ?? failure.line
    guard json else { return say(text) }
    sayJSON { line in
      line.key("error")
      line.beginObject()
      line.field("code", failure.code)
      line.field("exit", Int(failure.exit.rawValue))
      if let item { line.field(noun, item) }
      line.field("message", "\(tool.name): " + EscapedText.plain(text))
      line.endObject()
    }
  }
}

// JSON objects, one a line.
extension Console {
  /// Writes an object to standard output; `fields` writes what is in it.
  package func writeJSON(_ fields: (inout JSONWriter) -> Void) { output.write(jsonLine(fields)) }

  /// Writes an object to standard error.
  package func sayJSON(_ fields: (inout JSONWriter) -> Void) {
    output.flush()
    errors.write(jsonLine(fields))
    errors.flush()
  }

  /// An object in a line, with the number of the tool's schema first, if it has one.
  private func jsonLine(_ fields: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    if let schema = tool.schema { json.field("schema", schema) }
    fields(&json)
    json.endObject()
    json.newline()
    return json.bytes
  }
}
