// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What a tool tells its caller when it ends. The numbers are part of the contract; `--help` prints this table.
package enum ExitCode: Int32, CaseIterable, Comparable, Sendable {
  case fine = 0
  case negative = 1
  case usage = 2
  case unreadable = 3
  case notAnArchive = 4
  case classNotAllowed = 5
  case limitReached = 6
  case notWritten = 7

  /// What it means, for people, unless the tool says it in more detail; see ``Tool/meaning(of:)``.
  package var meaning: String {
    switch self {
    case .fine: "fine"
    case .negative: "the answer is no"
    case .usage: "the command line is not understood"
    case .unreadable: "a file cannot be read"
    case .notAnArchive: "not a keyed archive, or a damaged one"
    case .classNotAllowed: "a class is not on the list"
    case .limitReached: "a limit was reached"
    case .notWritten: "the result could not be written"
    }
  }

  /// With several inputs the worst code wins, which is the highest.
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
