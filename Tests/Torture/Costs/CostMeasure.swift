// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// The measure of an entry point: processor time per byte, relative to a plain file.
struct CostMeasure {
  /// A file without anything special, and the entry point that it is measured at.
  private struct Plain {
    let input: Data
    let door: CostDoor

    /// The processor time per byte.
    func cost(_ times: Int) -> Double { CostMeasure.least(times, input, door) / Double(input.count) }
  }

  private let door: CostDoor
  private let plain: Plain
  private let plainCost: Double

  /// Chooses the plain file for inputs of a size: the one that takes most time per byte. Some entry points do little with
  /// plain files, because these have nothing that they use. To decode such a file is the minimum cost.
  /// - Throws: `Breach` if no plain file has the form of the entry point.
  init(_ door: CostDoor, byteCount: Int) throws {
    self.door = door
    let doors = [door] + CostDoor.decoding.filter { $0.name == "decode-list" && !door.isCommand }
    let plains = doors.flatMap { door in
      (Bombs.plain + (door.plain.map { [$0] } ?? [])).compactMap { make in
        door.form.input(make(byteCount)).map { Plain(input: $0, door: door) }
      }
    }
    let costs = plains.map { $0.cost(4) }
    guard let most = costs.max(), let place = costs.firstIndex(of: most) else {
      throw Breach("no plain file has the form of '\(door.name)'")
    }
    plain = plains[place]
    plainCost = most
  }

  /// The inputs that instructions are counted for: a plain file, and its entry point.
  var reference: (input: Data, door: CostDoor) { (plain.input, plain.door) }

  /// The cost of an input, relative to the plain file. A high cost is measured again together with the plain file, because
  /// the speed of the machine changes.
  func ratio(_ input: Data) -> Double {
    let first = Self.least(1, input, door) / door.weight(input) / plainCost
    return first > 2 ? min(first, multiple(input)) : first
  }

  /// The least of several measurements. One above the limit is repeated up to ten times, because other processes can slow
  /// the machine down.
  func repeatedRatio(_ input: Data, limit: Double) -> Double {
    var ratio = min(multiple(input), multiple(input))
    for _ in 0..<10 where ratio > limit { ratio = min(ratio, multiple(input)) }
    return ratio
  }

  private func multiple(_ input: Data) -> Double {
    let cost = Self.least(2, input, door) / door.weight(input)
    return cost / plain.cost(2)
  }

  /// The least processor time of several runs.
  private static func least(_ times: Int, _ data: Data, _ door: CostDoor) -> Double {
    var least = Double.infinity
    for _ in 0..<times { least = min(least, door.cost(data)) }
    return least
  }
}
