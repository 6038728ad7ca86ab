// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat

/// Where data come from if no file is named, and answers if somebody is there to give them.
package struct StandardInput {
  /// Whether a person types it.
  package let isTerminal: Bool
  private let all: () throws(Failure) -> Data
  private let line: () -> String?

  /// Makes an input: `line` is asked for the next line without its end, or nil at the end of the input.
  package init(
    isTerminal: Bool, line: @escaping () -> String? = { nil }, all: @escaping () throws(Failure) -> Data
  ) {
    self.isTerminal = isTerminal
    self.line = line
    self.all = all
  }

  /// The process's own. More than an archive may have is read to no purpose, and not read.
  static func process() -> StandardInput {
    StandardInput(isTerminal: Terminal.isTerminal(0), line: { Swift.readLine() }) { () throws(Failure) in
      try Terminal.readAll(0, limit: ReadLimits.default.maximumByteCount)
    }
  }

  /// All there is.
  package func readAll() throws(Failure) -> Data { try all() }

  /// The next line, without its end; nil if there is none.
  package func readLine() -> String? { line() }
}
