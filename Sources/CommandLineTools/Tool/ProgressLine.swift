// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The progress of a long task: a line on standard error that erases itself, such as `12 of 340 images, 35 a second`.
///
/// It is shown only on a terminal that supports escape sequences, without ``Option/quiet``, and after ``delay``.
package final class ProgressLine {
  /// The time before the line is shown.
  package static let delay = Duration.milliseconds(500)
  /// The minimum time between updates.
  package static let interval = Duration.milliseconds(100)

  private let noun: String
  private let total: Int?
  private let errors: TextOutput
  private let isOn: Bool
  private let now: () -> ContinuousClock.Instant
  private let start: ContinuousClock.Instant
  private var nextLine: ContinuousClock.Instant
  private var count = 0

  /// Begins a task; call ``finish()`` at its end.
  /// - Parameters:
  ///   - noun: The name of one counted item.
  ///   - total: The number of items, if known.
  ///   - isQuiet: Whether to show nothing.
  ///   - console: The console whose standard error shows the line.
  ///   - now: The clock.
  package init(
    of noun: String, total: Int? = nil, isQuiet: Bool, on console: Console,
    now: @escaping () -> ContinuousClock.Instant = { .now }
  ) {
    self.noun = noun
    self.total = total
    self.now = now
    errors = console.errors
    isOn = console.errors.isTerminal && console.knowsEscapes && !isQuiet
    start = now()
    nextLine = start.advanced(by: Self.delay)
  }

  /// Counts `more` items as done.
  package func advance(by more: Int = 1) {
    count += more
    guard isOn else { return }
    let time = now()
    guard time >= nextLine else { return }
    nextLine = time.advanced(by: Self.interval)
    // Leave one column free, because a cursor behind the last column may begin a new line.
    errors.show(status: DisplayWidth.cut(text(after: start.duration(to: time)), to: max(1, (errors.width ?? 0) - 1)))
  }

  /// Erases the line.
  package func finish() { errors.eraseStatus() }

  private func text(after time: Duration) -> String {
    let done = total.map { "\(count) of \(CountText.text($0, noun))" } ?? CountText.text(count, noun)
    return "\(done), \(Self.rate(Double(count) / (time / .seconds(1)))) a second"
  }

  /// Returns a number, with one decimal if it is small.
  private static func rate(_ rate: Double) -> String {
    guard rate < 1e15 else { return "many" }
    let tenths = Int64((rate * 10).rounded())
    return tenths < 100 && tenths % 10 > 0 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
  }
}
