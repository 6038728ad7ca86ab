// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport

/// What is archived: the same values for every coder.
enum Workload: String, CaseIterable, Codable {
  /// One creature, in an archive of its own.
  case small
  /// An array of objects with a title and a rating.
  case creatures
  /// Nodes, each of which refers to four others that many refer to.
  case graph
  /// A tree of nodes that know their parents.
  case tree
  /// Short strings, half of them there more than once.
  case strings
  /// Pieces of data of 64 KiB.
  case blobs

  /// How many values there are, in a quick run and in a whole one.
  func sizes(quick: Bool) -> [Int] {
    switch self {
    case .small: [1]
    case .blobs: quick ? [16, 100] : [16, 100, 256]
    default: quick ? [1000] : [100, 1000, 10_000, 100_000]
    }
  }

  static func title(_ number: Int) -> String {
    (number % 16 == 5 ? "Gespenst № " : "Creature number ") + digits(number, 7)
  }

  static func rating(_ number: Int) -> Float {
    var random = SeededRandom(seed: UInt64(number))
    return Float(random.next() % 51) / 10
  }

  static func text(_ number: Int) -> String {
    guard number % 2 == 1 else { return "d" + digits(number, 6) }
    var random = SeededRandom(seed: UInt64(number))
    return "again-" + digits(Int(random.next() % 1000), 3)
  }

  static func blob(_ number: Int) -> Data {
    var random = SeededRandom(seed: UInt64(number))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1 << 16)
    for _ in 0..<1 << 13 {
      let word = random.next()
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
    return Data(bytes)
  }

  /// The places of a node's children among `count` nodes.
  func children(_ place: Int, of count: Int) -> [Int] {
    if self == .tree { return (4 * place + 1..<4 * place + 5).filter { $0 < count } }
    guard place + 1 < count else { return [] }
    // Only later ones, spread widely, so that no chain is long.
    var random = SeededRandom(seed: UInt64(place))
    return (0..<4).map { _ in place + 1 + Int(random.next() % UInt64(count - place - 1)) }
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
