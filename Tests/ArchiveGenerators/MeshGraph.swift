// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport

/// A random graph of ``Mesh`` objects, which can be built many times: the same graph, with other addresses and hash values.
package struct MeshGraph {
  private let seed: UInt64
  /// How many objects of each class there are.
  package let count: Int
  /// Whether the objects are told apart by what they archive.
  package let isDistinct: Bool

  /// A graph that depends on the seed alone.
  package init(seed: UInt64, count: Int? = nil, isDistinct: Bool? = nil) {
    self.seed = seed
    var random = SeededRandom(seed: seed)
    let (size, distinct) = (Int.random(in: 1...14, using: &random), Int.random(in: 0..<4, using: &random) == 0)
    self.count = count ?? size
    self.isDistinct = isDistinct ?? distinct
  }

  /// All keys in the order in which objects encode them.
  package static let keyOrder = [
    "id", "number", "mesh", "x", "name", "link", "back", "links", "set", "sets", "lists", "counts", "pairs", "groups",
    "boxes", "boxed", "named", "numbered", "knot", "knots", "reads", "value", "isBold", "friends", "table", "spots",
    "moods", "maybe", "twins", "NS.keys", "NS.objects",
  ]

  /// One build of the graph.
  package struct Build {
    package let root: Mesh
    package let log: MeshLog
    let meshes: [Mesh]
    let knots: [MeshKnot]
    let twins: [MeshTwin]

    /// Undoes the circles, so that the objects are freed.
    package func takeApart() {
      for mesh in meshes {
        mesh.link = nil
        (mesh.links, mesh.set, mesh.sets, mesh.lists) = ([], [], [], [])
        (mesh.counts, mesh.pairs, mesh.groups, mesh.boxes) = ([:], [:], [:], [])
        (mesh.boxed, mesh.named, mesh.numbered, mesh.knot, mesh.knots) = ([:], [:], [:], nil, [])
      }
      for knot in knots { (knot.friends, knot.table, knot.spots, knot.twins) = ([], [:], [], []) }
      for twin in twins { (twin.knot, twin.twins) = (nil, []) }
    }
  }

  /// Builds the graph. Another salt gives other hash values, and so other orders of sets.
  package func build(salt: UInt64) -> Build {
    // One generator decides what the graph is, the other one how it is built.
    var (random, chance) = (SeededRandom(seed: seed &+ 1), SeededRandom(seed: salt))
    let log = MeshLog(archivesNumbers: isDistinct)
    func hash() -> Int { Int(truncatingIfNeeded: chance.next()) }
    var meshes: [Mesh] = []
    for id in 0..<count {
      let isBold = Int.random(in: 0..<5, using: &random) == 0
      meshes.append(isBold ? BoldMesh(id, salt: hash(), log: log) : Mesh(id, salt: hash(), log: log))
    }
    let knots = (0..<count).map { MeshKnot(isDistinct ? $0 : nil, salt: hash()) }
    let twins = (0..<count).map { _ in MeshTwin(salt: hash()) }
    // In dense graphs nearly all objects are told apart by their references, in sparse ones nearly none.
    let density = [3, 8, 25, 60].randomElement(using: &random) ?? 8
    // An archiver of Apple's holds short strings in pointers, so equal ones are one object. Longer ones are not.
    let name = Bool.random(using: &random) ? "mesh " : "a mesh that is called "
    let nameCount = Int.random(in: 1...3, using: &random)
    let reads = Int.random(in: 0..<3, using: &random) == 0 ? MeshRead.all(salt: hash()) : []
    for place in 0..<count {
      // What Codable decodes must not lead back to itself; objects that look the same are not decoded.
      let filler = Filler(
        meshes: meshes, knots: isDistinct ? Array(knots[(place + 1)...]) : knots,
        twins: isDistinct ? Array(twins[(place + 1)...]) : twins, reads: reads, density: density, name: name,
        nameCount: nameCount)
      filler.fill(meshes[place], knots[place], twins[place], &random)
    }
    return Build(root: meshes[0], log: log, meshes: meshes, knots: knots, twins: twins)
  }
}

private struct Filler {
  let meshes: [Mesh]
  let knots: [MeshKnot]
  let twins: [MeshTwin]
  let reads: [MeshRead]
  let density: Int
  let name: String
  let nameCount: Int

  private func isChosen(_ random: inout SeededRandom) -> Bool { Int.random(in: 0..<100, using: &random) < density }

  private func one<Element>(of all: [Element], _ random: inout SeededRandom) -> Element? {
    isChosen(&random) ? all.randomElement(using: &random) : nil
  }

  private func some<Element>(of all: [Element], _ random: inout SeededRandom) -> [Element] {
    guard isChosen(&random), !all.isEmpty else { return [] }
    return (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in all.randomElement(using: &random) }
  }

  func fill(_ mesh: Mesh, _ knot: MeshKnot, _ twin: MeshTwin, _ random: inout SeededRandom) {
    mesh.name = "\(name)\(Int.random(in: 0..<nameCount, using: &random))"
    mesh.link = one(of: meshes, &random)
    mesh.back = one(of: meshes, &random)
    mesh.links = some(of: meshes, &random)
    // Sets are what this is about.
    mesh.set = Set(some(of: meshes, &random) + some(of: meshes, &random) + some(of: meshes, &random))
    for _ in 0..<3 {
      mesh.sets.insert(Set(some(of: meshes, &random)))
      mesh.lists.insert(some(of: meshes, &random))
    }
    for other in some(of: meshes, &random) { mesh.counts[other] = Int.random(in: 0...1, using: &random) }
    for other in some(of: meshes, &random) { mesh.pairs[other] = one(of: meshes, &random) }
    for _ in 0..<2 { mesh.groups[Set(some(of: meshes, &random))] = some(of: meshes, &random) }
    for other in some(of: meshes, &random) {
      mesh.boxes.insert(MeshBox(number: Int.random(in: 0...1, using: &random), mesh: other))
      mesh.boxed[MeshBox(number: 0, mesh: other)] = Set(some(of: meshes, &random))
    }
    for other in some(of: meshes, &random) {
      mesh.named["key \(Int.random(in: 0..<4, using: &random))"] = other
      mesh.numbered[Int.random(in: 0..<4, using: &random)] = Set(some(of: meshes, &random))
    }
    mesh.knot = one(of: knots, &random)
    mesh.knots = Set(some(of: knots, &random))
    mesh.reads = Set(some(of: reads, &random) + some(of: reads, &random))
    fill(knot, &random)
    twin.knot = one(of: knots, &random)
    twin.twins = Set(some(of: twins, &random))
  }

  private func fill(_ knot: MeshKnot, _ random: inout SeededRandom) {
    knot.name = "\(name)\(Int.random(in: 0..<nameCount, using: &random))"
    knot.friends = Set(some(of: knots, &random) + some(of: knots, &random))
    for other in some(of: knots, &random) { knot.table[other] = some(of: knots, &random) }
    for other in some(of: knots, &random) {
      knot.spots.insert(MeshSpot(x: Int.random(in: 0...1, using: &random), knot: other))
    }
    knot.moods = Set(some(of: MeshMood.allCases, &random))
    knot.maybe = Set(some(of: [nil, 0, 1, 2], &random))
    knot.twins = Set(some(of: twins, &random))
  }
}
