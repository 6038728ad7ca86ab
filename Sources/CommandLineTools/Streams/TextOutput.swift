// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A buffered output stream.
package final class TextOutput {
  package let isTerminal: Bool
  /// The outcome so far. After a failure, output is dropped.
  package private(set) var outcome = Terminal.Outcome.written
  /// Another stream to the same terminal, whose status line is erased before output.
  var neighbor: TextOutput?
  private var buffer: [UInt8] = []
  private var hasStatus = false
  private let currentWidth: () -> Int
  private let sink: ([UInt8]) -> Terminal.Outcome

  /// Creates a stream to `sink`; `width` returns the terminal's current width in columns.
  package init(
    isTerminal: Bool, width: @escaping () -> Int = { Terminal.defaultWidth },
    to sink: @escaping ([UInt8]) -> Terminal.Outcome
  ) {
    self.isTerminal = isTerminal
    currentWidth = width
    self.sink = sink
  }

  /// The terminal's width in columns; nil if the stream is not a terminal.
  package var width: Int? { isTerminal ? currentWidth() : nil }

  /// Whether further output can be written.
  package var isOpen: Bool { outcome == .written }

  package func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 1 << 16 { flush() }
  }

  package func write(_ bytes: [UInt8]) {
    guard bytes.count < 1 << 16 else {
      // A large result is not copied.
      flush()
      neighbor?.eraseStatus()
      eraseStatus()
      if isOpen { outcome = sink(bytes) }
      return
    }
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Passes buffered output to the sink.
  package func flush() {
    guard !buffer.isEmpty else { return }
    neighbor?.eraseStatus()
    eraseStatus()
    if isOpen { outcome = sink(buffer) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Shows a status line, which the next output replaces. The terminal must support escape sequences.
  func show(status: String) {
    flush()
    send("\r\(Self.eraseLine)\(status)")
    hasStatus = true
  }

  /// Erases the status line.
  func eraseStatus() {
    guard hasStatus else { return }
    hasStatus = false
    send("\r\(Self.eraseLine)")
  }

  private func send(_ text: String) {
    if isOpen { outcome = sink(Array(text.utf8)) }
  }

  /// Erases from the cursor to the line's end (ECMA-48, EL).
  private static let eraseLine = "\u{1B}[K"
}

/// Colors for text on terminals.
package struct Style {
  /// The role of a piece of text.
  package enum Role: String {
    case heading = "1"
    case key = "36"
    case className = "1;34"
    case string = "32"
    case number = "33"
    case dim = "2"
    case wrong = "1;31"
  }

  package let isOn: Bool

  package init(isOn: Bool) { self.isOn = isOn }

  /// Returns text in the color of its role.
  package func callAsFunction(_ role: Role, _ text: String) -> String {
    isOn ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
  }
}
