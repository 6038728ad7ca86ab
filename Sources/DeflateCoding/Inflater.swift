// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Decompresses deflate blocks (RFC 1951) into a buffer of the expected size.
///
/// The buffer is the limit: output is rejected at its first surplus byte. Error offsets are relative to the start of
/// the input.
package struct Inflater {
  private var bits: BitReader
  private var produced = 0
  private var literals = HuffmanTable.literals()
  private var distances = HuffmanTable.distances()
  private var codeLengths = HuffmanTable.codeLengths()
  private var lengths = [UInt8](repeating: 0, count: 320)

  /// The tables of blocks with fixed codes. They are built once, because such a block can have only ten bits. Building them
  /// takes a thousand times as long as reading it.
  private static let fixedTables: (literals: HuffmanTable, distances: HuffmanTable) = {
    var (literals, distances) = (HuffmanTable.literals(), HuffmanTable.distances())
    // The fixed codes are complete, so neither call throws an error.
    try? literals.build(DeflateAlphabet.fixedLiteralLengths[...], at: 0)
    try? distances.build(DeflateAlphabet.fixedDistanceLengths[...], at: 0)
    return (literals, distances)
  }()

  /// The approximate maximum of bytes per compressed byte: a match of 258 bytes takes two bits.
  package static let maximumExpansion = 1032

  /// Decompresses blocks up to the last one.
  /// - Parameters:
  ///   - input: The bytes that contain the blocks.
  ///   - start: The offset of the first block, at most the size of the input.
  ///   - output: The buffer, which must be filled exactly.
  /// - Returns: The offset after the last block.
  /// - Throws: ``DeflateError`` with code `truncated`, `badData` or `wrongSize`.
  package static func inflate(
    _ input: RawSpan, from start: Int = 0, into output: inout MutableRawSpan
  ) throws(DeflateError) -> Int {
    var inflater = Inflater(bits: BitReader(at: start))
    while try inflater.readBlock(input, into: &output) {}
    guard inflater.produced == output.byteCount else {
      throw DeflateError(
        .wrongSize, at: inflater.bits.byteOffset,
        "The compressed data has the wrong size: found \(inflater.produced) bytes; expected \(output.byteCount)")
    }
    return inflater.bits.alignToByte()
  }

  private init(bits: BitReader) { self.bits = bits }

  /// Reads a block.
  /// - Returns: Whether another block follows.
  private mutating func readBlock(_ input: RawSpan, into output: inout MutableRawSpan) throws(DeflateError) -> Bool {
    let isLast = try bits.take(1, from: input) == 1
    switch try bits.take(2, from: input) {
    case 0: try readStored(input, into: &output)
    case 1:
      let (literals, distances) = Self.fixedTables
      try Self.readCodes(input, &bits, literals, distances, into: &output, at: &produced)
    case 2:
      try readCodeLengths(input)
      try Self.readCodes(input, &bits, literals, distances, into: &output, at: &produced)
    default:
      throw DeflateError(.badData, at: bits.byteOffset, "A deflate block has the invalid type 3")
    }
    return !isLast
  }

  /// Reads an uncompressed block (RFC 1951, 3.2.4).
  private mutating func readStored(_ input: RawSpan, into output: inout MutableRawSpan) throws(DeflateError) {
    let start = bits.alignToByte()
    guard input.byteCount - start >= 4 else { throw BitReader.truncated(input) }
    let count = Int(input.byte(at: start)) | Int(input.byte(at: start + 1)) << 8
    let complement = Int(input.byte(at: start + 2)) | Int(input.byte(at: start + 3)) << 8
    guard count ^ complement == 0xFFFF else {
      throw DeflateError(.badData, at: start, "The length of a stored block does not match its complement")
    }
    guard input.byteCount - start - 4 >= count else { throw BitReader.truncated(input) }
    guard output.byteCount - produced >= count else { throw Self.tooMuch(output.byteCount, at: start) }
    output.copy(input.extracting(start + 4..<start + 4 + count), to: produced)
    produced += count
    bits.seek(to: start + 4 + count)
  }

  /// Reads the codes of a dynamic block (RFC 1951, 3.2.7).
  private mutating func readCodeLengths(_ input: RawSpan) throws(DeflateError) {
    let literalCount = try bits.take(5, from: input) + 257
    let distanceCount = try bits.take(5, from: input) + 1
    let orderCount = try bits.take(4, from: input) + 4
    guard literalCount <= 286, distanceCount <= 30 else {
      throw DeflateError(
        .badData, at: bits.byteOffset,
        "A deflate block has too many codes: found \(literalCount) and \(distanceCount); expected at most 286 and 30")
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
        throw DeflateError(.badData, at: bits.byteOffset, "A deflate block uses an undefined code length")
      }
      if entry.value < 16 {
        lengths[i] = UInt8(truncatingIfNeeded: entry.value)
        i += 1
        continue
      }
      let (value, times) = try readRepeat(entry.value, input, previous: i > 0 ? lengths[i - 1] : nil)
      guard times <= count - i else {
        throw DeflateError(.badData, at: bits.byteOffset, "The code lengths of a deflate block exceed their count")
      }
      for _ in 0..<times {
        lengths[i] = value
        i += 1
      }
    }
    guard lengths[DeflateAlphabet.endOfBlock] != 0 else {
      throw DeflateError(.badData, at: bits.byteOffset, "A deflate block has no end-of-block code")
    }
    try literals.build(lengths[0..<literalCount], at: bits.byteOffset)
    try distances.build(lengths[literalCount..<count], at: bits.byteOffset)
  }

  /// Reads the rest of the symbols 16, 17 and 18.
  private mutating func readRepeat(
    _ symbol: Int, _ input: RawSpan, previous: UInt8?
  ) throws(DeflateError) -> (value: UInt8, times: Int) {
    switch symbol {
    case 16:
      guard let previous else {
        throw DeflateError(.badData, at: bits.byteOffset, "A deflate block repeats a code length before the first")
      }
      return (previous, try bits.take(2, from: input) + 3)
    case 17: return (0, try bits.take(3, from: input) + 3)
    default: return (0, try bits.take(7, from: input) + 11)
    }
  }

  private static func tooMuch(_ room: Int, at offset: Int) -> DeflateError {
    DeflateError(.wrongSize, at: offset, "The compressed data has the wrong size: expected \(room) bytes, found more")
  }
}

extension Inflater {
  /// Decodes the literals and matches of a compressed block.
  ///
  /// A refill provides 56 bits and a match takes at most 48, so each turn refills once, and again after literals.
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
        throw DeflateError(.badData, at: bits.byteOffset, "A match begins before the start of the data")
      }
      guard count <= room &- out else { throw tooMuch(room, at: bits.byteOffset) }
      output.repeatBytes(from: out &- distance, to: out, count: count)
      out &+= count
    }
    reader = bits
    position = out
  }

  /// Returns the entry of the next code and drops its bits.
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
    DeflateError(.badData, at: offset, "A deflate block uses an undefined \(name) code")
  }
}

extension MutableRawSpan {
  /// Copies `count` bytes from `source` to `target`. The ranges may overlap, which repeats a pattern.
  @inline(__always)
  fileprivate mutating func repeatBytes(from source: Int, to target: Int, count: Int) {
    let end = target &+ count
    guard end &+ 8 <= byteCount else {
      for i in 0..<count { set(byte(at: source &+ i), at: target &+ i) }
      return
    }
    // Copy eight bytes at a time; later writes cover up to seven surplus bytes. A short distance doubles until it
    // reaches eight bytes.
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
