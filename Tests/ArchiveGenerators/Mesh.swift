// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// An object with references in every place that a reference can have: properties, arrays, sets, keys and values of
/// dictionaries, within structs and within each other. It encodes itself by hand.
///
/// Instances are equal by identity, so many in one set may look the same in an archive.
public class Mesh: SecureKeyedCoding, Hashable {
  public let id: Int
  public var name = ""
  public var link: Mesh?
  public weak var back: Mesh?
  public var links: [Mesh] = []
  public var set: Set<Mesh> = []
  public var sets: Set<Set<Mesh>> = []
  public var lists: Set<[Mesh]> = []
  public var counts: [Mesh: Int] = [:]
  public var pairs: [Mesh: Mesh] = [:]
  public var groups: [Set<Mesh>: [Mesh]] = [:]
  public var boxes: Set<MeshBox> = []
  public var boxed: [MeshBox: Set<Mesh>] = [:]
  public var named: [String: Mesh] = [:]
  public var numbered: [Int: Set<Mesh>] = [:]
  public var knot: MeshKnot?
  public var knots: Set<MeshKnot> = []
  /// What the hash depends on, so that sets are enumerated in another order in each build of a graph.
  let salt: Int
  let log: MeshLog

  public init(_ id: Int, salt: Int, log: MeshLog) {
    (self.id, self.salt, self.log) = (id, salt, log)
  }

  public static func == (a: Mesh, b: Mesh) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(salt) }

  open class var archiveSubclasses: [any KeyedCoding.Type] { [BoldMesh.self] }

  public class var archiveClassName: String { "Mesh" }

  public func encode(with coder: KeyedArchiver) throws {
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
  }

  public required init(coder: KeyedUnarchiver) throws {
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
public final class BoldMesh: Mesh {
  public override class var archiveClassName: String { "BoldMesh" }
  public override class var archiveSubclasses: [any KeyedCoding.Type] { [] }

  public override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    coder.encode(true, forKey: "isBold")
  }
}

/// A struct as the element of a set and as a key.
public struct MeshBox: SecureKeyedCoding, Hashable {
  public var number: Int
  public var mesh: Mesh?

  public init(number: Int, mesh: Mesh?) { (self.number, self.mesh) = (number, mesh) }

  public static var archiveClassName: String { "MeshBox" }

  public func encode(with coder: KeyedArchiver) {
    coder.encode(number, forKey: "number")
    coder.encode(mesh, forKey: "mesh")
  }

  public init(coder: KeyedUnarchiver) throws {
    number = coder.decodeInteger(forKey: "number")
    mesh = try coder.decodeIfPresent(Mesh.self, forKey: "mesh")
  }
}

/// A class that is archived by `Codable`, with sets and keys of its own kind, of structs and enums that are Codable alone.
public final class MeshKnot: KeyedCodable, Hashable {
  public var id: Int?
  public var name = ""
  public var friends: Set<MeshKnot> = []
  public var table: [MeshKnot: [MeshKnot]] = [:]
  public var spots: Set<MeshSpot> = []
  public var moods: Set<MeshMood> = []
  public var maybe: Set<Int?> = []
  public var twins: Set<MeshTwin> = []
  var salt = 0

  public static var archiveClassName: String { "MeshKnot" }

  private enum CodingKeys: String, CodingKey { case id, name, friends, table, spots, moods, maybe, twins }

  public init(_ id: Int?, salt: Int) { (self.id, self.salt) = (id, salt) }

  public static func == (a: MeshKnot, b: MeshKnot) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(salt) }
}

/// A class that is Codable only.
public final class MeshTwin: Codable, Hashable {
  public var knot: MeshKnot?
  public var twins: Set<MeshTwin> = []
  var salt = 0

  private enum CodingKeys: String, CodingKey { case knot, twins }

  public init(salt: Int) { self.salt = salt }

  public static func == (a: MeshTwin, b: MeshTwin) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(salt) }
}

/// A struct that is Codable only.
public struct MeshSpot: Codable, Hashable {
  public var x: Int
  public var knot: MeshKnot?

  public init(x: Int, knot: MeshKnot?) { (self.x, self.knot) = (x, knot) }
}

/// An enum that is archived as a single value.
public enum MeshMood: String, Codable, CaseIterable {
  case calm, wild
  /// One that no pointer holds, so that each time it is archived it is an object of its own.
  case beside = "beside itself with joy, and then some"
}

/// Counts how often each object was asked to encode itself.
public final class MeshLog {
  public let archivesNumbers: Bool
  public private(set) var calls: [Int: Int] = [:]

  public init(archivesNumbers: Bool) { self.archivesNumbers = archivesNumbers }

  func note(_ mesh: Mesh) { calls[mesh.id, default: 0] += 1 }
}
