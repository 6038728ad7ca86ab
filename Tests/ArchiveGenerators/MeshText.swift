// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A graph of meshes whose objects have distinct numbers as text: what each object holds, by the numbers of the objects it
/// refers to.
package struct MeshText {
  private var meshes: [Int: Mesh] = [:]
  private var knots: [Int: MeshKnot] = [:]
  private var twins: [ObjectIdentifier: Int] = [:]
  private var waiting: [Mesh] = []
  private var waitingKnots: [MeshKnot] = []

  /// The text of all that a mesh leads to. References back to objects that nothing else refers to are left out, because
  /// they are not archived.
  package static func of(_ root: Mesh) -> [String] {
    var text = MeshText()
    _ = text.number(root)
    var described: [(Mesh, String)] = []
    var lines: [String] = []
    while !text.waiting.isEmpty || !text.waitingKnots.isEmpty {
      while let mesh = text.waiting.popLast() { described.append((mesh, text.describe(mesh))) }
      while let knot = text.waitingKnots.popLast() { lines.append(text.describe(knot)) }
    }
    for (mesh, line) in described {
      let back = mesh.back.flatMap { text.meshes[$0.id] == nil ? nil : "\($0.id)" }
      lines.append("\(line) back \(back ?? "-")")
    }
    return lines.sorted()
  }

  private mutating func number(_ mesh: Mesh?) -> String {
    guard let mesh else { return "-" }
    if meshes[mesh.id] == nil {
      meshes[mesh.id] = mesh
      waiting.append(mesh)
    }
    // A number that stands for two objects is an identity that was lost.
    return meshes[mesh.id] === mesh ? "\(mesh.id)" : "another \(mesh.id)"
  }

  private mutating func number(_ knot: MeshKnot?) -> String {
    guard let knot, let id = knot.id else { return "-" }
    if knots[id] == nil {
      knots[id] = knot
      waitingKnots.append(knot)
    }
    return knots[id] === knot ? "k\(id)" : "another k\(id)"
  }

  private mutating func list(_ meshes: [Mesh]) -> String { meshes.map { number($0) }.joined(separator: ",") }

  private mutating func set(_ meshes: Set<Mesh>) -> String {
    "{\(meshes.sorted { $0.id < $1.id }.map { number($0) }.joined(separator: ","))}"
  }

  private mutating func describe(_ mesh: Mesh) -> String {
    var parts = ["\(mesh is BoldMesh ? "bold" : "mesh") \(mesh.id) \(mesh.name) \(number(mesh.link))"]
    parts.append(list(mesh.links))
    parts.append(set(mesh.set))
    parts.append("\(mesh.sets.map { set($0) }.sorted())")
    parts.append("\(mesh.lists.map { list($0) }.sorted())")
    parts.append("\(mesh.counts.map { "\(number($0.key)): \($0.value)" }.sorted())")
    parts.append("\(mesh.pairs.map { "\(number($0.key)): \(number($0.value))" }.sorted())")
    parts.append("\(mesh.groups.map { "\(set($0.key)): \(list($0.value))" }.sorted())")
    parts.append("\(mesh.boxes.map { "\($0.number) \(number($0.mesh))" }.sorted())")
    parts.append("\(mesh.boxed.map { "\($0.key.number) \(number($0.key.mesh)): \(set($0.value))" }.sorted())")
    parts.append("\(mesh.named.map { "\($0.key): \(number($0.value))" }.sorted())")
    parts.append("\(mesh.numbered.map { "\($0.key): \(set($0.value))" }.sorted())")
    parts.append(number(mesh.knot))
    parts.append("\(mesh.knots.map { number($0) }.sorted())")
    return parts.joined(separator: " ")
  }

  private mutating func describe(_ knot: MeshKnot) -> String {
    var parts = ["knot \(knot.id ?? -1) \(knot.name) \(knot.friends.map { number($0) }.sorted())"]
    parts.append("\(knot.table.map { "\(number($0.key)): \($0.value.map { number($0) })" }.sorted())")
    parts.append("\(knot.spots.map { "\($0.x) \(number($0.knot))" }.sorted())")
    parts.append("\(knot.moods.map(\.rawValue).sorted())")
    parts.append("\(knot.maybe.map { $0.map { "\($0)" } ?? "-" }.sorted())")
    parts.append("\(knot.twins.count)")
    return parts.joined(separator: " ")
  }
}
