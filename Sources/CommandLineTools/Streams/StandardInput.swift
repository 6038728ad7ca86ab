// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// Standard input. It provides data, and answers to questions.
package struct StandardInput {
  package let isTerminal: Bool
  private let all: () throws(Failure) -> Data
  private let line: () -> String?
  private let chunk: (() throws(Failure) -> [UInt8])?
  /// Whether more bytes, or the end, can be read without waiting.
  private let hasMore: () -> Bool

  /// Creates an input.
  /// - Parameters:
  ///   - isTerminal: Whether the input is a terminal.
  ///   - line: Returns the next line without its end, or nil at the end of the input.
  ///   - chunk: Returns some more bytes, or none at the end of the input. Nil reads `all` bytes at once.
  ///   - hasMore: Returns whether `chunk` would not wait.
  ///   - all: Returns the whole input.
  package init(
    isTerminal: Bool, line: @escaping () -> String? = { nil }, chunk: (() throws(Failure) -> [UInt8])? = nil,
    hasMore: @escaping () -> Bool = { true }, all: @escaping () throws(Failure) -> Data
  ) {
    self.hasMore = hasMore
    self.isTerminal = isTerminal
    self.line = line
    self.chunk = chunk
    self.all = all
  }

  /// The input of this process. Input that exceeds the default limit for archives is not read to its end.
  static func process() -> StandardInput {
    let stream = Descriptor(number: 0)
    return StandardInput(
      isTerminal: Terminal.isTerminal(0), line: { Swift.readLine() },
      chunk: { () throws(Failure) in try InputBytes.nextPiece(of: stream).map { [UInt8]($0) } ?? [] },
      hasMore: { Terminal.isReady(0) }
    ) { () throws(Failure) in
      try InputBytes.data(ofByteCount: nil) { (limit) throws(SystemError) in
        try WholeFile.data(of: stream, limit: limit)
      }
    }
  }

  /// Returns the whole input.
  package func readAll() throws(Failure) -> Data { try all() }

  /// Returns the next line without its end, or nil at the end of the input.
  package func readLine() -> String? { line() }

  /// Returns some more bytes, and whether they are the last ones.
  private func readMore() throws(Failure) -> (bytes: [UInt8], isLast: Bool) {
    // A comparison with nil needs the type of the function at run time, which older systems cannot provide.
    guard let chunk else { return ([UInt8](try all()), true) }
    let bytes = try chunk()
    return (bytes, bytes.isEmpty)
  }

  /// Calls `body` with pieces of the input, up to its end.
  /// - Parameter body: Receives a piece.
  /// - Throws: ``Failure`` if the input cannot be read, or an error of `body`.
  package func forEachPiece(_ body: (Data) throws(Failure) -> Void) throws(Failure) {
    while true {
      let (bytes, isLast) = try readMore()
      if !bytes.isEmpty { try body(Data(bytes)) }
      if isLast { return }
    }
  }

  /// Calls `body` with each nonempty item of a list while the input arrives, until `body` returns false. Only the
  /// current item and part of the next ones are in memory.
  /// - Parameters:
  ///   - end: The byte that ends an item.
  ///   - idle: Called while a read would wait; returns whether to call it again.
  ///   - body: Receives an item, and whether it is valid UTF-8; returns whether to go on.
  /// - Throws: ``Failure`` if the input cannot be read, or an item has more than 4 MiB.
  package func forEachItem(
    endedBy end: UInt8, idle: () -> Bool = { false }, _ body: (_ item: String, _ isValid: Bool) -> Bool
  ) throws(Failure) {
    var isTooLong = false
    // A path has at most 4096 bytes, so a longer item is not a path.
    try forEachItem(endedBy: end, limit: 1 << 22, idle: idle) { bytes, isWhole in
      isTooLong = !isWhole
      let name = FileName(bytes: bytes)
      return isWhole && (bytes.isEmpty || body(name.text, name.isText))
    }
    guard isTooLong else { return }
    throw Failure(
      .unreadable, "fileAccess", "invalid list of file names: found an item of more than 4 MiB",
      remedy: "Separate the names with newlines, or with zero bytes and --null")
  }

  /// Calls `body` with the bytes of each item while the input arrives, until `body` returns false. Only the current item
  /// and part of the next ones are in memory.
  /// - Parameters:
  ///   - end: The byte that ends an item. The last item needs none.
  ///   - limit: The maximum size of an item.
  ///   - skipsRest: Whether to go on with the next item after one that is too long. Otherwise, it is the last one.
  ///   - idle: Called while a read would wait; returns whether to call it again. The other end of a pipe may wait for an
  ///     answer before it writes more.
  ///   - body: Receives an item, and whether it is whole; returns whether to go on.
  /// - Throws: ``Failure`` if the input cannot be read.
  package func forEachItem(
    endedBy end: UInt8, limit: Int, skipsRest: Bool = false, idle: () -> Bool = { false },
    _ body: (_ item: [UInt8], _ isWhole: Bool) -> Bool
  ) throws(Failure) {
    var item: [UInt8] = []
    var isWhole = true
    var isAtStart = true
    func append(_ more: ArraySlice<UInt8>) {
      isAtStart = isAtStart && more.isEmpty
      let room = limit - item.count
      isWhole = isWhole && more.count <= room
      item += more.prefix(room)
    }
    while true {
      while !hasMore(), idle() {}
      let (more, isLast) = try readMore()
      var rest = more[...]
      while let place = rest.firstIndex(of: end) {
        append(rest[..<place])
        rest = rest[(place + 1)...]
        guard body(item, isWhole) else { return }
        (item, isWhole, isAtStart) = ([], true, true)
      }
      append(rest)
      if !isWhole, !skipsRest { break }
      if isLast { break }
    }
    if !isAtStart { _ = body(item, isWhole) }
  }
}
