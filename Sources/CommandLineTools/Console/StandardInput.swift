// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat

/// Standard input. It provides data, and answers to questions.
package struct StandardInput {
  package let isTerminal: Bool
  private let all: () throws(Failure) -> Data
  private let line: () -> String?
  private let chunk: (() throws(Failure) -> [UInt8])?

  /// Creates an input.
  /// - Parameters:
  ///   - isTerminal: Whether the input is a terminal.
  ///   - line: Returns the next line without its end, or nil at the end of the input.
  ///   - chunk: Returns some more bytes, or none at the end of the input. Nil reads `all` bytes at once.
  ///   - all: Returns the whole input.
  package init(
    isTerminal: Bool, line: @escaping () -> String? = { nil }, chunk: (() throws(Failure) -> [UInt8])? = nil,
    all: @escaping () throws(Failure) -> Data
  ) {
    self.isTerminal = isTerminal
    self.line = line
    self.chunk = chunk
    self.all = all
  }

  /// The input of this process. Input that exceeds the default limit for archives is not read to its end.
  static func process() -> StandardInput {
    StandardInput(
      isTerminal: Terminal.isTerminal(0), line: { Swift.readLine() },
      chunk: { () throws(Failure) in try Terminal.readSome(0) }
    ) { () throws(Failure) in
      try Terminal.readAll(0, limit: ReadLimits.default.maximumByteCount)
    }
  }

  /// Returns the whole input.
  package func readAll() throws(Failure) -> Data { try all() }

  /// Returns the next line without its end, or nil at the end of the input.
  package func readLine() -> String? { line() }

  /// Calls `body` with each nonempty item of a list while the input arrives, until `body` returns false. Only the
  /// current item and part of the next ones are in memory.
  /// - Parameters:
  ///   - end: The byte that ends an item.
  ///   - body: Receives an item; returns whether to go on.
  /// - Throws: ``Failure`` if the input cannot be read, or an item has more than 4 MiB.
  package func forEachItem(endedBy end: UInt8, _ body: (String) -> Bool) throws(Failure) {
    guard let chunk else {
      for item in [UInt8](try all()).split(separator: end) {
        guard body(String(decoding: item, as: UTF8.self)) else { return }
      }
      return
    }
    var rest: [UInt8] = []
    while true {
      let more = try chunk()
      rest += more
      guard !more.isEmpty else { break }
      // A path has at most 4096 bytes, so a longer item is not a path.
      guard rest.count <= 1 << 22 else {
        throw Failure(
          .unreadable, "fileAccess", "invalid list of file names: found an item of more than 4 MiB",
          remedy: "Separate the names with newlines, or with zero bytes and --null")
      }
      var items = rest.split(separator: end, omittingEmptySubsequences: false)
      rest = Array(items.popLast() ?? [])
      for item in items where !item.isEmpty {
        guard body(String(decoding: item, as: UTF8.self)) else { return }
      }
    }
    if !rest.isEmpty { _ = body(String(decoding: rest, as: UTF8.self)) }
  }
}
