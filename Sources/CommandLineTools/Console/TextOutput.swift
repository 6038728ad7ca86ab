// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A stream of output, handed on in large pieces.
package final class TextOutput {
  /// Whether a person reads it directly.
  package let isTerminal: Bool
  /// How it went so far. After anything but success, output is dropped.
  package private(set) var outcome = Terminal.Outcome.written
  /// Another stream to the same terminal, whose status line makes room for this one's output.
  var neighbour: TextOutput?
  private var buffer: [UInt8] = []
  private var hasStatus = false
  private let currentWidth: () -> Int
  private let sink: ([UInt8]) -> Terminal.Outcome

  /// Makes a stream that ends in a function; `width` is the terminal's, in columns, at the time it is asked for.
  package init(
    isTerminal: Bool, width: @escaping () -> Int = { Terminal.usualWidth },
    to sink: @escaping ([UInt8]) -> Terminal.Outcome
  ) {
    self.isTerminal = isTerminal
    currentWidth = width
    self.sink = sink
  }

  /// How many columns the terminal has; nil if it is none, for then no line is too long.
  package var width: Int? { isTerminal ? currentWidth() : nil }

  /// Whether there is any use in producing more.
  package var isOpen: Bool { outcome == .written }

  /// Writes text.
  package func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Writes bytes.
  package func write(_ bytes: [UInt8]) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Hands on what was written so far.
  package func flush() {
    guard !buffer.isEmpty else { return }
    neighbour?.eraseStatus()
    eraseStatus()
    if isOpen { outcome = sink(buffer) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Shows a line that the next one, or any other output, takes the place of. The terminal must know escape sequences.
  func show(status: String) {
    flush()
    hand("\r\(Self.eraseLine)\(status)")
    hasStatus = true
  }

  /// Takes the line away again.
  func eraseStatus() {
    guard hasStatus else { return }
    hasStatus = false
    hand("\r\(Self.eraseLine)")
  }

  private func hand(_ text: String) {
    if isOpen { outcome = sink(Array(text.utf8)) }
  }

  /// Erases from the cursor to the line's end (ECMA-48, EL).
  private static let eraseLine = "\u{1B}[K"
}
