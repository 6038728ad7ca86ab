// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Reads deflate blocks (RFC 1951) into room of exactly the size they must fill.
///
/// The room is the limit: blocks that would give more are refused at the first byte too many. Offsets in errors count
/// from the start of the input.
package struct Inflater {
  private var bits: BitReader
  private var produced = 0
  private var literals = HuffmanTable.literals()
  private var distances = HuffmanTable.distances()
  private var codeLengths = HuffmanTable.codeLengths()
  private var lengths = [UInt8](repeating: 0, count: 320)

  /// The most bytes that one compressed byte can give, nearly: two bits for a copy of 258 bytes.
  package static let maximumExpansion = 1032

  /// Inflates the blocks that begin at `start`, up to the one that says it is the last.
  /// - Parameters:
  ///   - input: the compressed bytes, and what stands before and behind them.
  ///   - start: where the first block begins, at most the number of bytes of the input.
  ///   - output: the room, which must be filled exactly.
  /// - Returns: where the first byte behind the last block stands.
  /// - Throws: ``DeflateError`` with code `truncated`, `badData` or `wrongSize`.
  package static func inflate(
    _ input: RawSpan, from start: Int = 0, into output: inout MutableRawSpan
  ) throws(DeflateError) -> Int {
    var inflater = Inflater(bits: BitReader(at: start))
    while try inflater.readBlock(input, into: &output) {}
    guard inflater.produced == output.byteCount else {
      throw DeflateError(
        .wrongSize, at: inflater.bits.byteOffset,
        "The compressed data ends after giving \(inflater.produced) bytes, where \(output.byteCount) were expected")
    }
    return inflater.bits.alignToByte()
  }

  private init(bits: BitReader) { self.bits = bits }

  /// Reads one block; returns whether another follows.
  private mutating func readBlock(_ input: RawSpan, into output: inout MutableRawSpan) throws(DeflateError) -> Bool {
    let isLast = try bits.take(1, from: input) == 1
    switch try bits.take(2, from: input) {
    case 0:
      try readStored(input, into: &output)
    case 1:
      try literals.build(DeflateAlphabet.fixedLiteralLengths[...], at: bits.byteOffset)
      try distances.build(DeflateAlphabet.fixedDistanceLengths[...], at: bits.byteOffset)
      try Self.readCodes(input, &bits, literals, distances, into: &output, at: &produced)
    case 2:
      try readCodeLengths(input)
      try Self.readCodes(input, &bits, literals, distances, into: &output, at: &produced)
    default:
      throw DeflateError(.badData, at: bits.byteOffset, "A deflate block is of type 3, which does not exist")
    }
    return !isLast
  }

  /// A block that is not compressed (RFC 1951, 3.2.4).
  private mutating func readStored(_ input: RawSpan, into output: inout MutableRawSpan) throws(DeflateError) {
    let start = bits.alignToByte()
    guard input.byteCount - start >= 4 else { throw BitReader.truncated(input) }
    let count = Int(input.byte(at: start)) | Int(input.byte(at: start + 1)) << 8
    let complement = Int(input.byte(at: start + 2)) | Int(input.byte(at: start + 3)) << 8
    guard count ^ complement == 0xFFFF else {
      throw DeflateError(.badData, at: start, "The length of a stored block and its complement do not agree")
    }
    guard input.byteCount - start - 4 >= count else { throw BitReader.truncated(input) }
    guard output.byteCount - produced >= count else { throw Self.tooMuch(output.byteCount, at: start) }
    output.copy(input.extracting(start + 4..<start + 4 + count), to: produced)
    produced += count
    bits.seek(to: start + 4 + count)
  }

  /// The codes in front of a dynamic block (RFC 1951, 3.2.7).
  private mutating func readCodeLengths(_ input: RawSpan) throws(DeflateError) {
    let literalCount = try bits.take(5, from: input) + 257
    let distanceCount = try bits.take(5, from: input) + 1
    let orderCount = try bits.take(4, from: input) + 4
    guard literalCount <= 286, distanceCount <= 30 else {
      throw DeflateError(
        .badData, at: bits.byteOffset,
        "A deflate block claims \(literalCount) literal and \(distanceCount) distance codes; 286 and 30 are the most")
    }
    for i in 0..<19 { lengths[i] = 0 }
    for i in 0..<orderCount {
      lengths[DeflateAlphabet.codeLengthOrder[i]] = UInt8(truncatingIfNeeded: try bits.take(3, from: input))
    }
    try codeLengths.build(lengths[0..<19], at: bits.byteOffset)

    let count = literalCount + distanceCount
    var i = 0
    while i < count {
      bits.refill(input)
      let entry = HuffmanEntry(rawValue: codeLengths.entries[Int(truncatingIfNeeded: bits.buffer & 0x7F)])
      bits.drop(entry.width)
      guard bits.count >= 0 else { throw BitReader.truncated(input) }
      guard !entry.has(HuffmanEntry.invalid) else {
        throw DeflateError(.badData, at: bits.byteOffset, "A deflate block uses a code length it did not define")
      }
      if entry.value < 16 {
        lengths[i] = UInt8(truncatingIfNeeded: entry.value)
        i += 1
        continue
      }
      let (value, times) = try readRepeat(entry.value, input, previous: i > 0 ? lengths[i - 1] : nil)
      guard times <= count - i else {
        throw DeflateError(
          .badData, at: bits.byteOffset, "The code lengths of a deflate block overrun their count")
      }
      for _ in 0..<times {
        lengths[i] = value
        i += 1
      }
    }
    guard lengths[DeflateAlphabet.endOfBlock] != 0 else {
      throw DeflateError(.badData, at: bits.byteOffset, "A deflate block has no code for its own end")
    }
    try literals.build(lengths[0..<literalCount], at: bits.byteOffset)
    try distances.build(lengths[literalCount..<count], at: bits.byteOffset)
  }

  /// What the symbols 16, 17 and 18 stand for.
  private mutating func readRepeat(
    _ symbol: Int, _ input: RawSpan, previous: UInt8?
  ) throws(DeflateError) -> (value: UInt8, times: Int) {
    switch symbol {
    case 16:
      guard let previous else {
        throw DeflateError(
          .badData, at: bits.byteOffset, "A deflate block repeats a code length before the first")
      }
      return (previous, try bits.take(2, from: input) + 3)
    case 17: return (0, try bits.take(3, from: input) + 3)
    default: return (0, try bits.take(7, from: input) + 11)
    }
  }

  private static func tooMuch(_ room: Int, at offset: Int) -> DeflateError {
    DeflateError(.wrongSize, at: offset, "The compressed data gives more than the \(room) bytes that were expected")
  }
}

extension Inflater {
  /// The literals and copies of a compressed block.
  ///
  /// A refill gives 56 bits and a copy takes 48 at most, so each turn refills once, and twice after literals.
  private static func readCodes(
    _ input: RawSpan, _ reader: inout BitReader, _ literals: borrowing HuffmanTable,
    _ distances: borrowing HuffmanTable,
    into output: inout MutableRawSpan, at position: inout Int
  ) throws(DeflateError) {
    let literalTable = literals.entries.span
    let distanceTable = distances.entries.span
    let literalMask: UInt64 = 1 << UInt64(literals.primaryBits) - 1
    let distanceMask: UInt64 = 1 << UInt64(distances.primaryBits) - 1
    let room = output.byteCount
    var bits = reader
    var out = position
    while true {
      bits.refill(input)
      var entry = lookUp(literalTable, literalMask, &bits)
      while entry.has(HuffmanEntry.literal) {
        guard bits.count >= 0 else { throw BitReader.truncated(input) }
        guard out < room else { throw tooMuch(room, at: bits.byteOffset) }
        output.set(UInt8(truncatingIfNeeded: entry.value), at: out)
        out &+= 1
        bits.refill(input)
        entry = lookUp(literalTable, literalMask, &bits)
      }
      guard bits.count >= 0 else { throw BitReader.truncated(input) }
      if entry.rawValue & (HuffmanEntry.endOfBlock | HuffmanEntry.invalid) != 0 {
        guard entry.has(HuffmanEntry.endOfBlock) else { throw undefined("literal", at: bits.byteOffset) }
        break
      }
      let count = entry.value &+ extraBits(entry.extra, &bits)
      entry = lookUp(distanceTable, distanceMask, &bits)
      let distance = entry.value &+ extraBits(entry.extra, &bits)
      guard bits.count >= 0 else { throw BitReader.truncated(input) }
      guard !entry.has(HuffmanEntry.invalid) else { throw undefined("distance", at: bits.byteOffset) }
      guard distance <= out else {
        throw DeflateError(.badData, at: bits.byteOffset, "A copy reaches back before the start of the data")
      }
      guard count <= room &- out else { throw tooMuch(room, at: bits.byteOffset) }
      output.repeatBytes(from: out &- distance, to: out, count: count)
      out &+= count
    }
    reader = bits
    position = out
  }

  /// The entry of the next code, whose bits are dropped.
  @inline(__always)
  private static func lookUp(_ table: Span<UInt32>, _ mask: UInt64, _ bits: inout BitReader) -> HuffmanEntry {
    var entry = HuffmanEntry(rawValue: table[Int(truncatingIfNeeded: bits.buffer & mask)])
    if entry.has(HuffmanEntry.pointer) {
      bits.drop(entry.width)
      let index = Int(truncatingIfNeeded: bits.buffer) & (1 &<< entry.extra &- 1)
      entry = HuffmanEntry(rawValue: table[entry.value &+ index])
    }
    bits.drop(entry.width)
    return entry
  }

  @inline(__always)
  private static func extraBits(_ width: Int, _ bits: inout BitReader) -> Int {
    let value = Int(truncatingIfNeeded: bits.buffer) & (1 &<< width &- 1)
    bits.drop(width)
    return value
  }

  private static func undefined(_ name: StaticString, at offset: Int) -> DeflateError {
    DeflateError(.badData, at: offset, "A deflate block uses a \(name) code it did not define")
  }
}

extension MutableRawSpan {
  /// Writes `count` bytes at `target` that repeat what stands from `source` on; the two may overlap, as copies in
  /// deflate do to repeat a pattern.
  @inline(__always)
  fileprivate mutating func repeatBytes(from source: Int, to target: Int, count: Int) {
    let end = target &+ count
    guard end &+ 8 <= byteCount else {
      for i in 0..<count { set(byte(at: source &+ i), at: target &+ i) }
      return
    }
    // Eight bytes at a time, up to seven too many: what is written later covers them. A short distance doubles until
    // eight bytes hold nothing unwritten.
    var distance = target &- source
    var to = target
    while distance < 8, to < end {
      set(word(at: source), at: to)
      to &+= distance
      distance &+= distance
    }
    while to < end {
      set(word(at: to &- distance), at: to)
      to &+= 8
    }
  }
}
