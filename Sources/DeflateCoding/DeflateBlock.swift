// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The tokens of a deflate block: literals and matches.
struct DeflateBlock {
  /// A literal is its byte. A match has the top bit set, its length minus 3 from bit 16, and its distance minus 1
  /// below.
  private(set) var tokens: [UInt32] = []
  /// The number of bytes that the tokens encode.
  private(set) var byteCount = 0

  private static let copyFlag: UInt32 = 1 << 31

  private static let fixedLiterals = HuffmanCode(lengths: DeflateAlphabet.fixedLiteralLengths)
  private static let fixedDistances = HuffmanCode(lengths: DeflateAlphabet.fixedDistanceLengths)

  /// Whether to write the block, so that codes adapt to the following bytes.
  var isFull: Bool { tokens.count >= 1 << 15 }

  @inline(__always)
  mutating func append(literal: UInt8) {
    tokens.append(UInt32(literal))
    byteCount &+= 1
  }

  @inline(__always)
  mutating func append(length: Int, distance: Int) {
    tokens.append(
      Self.copyFlag | UInt32(truncatingIfNeeded: length &- DeflateAlphabet.minimumMatch) << 16
        | UInt32(truncatingIfNeeded: distance &- 1))
    byteCount &+= length
  }

  mutating func removeAll() {
    tokens.removeAll(keepingCapacity: true)
    byteCount = 0
  }

  /// Writes the block in the shortest of the three forms.
  /// - Parameters:
  ///   - source: The bytes that the tokens encode.
  ///   - isLast: Whether the block ends the stream.
  ///   - out: The stream.
  func write(source: RawSpan, isLast: Bool, to out: inout BitWriter) {
    let (literals, distances, extraBits) = frequencies()
    let literalCode = HuffmanCode(frequencies: literals, limit: 15)
    let distanceCode = HuffmanCode(frequencies: distances, limit: 15)
    let header = DeflateBlockHeader(literalCode.lengths, distanceCode.lengths)
    let dynamicCost = header.bitCount + literalCode.cost(of: literals) + distanceCode.cost(of: distances) + extraBits
    let fixedCost = Self.fixedLiterals.cost(of: literals) + Self.fixedDistances.cost(of: distances) + extraBits
    // Seven bits for the alignment, and a length per 65535 bytes.
    let storedCost = 8 * byteCount + 7 + (byteCount / 65535 + 1) * 35
    if storedCost < min(dynamicCost, fixedCost) {
      Self.writeStored(source, isLast: isLast, to: &out)
      return
    }
    out.append(isLast ? 1 : 0, width: 1)
    if fixedCost <= dynamicCost {
      out.append(1, width: 2)
      writeTokens(Self.fixedLiterals, Self.fixedDistances, to: &out)
    } else {
      out.append(2, width: 2)
      header.write(to: &out)
      writeTokens(literalCode, distanceCode, to: &out)
    }
  }

  /// Returns the frequency of each symbol, and the total of their extra bits.
  private func frequencies() -> (literals: [Int], distances: [Int], extraBits: Int) {
    var literals = [Int](repeating: 0, count: 286)
    var distances = [Int](repeating: 0, count: 30)
    var extraBits = 0
    literals[DeflateAlphabet.endOfBlock] = 1
    for token in tokens {
      guard token & Self.copyFlag != 0 else {
        literals[Int(token)] += 1
        continue
      }
      let length = DeflateAlphabet.lengthIndex[Int(token >> 16 & 0xFF)]
      let distance = DeflateAlphabet.distanceSymbol(Int(token & 0x7FFF))
      literals[257 + Int(length)] += 1
      distances[distance] += 1
      extraBits += DeflateAlphabet.lengthExtra[Int(length)] + DeflateAlphabet.distanceExtra[distance]
    }
    return (literals, distances, extraBits)
  }

  private func writeTokens(_ literals: HuffmanCode, _ distances: HuffmanCode, to out: inout BitWriter) {
    for token in tokens {
      guard token & Self.copyFlag != 0 else {
        out.append(Int(literals.codes[Int(token)]), width: Int(literals.lengths[Int(token)]))
        continue
      }
      let length = Int(token >> 16 & 0xFF) + DeflateAlphabet.minimumMatch
      let index = Int(DeflateAlphabet.lengthIndex[length - DeflateAlphabet.minimumMatch])
      let lengthSymbol = 257 + index
      out.append(Int(literals.codes[lengthSymbol]), width: Int(literals.lengths[lengthSymbol]))
      out.append(length - DeflateAlphabet.lengthBase[index], width: DeflateAlphabet.lengthExtra[index])
      let distance = Int(token & 0x7FFF) + 1
      let symbol = DeflateAlphabet.distanceSymbol(distance - 1)
      out.append(Int(distances.codes[symbol]), width: Int(distances.lengths[symbol]))
      out.append(distance - DeflateAlphabet.distanceBase[symbol], width: DeflateAlphabet.distanceExtra[symbol])
    }
    let end = DeflateAlphabet.endOfBlock
    out.append(Int(literals.codes[end]), width: Int(literals.lengths[end]))
  }

  /// Writes stored blocks of at most 65535 bytes each.
  private static func writeStored(_ source: RawSpan, isLast: Bool, to out: inout BitWriter) {
    var start = 0
    repeat {
      let end = min(start + 65535, source.byteCount)
      out.append(isLast && end == source.byteCount ? 1 : 0, width: 3)
      out.alignToByte()
      out.append(end - start, width: 16)
      out.append(0xFFFF - (end - start), width: 16)
      out.append(source.extracting(start..<end))
      start = end
    } while start < source.byteCount
  }
}

/// The header of a dynamic block: code lengths in runs, themselves Huffman coded (RFC 1951, 3.2.7).
private struct DeflateBlockHeader {
  private var symbols: [(symbol: Int, extra: Int, width: Int)] = []
  private let literalCount: Int
  private let distanceCount: Int
  private let orderCount: Int
  private let code: HuffmanCode
  /// The size of the header in bits.
  let bitCount: Int

  init(_ literals: [UInt8], _ distances: [UInt8]) {
    literalCount = max(257, (literals.lastIndex { $0 != 0 } ?? 0) + 1)
    distanceCount = max(1, (distances.lastIndex { $0 != 0 } ?? 0) + 1)
    symbols = Self.runs(literals[..<literalCount] + distances[..<distanceCount])
    var frequencies = [Int](repeating: 0, count: 19)
    for run in symbols { frequencies[run.symbol] += 1 }
    let code = HuffmanCode(frequencies: frequencies, limit: 7)
    self.code = code
    let used = DeflateAlphabet.codeLengthOrder.lastIndex { code.lengths[$0] != 0 } ?? 0
    orderCount = max(4, used + 1)
    bitCount = 14 + 3 * orderCount + code.cost(of: frequencies) + symbols.reduce(0) { $0 + $1.width }
  }

  /// Returns the runs of equal lengths: symbol 16 repeats the previous length; 17 and 18 are zeros.
  private static func runs(_ lengths: ArraySlice<UInt8>) -> [(symbol: Int, extra: Int, width: Int)] {
    var result: [(symbol: Int, extra: Int, width: Int)] = []
    var i = lengths.startIndex
    while i < lengths.endIndex {
      let length = lengths[i]
      var end = i
      while end < lengths.endIndex, lengths[end] == length { end += 1 }
      if length != 0 {
        result.append((Int(length), 0, 0))
        i += 1
      }
      while end - i >= 3 {
        let times = end - i
        if length != 0 {
          result.append((16, min(times, 6) - 3, 2))
          i += min(times, 6)
        } else if times <= 10 {
          result.append((17, times - 3, 3))
          i += times
        } else {
          result.append((18, min(times, 138) - 11, 7))
          i += min(times, 138)
        }
      }
      while i < end {
        result.append((Int(length), 0, 0))
        i += 1
      }
    }
    return result
  }

  func write(to out: inout BitWriter) {
    out.append(literalCount - 257, width: 5)
    out.append(distanceCount - 1, width: 5)
    out.append(orderCount - 4, width: 4)
    for symbol in DeflateAlphabet.codeLengthOrder[..<orderCount] { out.append(Int(code.lengths[symbol]), width: 3) }
    for run in symbols {
      out.append(Int(code.codes[run.symbol]), width: Int(code.lengths[run.symbol]))
      out.append(run.extra, width: run.width)
    }
  }
}
