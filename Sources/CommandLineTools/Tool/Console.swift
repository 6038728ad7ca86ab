// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The standard streams and the environment of a command. Tests supply their own.
package final class Console {
  package let tool: Tool
  package let input: StandardInput
  /// Standard output. It receives only data.
  package let output: TextOutput
  /// Standard error. It receives messages.
  package let errors: TextOutput
  package let environment: [String: String]

  package init(
    tool: Tool, input: StandardInput, output: TextOutput, errors: TextOutput, environment: [String: String] = [:]
  ) {
    self.tool = tool
    self.input = input
    self.output = output
    self.errors = errors
    self.environment = environment
    if output.isTerminal { output.neighbor = errors }
  }

  /// Returns the console of this process.
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

  /// Returns whether a run over many items continues. One that changes files does if the reader closes the output.
  package func continues(changingFiles: Bool) -> Bool { changingFiles || output.isOpen }

  /// Whether the terminal supports escape sequences.
  package var knowsEscapes: Bool { !["", "dumb"].contains(environment["TERM"] ?? "") }

  /// Writes a one-line message to standard error.
  package func say(_ text: String) {
    output.flush()
    errors.write("\(tool.name): " + EscapedText.plain(text) + "\n")
    errors.flush()
  }

  /// Reports a failure of `item` on standard error. The JSON form has the item under `noun`, so its message does not
  /// repeat it.
  package func report(_ failure: Failure, file item: String?, noun: String = "file", json: Bool = false) {
    guard json else { return say(item.map { "\($0): \(failure.line)" } ?? failure.line) }
    sayJSON { line in
      line.key("error")
      line.beginObject()
      line.field("code", failure.code)
      line.field("exit", Int(failure.exit.rawValue))
      if let item { line.field(noun, item) }
      line.field("message", EscapedText.plain(failure.line))
      line.endObject()
    }
  }
}

// JSON objects, one per line.
extension Console {
  /// Writes an object with the fields that `fields` writes to standard output.
  package func writeJSON(_ fields: (inout JSONWriter) -> Void) { output.write(jsonLine(fields)) }

  package func sayJSON(_ fields: (inout JSONWriter) -> Void) {
    output.flush()
    errors.write(jsonLine(fields))
    errors.flush()
  }

  /// Returns an object in a line. The tool's schema, if any, is the first key.
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

extension Style {
  /// Creates the style that ``Option/color``, the environment and the output ask for.
  package init(_ choice: String?, on console: Console) {
    switch choice ?? "auto" {
    case "always": self.init(isOn: true)
    case "never": self.init(isOn: false)
    default:
      self.init(
        isOn: console.output.isTerminal && (console.environment["NO_COLOR"] ?? "").isEmpty && console.knowsEscapes)
    }
  }
}
