// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving

/// Shows that time grows with the number of objects and not faster: ten times the objects cost about ten times the time,
/// whatever the shape of the graph.
struct Scaling {
  enum Shape: String, CaseIterable {
    /// An array of objects.
    case wide
    /// Each object refers to the next one, by the deferred form.
    case chained
    /// Each object refers to one of a thousand that many others refer to as well.
    case shared
    /// A tree whose children know their parents.
    case cyclic
  }

  /// What archiving and unarchiving a graph once costs, in seconds of processor time.
  struct Cost {
    var encode = 0.0
    var decode = 0.0
    var byteCount = 0
  }

  private let shape: Shape
  private let count: Int
  private let root: ScalingNode

  private init(_ shape: Shape, _ count: Int) {
    self.shape = shape
    self.count = count
    root = ScalingNode.graph(shape, count)
  }

  private func measure() throws -> Cost {
    var cost = Cost()
    var data = Data()
    cost.encode = try CPUTime.of {
      data = try KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
    }
    cost.byteCount = data.count
    var made: ScalingNode?
    cost.decode = try CPUTime.of {
      made = try KeyedUnarchiver.unarchivedObject(ofClass: ScalingNode.self, from: data)
    }
    let decoded = made?.dismantle() ?? 0
    guard decoded == count else { throw BenchmarkError("\(shape): \(decoded) objects came out of \(count)") }
    return cost
  }

  /// Measures all shapes at `count` objects against ten times a tenth of that, prints a table, and returns whether none
  /// costs more than `limit` times the tenth.
  ///
  /// Each round lets the large graph and ten turns of the small one follow each other, so that both meet the same
  /// machine; the middle one of the rounds counts.
  static func run(count: Int, limit: Double, rounds: Int = 3) throws -> Bool {
    keepMemory()
    print("shape     objects        bytes  encode ns/obj  decode ns/obj   encode x   decode x")
    var isLinear = true
    for shape in Shape.allCases {
      let few = Scaling(shape, count / 10)
      let many = Scaling(shape, count)
      defer {
        few.root.dismantle()
        many.root.dismantle()
      }
      _ = try few.measure()
      _ = try many.measure()
      var ratios: [(encode: Double, decode: Double)] = []
      var cost = Cost()
      for _ in 0..<rounds {
        cost = try many.measure()
        let turns = try (0..<10).map { _ in try few.measure() }
        ratios.append(
          (
            cost.encode / turns.map(\.encode).reduce(0, +) * 10, cost.decode / turns.map(\.decode).reduce(0, +) * 10
          ))
      }
      let encode = ratios.map(\.encode).sorted()[rounds / 2]
      let decode = ratios.map(\.decode).sorted()[rounds / 2]
      isLinear = isLinear && encode <= limit && decode <= limit
      print(
        pad(shape.rawValue, 8), pad("\(count)", -8), pad("\(cost.byteCount)", -12),
        pad(number(cost.encode / Double(count) * 1e9), -14), pad(number(cost.decode / Double(count) * 1e9), -14),
        pad(number(encode), -10), pad(number(decode), -10))
    }
    print(
      isLinear
        ? "ten times the objects cost at most \(limit) times the time"
        : "ten times the objects cost MORE than \(limit) times the time")
    return isLinear
  }
}

/// An object of the graphs that are measured.
final class ScalingNode: SecureKeyedCoding {
  static var archiveClassName: String { "Node" }
  var id: Int
  var next: ScalingNode?
  var others: [ScalingNode] = []
  unowned(unsafe) var parent: ScalingNode?

  init(_ id: Int) { self.id = id }

  func encode(with coder: KeyedArchiver) {
    coder.encode(id, forKey: "id")
    coder.encode(next, forKey: "next")
    coder.encode(others, forKey: "others")
    coder.encode(unsafe parent, forKey: "parent")
  }

  init?(coder: KeyedUnarchiver) throws {
    id = coder.decodeInteger(forKey: "id")
    others = try coder.decode([ScalingNode].self, forKey: "others")
    coder.decodeObject(of: ScalingNode.self, forKey: "next") { self.next = $0 }
    coder.decodeObject(of: ScalingNode.self, forKey: "parent") { unsafe self.parent = $0 }
  }

  static func graph(_ shape: Scaling.Shape, _ count: Int) -> ScalingNode {
    let nodes = (0..<count).map(ScalingNode.init)
    switch shape {
    case .wide: nodes[0].others = Array(nodes[1...])
    case .chained: for i in 1..<count { nodes[i - 1].next = nodes[i] }
    case .shared:
      nodes[0].others = Array(nodes[1...])
      for i in 1..<count { nodes[i].next = nodes[1 + i % min(1000, count - 1)] }
    case .cyclic:
      for i in 1..<count {
        nodes[(i - 1) / 4].others.append(nodes[i])
        unsafe nodes[i].parent = nodes[(i - 1) / 4]
      }
    }
    return nodes[0]
  }

  /// Counts the objects and cuts all ties between them, so that they are freed one by one.
  @discardableResult
  func dismantle() -> Int {
    var all: [ScalingNode] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
    var stack = [self]
    while let node = stack.popLast() {
      all.append(node)
      for other in node.others + (node.next.map { [$0] } ?? []) where seen.insert(ObjectIdentifier(other)).inserted {
        stack.append(other)
      }
    }
    for node in all {
      node.others = []
      node.next = nil
    }
    return all.count
  }
}
