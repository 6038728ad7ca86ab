// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An entry of a ``HuffmanTable``: the meaning of a bit sequence.
struct HuffmanEntry {
  /// Bits 0-7: the code's length. 8-11: the number of extra bits. 12-15: the flags. 16-31: the value.
  let rawValue: UInt32

  static let literal: UInt32 = 1 << 12
  static let endOfBlock: UInt32 = 1 << 13
  /// The value is the start of a second-level table, and the extra bits are the index into it.
  static let pointer: UInt32 = 1 << 14
  /// The bits are not a code.
  static let invalid: UInt32 = 1 << 15

  @inline(__always)
  func has(_ flag: UInt32) -> Bool { rawValue & flag != 0 }
  @inline(__always)
  var width: Int { Int(truncatingIfNeeded: rawValue & 0xFF) }
  @inline(__always)
  var extra: Int { Int(truncatingIfNeeded: rawValue >> 8 & 0xF) }
  @inline(__always)
  var value: Int { Int(truncatingIfNeeded: rawValue >> 16) }
}

/// A decoder for a Huffman code: a table indexed by the next bits, followed by second-level tables for longer codes.
struct HuffmanTable {
  private(set) var entries: ContiguousArray<UInt32>
  let primaryBits: Int
  /// The entry of each symbol, without the code's length.
  private let meanings: [UInt32]
  private let name: StaticString
  private var sorted: [Int] = []

  private init(_ name: StaticString, primaryBits: Int, meanings: [UInt32]) {
    self.name = name
    self.primaryBits = primaryBits
    self.meanings = meanings
    entries = ContiguousArray(repeating: HuffmanEntry.invalid, count: 1 << primaryBits)
  }

  static func literals() -> Self { Self("literal", primaryBits: 10, meanings: literalMeanings) }
  static func distances() -> Self { Self("distance", primaryBits: 8, meanings: distanceMeanings) }
  static func codeLengths() -> Self { Self("code length", primaryBits: 7, meanings: codeLengthMeanings) }

  private static let literalMeanings: [UInt32] =
    (0..<256).map { HuffmanEntry.literal | $0 << 16 } + [HuffmanEntry.endOfBlock]
    + meanings(DeflateAlphabet.lengthBase, DeflateAlphabet.lengthExtra) + [HuffmanEntry.invalid, HuffmanEntry.invalid]
  private static let distanceMeanings: [UInt32] =
    meanings(DeflateAlphabet.distanceBase, DeflateAlphabet.distanceExtra) + [
      HuffmanEntry.invalid, HuffmanEntry.invalid,
    ]
  private static let codeLengthMeanings: [UInt32] = (0..<19).map { $0 << 16 }

  private static func meanings(_ base: [Int], _ extra: [Int]) -> [UInt32] {
    zip(base, extra).map { UInt32($0) << 16 | UInt32($1) << 8 }
  }

  /// Builds the table for the canonical code with these lengths, 0 to 15, one per symbol.
  ///
  /// Incomplete codes are rejected, except as in zlib a distance or literal code with one symbol. A code without
  /// symbols is an error only when it is used.
  mutating func build(_ lengths: ArraySlice<UInt8>, at byteOffset: Int) throws(DeflateError) {
    var counts = [Int](repeating: 0, count: 16)
    for width in lengths { counts[Int(width & 15)] += 1 }
    var longest = 15
    while longest > 0, counts[longest] == 0 { longest -= 1 }
    try check(counts, longest: longest, at: byteOffset)
    sort(lengths, counts)
    for i in 0..<1 << primaryBits { entries[i] = HuffmanEntry.invalid }

    var end = 1 << primaryBits
    var code = 0
    var length = 1
    var prefix = -1
    var second = (start: 0, bits: 0)
    for symbol in sorted {
      let width = Int(lengths[lengths.startIndex + symbol] & 15)
      code <<= width - length
      length = width
      let bits = Self.reversed(code, width: width)
      if width <= primaryBits {
        fill(from: bits, to: 1 << primaryBits, step: 1 << width, meanings[symbol] | UInt32(width))
      } else {
        if bits & (1 << primaryBits - 1) != prefix {
          prefix = bits & (1 << primaryBits - 1)
          second = (end, Self.secondBits(width: width, primaryBits: primaryBits, longest: longest, left: counts))
          end += 1 << second.bits
          while entries.count < end { entries.append(HuffmanEntry.invalid) }
          entries[prefix] =
            HuffmanEntry.pointer | UInt32(second.start) << 16 | UInt32(second.bits) << 8 | UInt32(primaryBits)
        }
        fill(
          from: second.start + bits >> primaryBits, to: second.start + 1 << second.bits,
          step: 1 << (width - primaryBits), meanings[symbol] | UInt32(width - primaryBits))
      }
      counts[width] -= 1
      code += 1
    }
  }

  private mutating func fill(from first: Int, to end: Int, step: Int, _ entry: UInt32) {
    var i = first
    while i < end {
      entries[i] = entry
      i += step
    }
  }

  /// Throws if the lengths are oversubscribed or incomplete.
  private func check(_ counts: [Int], longest: Int, at byteOffset: Int) throws(DeflateError) {
    var left = 1
    for width in 1...15 {
      left = left << 1 - counts[width]
      guard left >= 0 else {
        throw DeflateError(.badData, at: byteOffset, "A deflate block has too many \(name) codes")
      }
    }
    let single = longest == 1 && counts[1] == 1 && primaryBits > 7
    guard left == 0 || longest == 0 || single else {
      throw DeflateError(.badData, at: byteOffset, "A deflate block has too few \(name) codes")
    }
  }

  /// Sorts the used symbols by length and then by number, the order of their codes.
  private mutating func sort(_ lengths: ArraySlice<UInt8>, _ counts: [Int]) {
    var next = [Int](repeating: 0, count: 16)
    for width in 1..<15 { next[width + 1] = next[width] + counts[width] }
    let used = next[15] + counts[15]
    sorted.removeAll(keepingCapacity: true)
    sorted.append(contentsOf: repeatElement(0, count: used))
    for (symbol, length) in lengths.enumerated() where length != 0 {
      let width = Int(length & 15)
      sorted[next[width]] = symbol
      next[width] += 1
    }
  }

  /// Returns the index width of the second-level table that begins with a code of `width` bits.
  private static func secondBits(width: Int, primaryBits: Int, longest: Int, left counts: [Int]) -> Int {
    var bits = width - primaryBits
    var room = 1 << bits
    while bits + primaryBits < longest {
      room -= counts[bits + primaryBits]
      if room <= 0 { break }
      bits += 1
      room <<= 1
    }
    return bits
  }

  /// Returns `code` with its bits reversed, the order in which they arrive.
  static func reversed(_ code: Int, width: Int) -> Int {
    Int(UInt16(truncatingIfNeeded: code).bitReversed >> UInt16(16 - width))
  }
}

extension UInt16 {
  var bitReversed: UInt16 {
    var x = self
    x = x >> 1 & 0x5555 | (x & 0x5555) << 1
    x = x >> 2 & 0x3333 | (x & 0x3333) << 2
    x = x >> 4 & 0x0F0F | (x & 0x0F0F) << 4
    return x.byteSwapped
  }
}
