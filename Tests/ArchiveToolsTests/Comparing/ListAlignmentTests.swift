// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import ArchiveTools
import HarnessSupport
import Testing

@testable import KeyedArchiving

@Suite("Lists are aligned as well as can be, or in a time that grows with their lengths")
struct ListAlignmentTests {
  private func align(_ a: [UInt64], _ b: [UInt64]) throws -> [ListAlignment.Pair] {
    try ListAlignment.align(a, b) { _, _ in [] }
  }

  /// The length of the longest common subsequence, by the table that everybody knows.
  private func longestCommon(_ a: [UInt64], _ b: [UInt64]) -> Int {
    var row = [Int](repeating: 0, count: b.count + 1)
    for x in a {
      var corner = 0
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = x == y ? corner + 1 : max(above, row[j])
        corner = above
      }
    }
    return row[b.count]
  }

  /// Every place is there once, in order, and what is paired is the same.
  private func expectSound(_ pairs: [ListAlignment.Pair], _ a: [UInt64], _ b: [UInt64]) {
    #expect(pairs.compactMap(\.old) == Array(a.indices) && pairs.compactMap(\.new) == Array(b.indices))
    for case (let i?, let j?) in pairs.map({ ($0.old, $0.new) }) { #expect(a[i] == b[j]) }
  }

  @Test(
    "few changes: as many pairs as there can be, unless as many elements changed where they are", arguments: 0..<400)
  func small(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let letters: UInt64 = [2, 3, 8, 50][seed % 4]
    let a = (0..<Int.random(in: 0...24, using: &random)).map { _ in random.next() % letters }
    var b = seed % 5 == 0 ? (0..<Int.random(in: 0...24, using: &random)).map { _ in random.next() % letters } : a
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      if !b.isEmpty, Bool.random(using: &random) { b.remove(at: Int.random(in: b.indices, using: &random)) }
      b.insert(random.next() % letters, at: Int.random(in: 0...b.count, using: &random))
    }
    let pairs = try align(a, b)
    expectSound(pairs, a, b)
    let paired = pairs.count { $0.old != nil && $0.new != nil }
    let inPlace = a.count == b.count ? zip(a, b).count { $0 == $1 } : 0
    #expect(paired == longestCommon(a, b) || paired >= inPlace && inPlace > 0, "\(a) \(b)")
  }

  @Test("long lists with many changes: what is there once in each is found, in a moment")
  func long() throws {
    var random = SeededRandom(seed: 1)
    let a = (0..<100_000).map { _ in random.next() }
    var b: [UInt64] = []
    for value in a {
      if random.next() % 10 == 0 { b.append(random.next()) }
      if random.next() % 10 != 0 { b.append(value) }
    }
    var pairs: [ListAlignment.Pair] = []
    let time = try System.time { pairs = try align(a, b) }
    #expect(time < .seconds(20))
    expectSound(pairs, a, b)
    #expect(pairs.count { $0.old != nil && $0.new != nil } == Set(a).intersection(b).count)
  }

  @Test("long lists of few different elements end too")
  func repetitive() throws {
    var random = SeededRandom(seed: 2)
    let a = (0..<50_000).map { _ in random.next() % 2 }
    let b = (0..<50_001).map { _ in random.next() % 2 }
    let time = try System.time { () throws in
      expectSound(try align(a, b), a, b)
      expectSound(try align(b, a), b, a)
    }
    #expect(time < .seconds(20))
  }

  @Test("what is between is asked for in stretches")
  func stretches() throws {
    var asked: [(Range<Int>, Range<Int>)] = []
    let pairs = try ListAlignment.align([1, 2, 3, 9, 5], [1, 7, 8, 3, 6, 5]) { old, new in
      asked.append((old, new))
      return [(old.lowerBound, new.upperBound - 1)]
    }
    #expect(asked.map(\.0) == [1..<2, 3..<4] && asked.map(\.1) == [1..<3, 4..<5])
    #expect(pairs.map(\.old) == [0, nil, 1, 2, 3, 4] && pairs.map(\.new) == [0, 1, 2, 3, 4, 5])
  }
}
