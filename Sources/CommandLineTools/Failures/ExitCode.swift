// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The exit codes of all tools. The numbers are stable; `--help` prints them.
package enum ExitCode: Int32, CaseIterable, Comparable, Sendable {
  case fine = 0
  case negative = 1
  case usage = 2
  case unreadable = 3
  case notAnArchive = 4
  case classNotAllowed = 5
  case limitReached = 6
  case notWritten = 7

  /// The default meaning; see ``Tool/meaning(of:)``.
  package var meaning: String {
    switch self {
    case .fine: "ok"
    case .negative: "negative result"
    case .usage: "usage error"
    case .unreadable: "file not readable"
    case .notAnArchive: "not a keyed archive, or damaged"
    case .classNotAllowed: "class not allowed"
    case .limitReached: "limit reached"
    case .notWritten: "output not written"
    }
  }

  /// Orders codes by severity; with several inputs, the highest code wins.
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
