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
  private let chunk: (() throws(Failure) -> [UInt8])?

  /// Makes an input: `line` is asked for the next line without its end, or nil at the end of the input; `chunk` for some
  /// more bytes, none at the end. Without it, `all` bytes are one chunk.
  package init(
    isTerminal: Bool, line: @escaping () -> String? = { nil }, chunk: (() throws(Failure) -> [UInt8])? = nil,
    all: @escaping () throws(Failure) -> Data
  ) {
    self.isTerminal = isTerminal
    self.line = line
    self.chunk = chunk
    self.all = all
  }

  /// The process's own. More than an archive may have is read to no purpose, and not read.
  static func process() -> StandardInput {
    StandardInput(
      isTerminal: Terminal.isTerminal(0), line: { Swift.readLine() },
      chunk: { () throws(Failure) in try Terminal.readSome(0) }
    ) { () throws(Failure) in
      try Terminal.readAll(0, limit: ReadLimits.default.maximumByteCount)
    }
  }

  /// All there is.
  package func readAll() throws(Failure) -> Data { try all() }

  /// The next line, without its end; nil if there is none.
  package func readLine() -> String? { line() }

  /// Hands over the items of a list one after the other as they come, each without the byte that ends it, until `body`
  /// returns false. Items of no bytes are none. In memory is one item and some of the next ones.
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
      // A file's name has 4096 bytes at the most; what is longer is none.
      guard rest.count <= 1 << 22 else {
        throw Failure(.unreadable, "fileAccess", "what should be a list of file names has an item of 4 MiB")
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
