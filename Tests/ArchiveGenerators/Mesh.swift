// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving

/// An object with references in every place that a reference can have: properties, arrays, sets, keys and values of
/// dictionaries, within structs and within each other. It encodes itself by hand.
///
/// Instances are equal by identity, so many in one set may look the same in an archive.
package class Mesh: SecureKeyedCoding, Hashable {
  package let id: Int
  package var name = ""
  package var link: Mesh?
  package weak var back: Mesh?
  package var links: [Mesh] = []
  package var set: Set<Mesh> = []
  package var sets: Set<Set<Mesh>> = []
  package var lists: Set<[Mesh]> = []
  package var counts: [Mesh: Int] = [:]
  package var pairs: [Mesh: Mesh] = [:]
  package var groups: [Set<Mesh>: [Mesh]] = [:]
  package var boxes: Set<MeshBox> = []
  package var boxed: [MeshBox: Set<Mesh>] = [:]
  package var named: [String: Mesh] = [:]
  package var numbered: [Int: Set<Mesh>] = [:]
  package var knot: MeshKnot?
  package var knots: Set<MeshKnot> = []
  /// Values that were read. They are archived only: what comes back of them is not compared.
  package var reads: Set<MeshRead> = []
  /// What the hash depends on, so that sets are enumerated in another order in each build of a graph.
  let salt: Int
  let log: MeshLog

  package init(_ id: Int, salt: Int, log: MeshLog) {
    (self.id, self.salt, self.log) = (id, salt, log)
  }

  package static func == (a: Mesh, b: Mesh) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(salt) }

  package class var archiveSubclasses: [any KeyedCoding.Type] { [BoldMesh.self] }

  package class var archiveClassName: String { "Mesh" }

  package class var archiveClassAliases: [String] { ["Mesh v1"] }

  package func encode(with coder: KeyedArchiver) throws {
    log.note(self)
    if log.archivesNumbers { coder.encode(id, forKey: "id") }
    coder.encode(name, forKey: "name")
    coder.encode(link, forKey: "link")
    coder.encodeConditionalObject(back, forKey: "back")
    coder.encode(links, forKey: "links")
    coder.encode(set, forKey: "set")
    coder.encode(sets, forKey: "sets")
    coder.encode(lists, forKey: "lists")
    coder.encode(counts, forKey: "counts")
    coder.encode(pairs, forKey: "pairs")
    coder.encode(groups, forKey: "groups")
    coder.encode(boxes, forKey: "boxes")
    coder.encode(boxed, forKey: "boxed")
    coder.encode(named, forKey: "named")
    coder.encode(numbered, forKey: "numbered")
    coder.encode(knot, forKey: "knot")
    coder.encode(knots, forKey: "knots")
    coder.encode(reads, forKey: "reads")
  }

  package required init(coder: KeyedUnarchiver) throws {
    salt = 0
    log = MeshLog(archivesNumbers: true)
    id = coder.decodeInteger(forKey: "id")
    name = try coder.decode(String.self, forKey: "name")
    coder.decodeObject(of: Mesh.self, forKey: "link") { self.link = $0 }
    coder.decodeObject(of: Mesh.self, forKey: "back") { self.back = $0 }
    coder.decodeObject(of: [Mesh].self, forKey: "links") { self.links = $0 }
    coder.decodeObject(of: Set<Mesh>.self, forKey: "set") { self.set = $0 }
    coder.decodeObject(of: Set<Set<Mesh>>.self, forKey: "sets") { self.sets = $0 }
    coder.decodeObject(of: Set<[Mesh]>.self, forKey: "lists") { self.lists = $0 }
    coder.decodeObject(of: [Mesh: Int].self, forKey: "counts") { self.counts = $0 }
    coder.decodeObject(of: [Mesh: Mesh].self, forKey: "pairs") { self.pairs = $0 }
    coder.decodeObject(of: [Set<Mesh>: [Mesh]].self, forKey: "groups") { self.groups = $0 }
    coder.decodeObject(of: Set<MeshBox>.self, forKey: "boxes") { self.boxes = $0 }
    coder.decodeObject(of: [MeshBox: Set<Mesh>].self, forKey: "boxed") { self.boxed = $0 }
    coder.decodeObject(of: [String: Mesh].self, forKey: "named") { self.named = $0 }
    coder.decodeObject(of: [Int: Set<Mesh>].self, forKey: "numbered") { self.numbered = $0 }
    coder.decodeObject(of: MeshKnot.self, forKey: "knot") { self.knot = $0 }
    coder.decodeObject(of: Set<MeshKnot>.self, forKey: "knots") { self.knots = $0 }
  }
}

/// A subclass, which stands where a ``Mesh`` is asked for.
package final class BoldMesh: Mesh {
  package override class var archiveClassName: String { "BoldMesh" }
  package override class var archiveClassAliases: [String] { [] }
  package override class var archiveSubclasses: [any KeyedCoding.Type] { [] }

  package override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    coder.encode(true, forKey: "isBold")
  }
}

/// A struct as the element of a set and as a key.
package struct MeshBox: SecureKeyedCoding, Hashable {
  package var number: Int
  package var mesh: Mesh?

  package init(number: Int, mesh: Mesh?) { (self.number, self.mesh) = (number, mesh) }

  package static var archiveClassName: String { "MeshBox" }

  package func encode(with coder: KeyedArchiver) {
    coder.encode(number, forKey: "number")
    coder.encode(mesh, forKey: "mesh")
  }

  package init(coder: KeyedUnarchiver) throws {
    number = coder.decodeInteger(forKey: "number")
    mesh = try coder.decodeIfPresent(Mesh.self, forKey: "mesh")
  }
}

/// A class that is archived by `Codable`, with sets and keys of its own kind, of structs and enums that are Codable alone.
package final class MeshKnot: KeyedCodable, Hashable {
  package var id: Int?
  package var name = ""
  package var friends: Set<MeshKnot> = []
  package var table: [MeshKnot: [MeshKnot]] = [:]
  package var spots: Set<MeshSpot> = []
  package var moods: Set<MeshMood> = []
  package var maybe: Set<Int?> = []
  package var twins: Set<MeshTwin> = []
  var salt = 0

  package static var archiveClassName: String { "MeshKnot" }

  private enum CodingKeys: String, CodingKey { case id, name, friends, table, spots, moods, maybe, twins }

  package init(_ id: Int?, salt: Int) { (self.id, self.salt) = (id, salt) }

  package static func == (a: MeshKnot, b: MeshKnot) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(salt) }
}

/// A class that is Codable only.
package final class MeshTwin: Codable, Hashable {
  package var knot: MeshKnot?
  package var twins: Set<MeshTwin> = []
  var salt = 0

  private enum CodingKeys: String, CodingKey { case knot, twins }

  package init(salt: Int) { self.salt = salt }

  package static func == (a: MeshTwin, b: MeshTwin) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(salt) }
}

/// A struct that is Codable only.
package struct MeshSpot: Codable, Hashable {
  package var x: Int
  package var knot: MeshKnot?

  package init(x: Int, knot: MeshKnot?) { (self.x, self.knot) = (x, knot) }
}

/// An enum that is archived as a single value.
package enum MeshMood: String, Codable, CaseIterable {
  case calm, wild
  /// One that no pointer holds, so that each time it is archived it is an object of its own.
  case beside = "beside itself with joy, and then some"
}

/// Counts how often each object was asked to encode itself.
package final class MeshLog {
  package let archivesNumbers: Bool
  package private(set) var calls: [Int: Int] = [:]

  package init(archivesNumbers: Bool) { self.archivesNumbers = archivesNumbers }

  func note(_ mesh: Mesh) { calls[mesh.id, default: 0] += 1 }
}
