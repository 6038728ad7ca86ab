// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import HarnessSupport
import KeyedArchiving
import PropertyListFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Sets and dictionaries with object keys: the same bytes in each process, one call of encode(with:) for each object, and a
// cost that grows with the number of objects.
//
//   archive-torture sets [--graphs 1000] [--processes 4] [--seed 1]
enum SetOrderRun {
  static func run(_ arguments: inout Arguments) throws {
    let graphs = max(1, try arguments.number("graphs", 1000))
    let processes = max(1, try arguments.number("processes", 4))
    let seed = try arguments.number("seed", 1)
    try arguments.finish()
    let children = try (0..<max(2, processes)).map { _ in
      try Child(["sets-worker", "--graphs", "\(graphs)", "--seed", "\(seed)"])
    }
    var failures = 0
    var bytes = 0
    for number in 0..<graphs {
      let lines = try children.map { try $0.line() ?? "nothing: the process ended" }
      bytes += lines.first.flatMap { Int($0.split(separator: " ").first ?? "") } ?? 0
      guard Set(lines).count > 1 || lines[0].hasSuffix("!") else { continue }
      failures += 1
      print("graph \(seed + number): \(lines)")
    }
    failures += children.count { $0.end() != 0 }
    print(
      "\(graphs) graphs, \(bytes) bytes, in \(children.count) processes: \(graphs - failures) passed, \(failures) failed"
    )
    for shape in Shape.allCases {
      // Others may be at work on the machine, which only ever makes it slower; the pairs are mixed so that both suffer. The
      // small graph is archived eight times: a shorter time is more often free of others, and the ratio would show that.
      let (small, times) = (4000, 8)
      var least = (small: Double.infinity, large: Double.infinity)
      var rounds = 0
      // At least 3 rounds, and more as long as a neighbour can be the reason for a ratio above the limit.
      while rounds < 3 || rounds < 40 && least.large * Double(times) > 10 * least.small {
        least.small = min(least.small, try (0..<times).reduce(0) { sum, _ in try sum + shape.cost(small) })
        least.large = min(least.large, try shape.cost(times * small))
        rounds += 1
      }
      let ratio = least.large * Double(times) / least.small
      let each = least.large / Double(times * small) * 1e6
      let isFine = ratio <= 10
      print(
        "\(shape.rawValue): \(times) times \(small) objects cost \((ratio * 10).rounded() / 10) times as much, "
          + "\((each * 10).rounded() / 10) µs each\(isFine ? "" : ": above 10")")
      if !isFine { failures += 1 }
    }
    System.end(failures == 0 ? 0 : 1)
  }

  /// Archives each graph and says how many bytes it has and what their hash is.
  static func work(_ arguments: inout Arguments) throws {
    let (graphs, seed) = (try arguments.number("graphs", 1000), try arguments.number("seed", 1))
    var random = SystemRandomNumberGenerator()
    for number in 0..<graphs {
      let graph = MeshGraph(seed: UInt64(seed + number))
      let build = graph.build(salt: random.next())
      defer { build.takeApart() }
      let data = try KeyedArchiver.archivedData(withRootObject: build.root, requiringSecureCoding: true)
      let isOnce = build.log.calls.values.allSatisfy { $0 == 1 }
      let hash = FNVHash.of(data.span)
      System.say("\(data.count) \(hash)\(isOnce ? "" : " encode(with:) was called twice for an object!")")
    }
  }

  /// Graphs that can have any number of objects.
  private enum Shape: String, CaseIterable {
    case distinct = "a set of objects with different names"
    case alike = "a set of objects that look the same"
    case families = "a set of objects that look the same and have children that do"
    case ring = "a set of objects that look the same, in a ring"
    case chain = "a chain of sets"
    case keys = "a dictionary of objects that look the same, each the key of the next"

    func cost(_ count: Int) throws -> Double {
      let log = MeshLog(archivesNumbers: false)
      let meshes = (0..<count).map { Mesh($0, salt: $0, log: log) }
      let root = Mesh(-1, salt: -1, log: log)
      switch self {
      case .distinct:
        for mesh in meshes { mesh.name = "object \(mesh.id)" }
        root.set = Set(meshes)
      case .alike: root.set = Set(meshes)
      case .families:
        root.set = Set(meshes[0..<count / 4])
        for place in count / 4..<count { meshes[place % (count / 4)].set.insert(meshes[place]) }
      case .ring:
        root.set = Set(meshes)
        for (mesh, next) in zip(meshes, meshes.dropFirst() + meshes.prefix(1)) { mesh.link = next }
      case .chain:
        root.link = meshes[0]
        for place in stride(from: 2, to: count, by: 2) { meshes[place - 2].set = [meshes[place - 1], meshes[place]] }
      case .keys:
        for (mesh, next) in zip(meshes, meshes.dropFirst() + meshes.prefix(1)) { root.pairs[mesh] = next }
      }
      let start = System.processorTime()
      _ = try KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
      let cost = System.processorTime() - start
      (root.set, root.pairs, root.link) = ([], [:], nil)
      for mesh in meshes.reversed() { (mesh.set, mesh.link) = ([], nil) }
      return cost
    }
  }
}
