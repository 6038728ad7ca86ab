// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Compresses data into deflate blocks (RFC 1951).
///
/// Matches are found through chains of earlier positions with the same three or four bytes. Matching is lazy: a match
/// is deferred by one byte if the next position has a longer one. Equal input always gives equal output.
package struct Deflater {
  /// The maximum number of candidates per position. The search parameters match about zlib's level 6.
  private static let chainLength = 128
  /// A match of this length ends the search.
  private static let niceLength = 128
  /// After a match of this length, only a quarter of the chain is searched.
  private static let goodLength = 8
  /// After a match of this length, the next position is not searched.
  private static let lazyLength = 16
  /// Beyond this distance, a match of three bytes takes more bits than three literals.
  private static let farDistance = 4096
  private static let hashBits = 15
  /// Positions are 32-bit numbers, so longer input is compressed in pieces.
  private static let pieceSize = 1 << 30

  /// The kind of data, which determines the useful matches.
  package enum Content {
    /// Recurring bytes, such as text and palette rows.
    case plain
    /// Mostly small differences. Short matches in them are accidental and worsen the literal code: a minimum of six
    /// bytes makes photos 8 to 11 % smaller.
    case filtered

    fileprivate var shortestCopy: Int { self == .plain ? 3 : 6 }
    /// The mask of the next four bytes that candidates must share.
    fileprivate var hashedBytes: UInt32 { self == .plain ? 0x00FF_FFFF : 0xFFFF_FFFF }
  }
  /// The number of bytes read for the hash.
  private static let hashWidth = 4

  private let shortest: Int
  private let hashed: UInt32
  private var head = ContiguousArray<Int32>(repeating: -1, count: 1 << hashBits)
  private var previous = ContiguousArray<Int32>(repeating: -1, count: DeflateAlphabet.windowSize)
  private var block = DeflateBlock()
  private var written = 0
  private var out = BitWriter()

  private init(_ content: Content) {
    shortest = content.shortestCopy
    hashed = content.hashedBytes
  }

  /// Compresses bytes.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - content: The kind of data.
  ///   - prefix: Bytes to write before the blocks.
  /// - Returns: The prefix and the blocks, padded to a whole byte.
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

  /// Converts the bytes to tokens and writes full blocks.
  private mutating func search(
    _ bytes: RawSpan, _ heads: inout ContiguousArray<Int32>, _ chains: inout ContiguousArray<Int32>
  ) {
    var head = heads.mutableSpan
    var chain = chains.mutableSpan
    let count = bytes.byteCount
    var i = 0
    // The match at the previous position, which is not yet accepted.
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

  /// Adds a position to the chain of its hash.
  /// - Returns: The previous position in the chain, or -1.
  @inline(__always)
  private func insert(
    _ place: Int, _ bytes: RawSpan, _ head: inout MutableSpan<Int32>, _ chain: inout MutableSpan<Int32>
  ) -> Int {
    let next = bytes.halfWord(at: place) & hashed
    // Multiplying by an odd number near 2^32 / golden ratio mixes the bits, the highest ones best.
    let hash = Int(truncatingIfNeeded: (next &* 0x9E37_79B1) >> UInt32(32 - Self.hashBits))
    let last = head[hash]
    chain[place & (DeflateAlphabet.windowSize &- 1)] = last
    head[hash] = Int32(truncatingIfNeeded: place)
    return Int(last)
  }

  /// Returns the nearest of the longest matches at `place` that are longer than `least`; length 2 without such a match.
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
      // A longer match must agree at the byte after the best one.
      if bytes.byte(at: candidate &+ best.length) == bytes.byte(at: place &+ best.length) {
        let length = Self.commonLength(bytes, candidate, place, most)
        if length > best.length {
          best = Match(length: length, distance: place &- candidate)
          if length >= Self.niceLength || length == most { break }
        }
      }
      let next = Int(chain[candidate & (DeflateAlphabet.windowSize &- 1)])
      // An overwritten slot holds a later position, which ends the chain.
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
