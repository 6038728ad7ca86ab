// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Digests of an archive's objects, by which text can sort what has no order.
///
/// They depend neither on UIDs nor on the order of keys, pairs and the elements of sets, and are the same in each process.
/// Each round of their computation includes the objects one reference further. Equal digests do not prove that two objects
/// are alike. In archives that programs write, such objects can change places without changing the text.
struct ContentDigests {
  /// The digest of what an object contains, and one of all references to and from it. The second decides only between equal
  /// contents, because it changes with the rest of the archive.
  struct Digest: Comparable {
    var contents: UInt64 = 0
    var surroundings: UInt64 = 0

    static func < (a: Self, b: Self) -> Bool { (a.contents, a.surroundings) < (b.contents, b.surroundings) }
  }

  /// The maximum number of rounds.
  private static let maximumRounds = 64

  /// A part of a value, and a number that its key or index gives.
  private struct Edge {
    let from: Int
    let label: UInt64
    let to: Int
    /// The node of the value that belongs to a key which is an object; -1 without one.
    var value = -1
  }

  private var edges: [Edge] = []
  private var nodes: [ArchiveUID: Int] = [:]
  private var digests: [Digest] = []

  /// Computes the digests.
  /// - Parameters:
  ///   - archive: The archive.
  ///   - head: Returns the text of a value without its parts.
  init(_ archive: KeyedArchive, head: (GraphReader.Shape) -> String) {
    var reader = GraphReader(archive)
    var heads: [UInt64] = []
    var values: [KeyedArchive.StoredValue] = [.dictionary((try? archive.top) ?? [])]
    func add(_ value: KeyedArchive.StoredValue, _ nodes: inout [ArchiveUID: Int]) -> Int {
      if case .reference(let uid) = value {
        if let known = nodes[uid] { return known }
        nodes[uid] = values.count
      }
      values.append(value)
      return values.count - 1
    }
    while heads.count < values.count {
      let (node, shape) = (heads.count, reader.shape(of: values[heads.count]))
      heads.append(Self.hash(head(shape)))
      let isSet = shape.isSet
      for line in reader.lines(of: shape) {
        let place = add(line.value, &nodes)
        switch line.label {
        case .key(let text), .pair(let text): edges.append(Edge(from: node, label: Self.hash(text), to: place))
        case .element(let index): edges.append(Edge(from: node, label: isSet ? 1 : UInt64(index + 2), to: place))
        case .pairKey: edges.append(Edge(from: node, label: 0, to: place))
        case .pairValue:
          // It follows its key.
          if let last = edges.indices.last { edges[last].value = place }
        }
      }
      guard !reader.isExhausted else { return }
    }
    let contents = refined(heads, includingReferrers: false)
    digests = zip(contents, refined(contents, includingReferrers: true)).map(Digest.init)
  }

  /// Repeats the rounds until they distinguish no more nodes.
  private func refined(_ heads: [UInt64], includingReferrers: Bool) -> [UInt64] {
    var (last, count) = (heads, Set(heads).count)
    for _ in 0..<Self.maximumRounds {
      // Sums, because the order of edges does not count: the label of an element has its index.
      var sums = heads
      for edge in edges {
        let value = edge.value < 0 ? 0 : last[edge.value]
        sums[edge.from] &+= Self.mix(Self.mix(edge.label, last[edge.to]), value)
        guard includingReferrers else { continue }
        let from = Self.mix(edge.label, last[edge.from])
        sums[edge.to] &+= Self.mix(Self.mix(3, from), value)
        if edge.value >= 0 { sums[edge.value] &+= Self.mix(Self.mix(4, from), last[edge.to]) }
      }
      last = sums
      let newCount = Set(last).count
      guard newCount > count else { break }
      count = newCount
    }
    return last
  }

  /// Returns the digest of a reference's object. All are equal for other values, and if the archive exceeds the limits.
  subscript(_ value: KeyedArchive.StoredValue) -> Digest {
    guard case .reference(let uid) = value, let node = nodes[uid], node < digests.count else { return Digest() }
    return digests[node]
  }

  private static func hash(_ text: String) -> UInt64 { FNVHash.of(ContiguousArray(text.utf8).span) }

  /// Combines two hashes in an order that counts. The constants are those of the finalizer of MurmurHash3.
  private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var hash = a &* 0x9E37_79B9_7F4A_7C15 ^ b
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }
}

extension GraphReader.Shape {
  /// Whether the value is a set, whose elements have no order.
  var isSet: Bool {
    if case .object(_, let contents) = self, case .set = contents.members { true } else { false }
  }
}
