// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// Everything a command may touch besides its files: standard streams and environment. Tests bring their own.
final class Console {
  /// Standard output: data and nothing else.
  let output: TextOutput
  /// Standard error: what is said to people.
  let errors: TextOutput
  /// The environment variables.
  let environment: [String: String]
  private let readInput: () throws(Failure) -> Data

  init(
    output: TextOutput, errors: TextOutput, environment: [String: String] = [:],
    readInput: @escaping () throws(Failure) -> Data
  ) {
    self.output = output
    self.errors = errors
    self.environment = environment
    self.readInput = readInput
  }

  /// The process's own streams.
  static func process() -> Console {
    Console(
      output: TextOutput(isTerminal: Terminal.isTerminal(1)) { Terminal.write($0, to: 1) },
      errors: TextOutput(isTerminal: Terminal.isTerminal(2)) { Terminal.write($0, to: 2) },
      environment: ProcessInfo.processInfo.environment,
      readInput: { () throws(Failure) in try Terminal.readAll(0, limit: ReadLimits.default.maximumByteCount) })
  }

  /// Standard input, whole.
  func standardInput() throws(Failure) -> Data { try readInput() }

  /// Says something to people, in one line.
  func say(_ text: String) {
    output.flush()
    errors.write("keyedarchive: " + EscapedText.plain(text) + "\n")
    errors.flush()
  }

  /// Says what went wrong with a file; for machines as a JSON object, which also holds the line that people get.
  func report(_ failure: Failure, file: String?, json: Bool = false) {
    let text = file.map { "\($0): \(failure.line)" } ?? failure.line
    guard json else { return say(text) }
    var line = JSONWriter()
    line.beginObject()
    line.key("error")
    line.beginObject()
    line.field("code", failure.code)
    line.field("exit", Int(failure.exit.rawValue))
    if let file { line.field("file", file) }
    line.field("message", "keyedarchive: " + EscapedText.plain(text))
    line.endObject()
    line.endObject()
    output.flush()
    errors.write(line.bytes)
    errors.write("\n")
    errors.flush()
  }
}

/// A stream of output, handed on in large pieces.
final class TextOutput {
  /// Whether a person reads it directly.
  let isTerminal: Bool
  /// How it went so far. After anything but success, output is dropped.
  private(set) var outcome = Terminal.Outcome.written
  private var buffer: [UInt8] = []
  private let sink: ([UInt8]) -> Terminal.Outcome

  init(isTerminal: Bool, to sink: @escaping ([UInt8]) -> Terminal.Outcome) {
    self.isTerminal = isTerminal
    self.sink = sink
  }

  /// Whether there is any use in producing more.
  var isOpen: Bool { outcome == .written }

  func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 1 << 16 { flush() }
  }

  func write(_ bytes: [UInt8]) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { flush() }
  }

  func flush() {
    guard !buffer.isEmpty else { return }
    if isOpen { outcome = sink(buffer) }
    buffer.removeAll(keepingCapacity: true)
  }
}
