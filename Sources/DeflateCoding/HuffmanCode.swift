// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A Huffman code for encoding: for each symbol, its bits in output order and their number.
struct HuffmanCode {
  let lengths: [UInt8]
  let codes: [UInt16]

  /// Creates the canonical code with these lengths (RFC 1951, 3.2.2).
  init(lengths: [UInt8]) {
    self.lengths = lengths
    var counts = [Int](repeating: 0, count: 17)
    for length in lengths where length > 0 { counts[Int(length)] += 1 }
    var next = [Int](repeating: 0, count: 17)
    for length in 1..<16 { next[length + 1] = (next[length] + counts[length]) << 1 }
    codes = lengths.map { length in
      guard length > 0 else { return 0 }
      let code = next[Int(length)]
      next[Int(length)] += 1
      return UInt16(truncatingIfNeeded: HuffmanTable.reversed(code, width: Int(length)))
    }
  }

  /// Creates the optimal code for symbol frequencies, with codes of at most `limit` bits.
  ///
  /// At least two symbols get a code, because some decoders require complete codes.
  init(frequencies: [Int], limit: Int) {
    var used = frequencies.indices.filter { frequencies[$0] > 0 }
    for symbol in frequencies.indices where used.count < 2 && !used.contains(symbol) { used.append(symbol) }
    // Equal frequencies stay in the order of their symbols, which makes the result deterministic.
    used.sort { (frequencies[$0], $0) < (frequencies[$1], $1) }
    let counts = Self.limited(Self.depths(used.map { max(1, frequencies[$0]) }), to: limit)
    var lengths = [UInt8](repeating: 0, count: frequencies.count)
    // The rarest symbols get the longest codes.
    var i = 0
    for length in stride(from: limit, through: 1, by: -1) {
      for _ in 0..<counts[length] {
        lengths[used[i]] = UInt8(truncatingIfNeeded: length)
        i += 1
      }
    }
    self.init(lengths: lengths)
  }

  /// Returns the number of leaves at each depth of the Huffman tree for sorted weights.
  private static func depths(_ weights: [Int]) -> [Int] {
    // Leaves come first, then inner nodes in the order of their creation, which is also by weight.
    var weight = weights
    var parent = [Int](repeating: 0, count: 2 * weights.count - 1)
    var leaf = 0
    var inner = weights.count
    while weight.count < parent.count {
      var sum = 0
      for _ in 0..<2 {
        let takesLeaf = leaf < weights.count && (inner >= weight.count || weight[leaf] <= weight[inner])
        let node = takesLeaf ? leaf : inner
        if takesLeaf { leaf += 1 } else { inner += 1 }
        sum += weight[node]
        parent[node] = weight.count
      }
      weight.append(sum)
    }
    var depth = [Int](repeating: 0, count: parent.count)
    var counts = [Int](repeating: 0, count: weights.count + 1)
    for node in stride(from: parent.count - 2, through: 0, by: -1) {
      depth[node] = depth[parent[node]] + 1
      if node < weights.count { counts[depth[node]] += 1 }
    }
    return counts
  }

  /// Shortens codes longer than `limit` and lengthens the longest shorter codes to compensate.
  private static func limited(_ counts: [Int], to limit: Int) -> [Int] {
    var result = [Int](repeating: 0, count: limit + 1)
    for (depth, count) in counts.enumerated() { result[min(depth, limit)] += count }
    result[0] = 0
    // The used code space, in units of the longest code.
    var space = 0
    for length in 1...limit { space += result[length] << (limit - length) }
    while space > 1 << limit {
      guard let longer = (1..<limit).last(where: { result[$0] > 0 }) else { break }
      result[limit] -= 1
      result[longer] -= 1
      result[longer + 1] += 2
      space -= 1
    }
    return result
  }

  /// Returns the size in bits of symbols with these frequencies, without extra bits.
  func cost(of frequencies: [Int]) -> Int {
    zip(frequencies, lengths).reduce(0) { $0 + $1.0 * Int($1.1) }
  }
}
