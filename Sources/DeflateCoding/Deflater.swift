// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Writes deflate blocks (RFC 1951).
///
/// Copies are found through chains of earlier places with the same three or four bytes, and a copy is put off by one byte
/// when the next place has a longer one. The same bytes always give the same stream.
package struct Deflater {
  /// How hard to search: these give about the effort of zlib's level 6.
  private static let chainLength = 128
  /// A copy this long is good enough to end the search.
  private static let niceLength = 128
  /// With a copy of this length in hand, only a quarter of the chain is tried for a longer one.
  private static let goodLength = 8
  /// With a copy of this length in hand, no longer one is looked for.
  private static let lazyLength = 16
  /// A copy of three bytes from farther away costs more than three literals.
  private static let farDistance = 4096
  private static let hashBits = 15
  /// Places are 32-bit numbers; longer input is searched in pieces.
  private static let pieceSize = 1 << 30

  /// What the bytes are: it decides which copies are worth their bits.
  package enum Content {
    /// Bytes whose values recur, such as text and palette rows.
    case plain
    /// Differences, mostly small ones. Short copies among them are chance, and spoil the literals' code: leaving out
    /// those below six bytes made photos 8 to 11 % smaller.
    case filtered

    fileprivate var shortestCopy: Int { self == .plain ? 3 : 6 }
    /// Which of the next four bytes must agree for a place to be tried.
    fileprivate var hashedBytes: UInt32 { self == .plain ? 0x00FF_FFFF : 0xFFFF_FFFF }
  }
  /// As many bytes as are looked at for the hash.
  private static let hashWidth = 4

  private let shortest: Int
  private let hashed: UInt32
  private var head = [Int32](repeating: -1, count: 1 << hashBits)
  private var previous = [Int32](repeating: -1, count: DeflateAlphabet.windowSize)
  private var block = DeflateBlock()
  private var written = 0
  private var out = BitWriter()

  private init(_ content: Content) {
    shortest = content.shortestCopy
    hashed = content.hashedBytes
  }

  /// Compresses `bytes` into blocks, the last of which says so and is filled up to a whole byte.
  /// - Parameters:
  ///   - bytes: what to compress.
  ///   - content: what kind of bytes they are.
  ///   - prefix: whole bytes to write in front of the blocks.
  /// - Returns: the prefix and the blocks.
  package static func compress(_ bytes: RawSpan, _ content: Content, behind prefix: [UInt8] = []) -> [UInt8] {
    var deflater = Deflater(content)
    for byte in prefix { deflater.out.append(Int(byte), width: 8) }
    var start = 0
    repeat {
      let end = start + min(pieceSize, bytes.byteCount - start)
      deflater.compressPiece(bytes.extracting(start..<end), isLast: end == bytes.byteCount)
      start = end
    } while start < bytes.byteCount
    deflater.out.alignToByte()
    return deflater.out.bytes
  }

  private mutating func compressPiece(_ bytes: RawSpan, isLast: Bool) {
    for i in head.indices { head[i] = -1 }
    written = 0
    var heads = head
    var chains = previous
    swap(&heads, &head)
    swap(&chains, &previous)
    search(bytes, &heads, &chains)
    writeBlock(bytes, isLast: isLast)
    head = heads
    previous = chains
  }

  /// Turns the bytes into tokens, and writes each full block.
  private mutating func search(_ bytes: RawSpan, _ heads: inout [Int32], _ chains: inout [Int32]) {
    var head = heads.mutableSpan
    var chain = chains.mutableSpan
    let count = bytes.byteCount
    var i = 0
    // What was found one byte before: not yet decided on.
    var pending = Match(length: 2, distance: 0)
    var hasPending = false
    while i < count {
      var match = Match(length: 2, distance: 0)
      if count &- i >= Self.hashWidth {
        let candidate = insert(i, bytes, &head, &chain)
        if pending.length < Self.lazyLength {
          match = longestMatch(at: i, from: candidate, longerThan: pending.length, bytes, &chain)
        }
      }
      if pending.length >= DeflateAlphabet.minimumMatch, match.length <= pending.length {
        block.append(length: pending.length, distance: pending.distance)
        let end = i &- 1 &+ pending.length
        let lastInsert = min(end, count &- Self.hashWidth &+ 1)
        var j = i &+ 1
        while j < lastInsert {
          _ = insert(j, bytes, &head, &chain)
          j &+= 1
        }
        i = end
        pending = Match(length: 2, distance: 0)
        hasPending = false
      } else {
        if hasPending { block.append(literal: bytes.byte(at: i &- 1)) }
        pending = match
        hasPending = true
        i &+= 1
      }
      if block.isFull { writeBlock(bytes, isLast: false) }
    }
    if hasPending { block.append(literal: bytes.byte(at: count &- 1)) }
  }

  private mutating func writeBlock(_ bytes: RawSpan, isLast: Bool) {
    block.write(source: bytes.extracting(written..<written + block.byteCount), isLast: isLast, to: &out)
    written += block.byteCount
    block.removeAll()
  }
}

extension Deflater {
  private struct Match {
    var length: Int
    var distance: Int
  }

  /// Notes a place under its first bytes; returns the last place with the same ones, or -1.
  @inline(__always)
  private func insert(
    _ place: Int, _ bytes: RawSpan, _ head: inout MutableSpan<Int32>, _ chain: inout MutableSpan<Int32>
  ) -> Int {
    let next = bytes.halfWord(at: place) & hashed
    // Multiplication by an odd number near 2^32 over the golden ratio spreads the bits; the highest are the best mixed.
    let hash = Int(truncatingIfNeeded: (next &* 0x9E37_79B1) >> UInt32(32 - Self.hashBits))
    let last = head[hash]
    chain[place & (DeflateAlphabet.windowSize &- 1)] = last
    head[hash] = Int32(truncatingIfNeeded: place)
    return Int(last)
  }

  /// The longest copy at `place` that is longer than `least`, the nearest of those; length 2 where there is none.
  private func longestMatch(
    at place: Int, from first: Int, longerThan least: Int, _ bytes: RawSpan, _ chain: inout MutableSpan<Int32>
  ) -> Match {
    let most = min(DeflateAlphabet.maximumMatch, bytes.byteCount &- place)
    var best = Match(length: least, distance: 0)
    var candidate = first
    var tries = least >= Self.goodLength ? Self.chainLength / 4 : Self.chainLength
    let oldest = place &- DeflateAlphabet.windowSize
    guard least < most else { return Match(length: 2, distance: 0) }
    while candidate >= 0, candidate >= oldest, tries > 0 {
      // A longer copy must agree at the byte that would make it longer.
      if bytes.byte(at: candidate &+ best.length) == bytes.byte(at: place &+ best.length) {
        let length = Self.commonLength(bytes, candidate, place, most)
        if length > best.length {
          best = Match(length: length, distance: place &- candidate)
          if length >= Self.niceLength || length == most { break }
        }
      }
      let next = Int(chain[candidate & (DeflateAlphabet.windowSize &- 1)])
      // A slot that was written over holds a younger place: the chain ends.
      if next >= candidate { break }
      candidate = next
      tries &-= 1
    }
    let isFar = best.length == DeflateAlphabet.minimumMatch && best.distance > Self.farDistance
    return best.distance == 0 || best.length < shortest || isFar ? Match(length: 2, distance: 0) : best
  }

  @inline(__always)
  private static func commonLength(_ bytes: RawSpan, _ a: Int, _ b: Int, _ most: Int) -> Int {
    var length = 0
    while length &+ 8 <= most {
      let difference = bytes.word(at: a &+ length) ^ bytes.word(at: b &+ length)
      if difference != 0 { return length &+ difference.trailingZeroBitCount &>> 3 }
      length &+= 8
    }
    while length < most, bytes.byte(at: a &+ length) == bytes.byte(at: b &+ length) { length &+= 1 }
    return length
  }
}
