// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat

// This library in the harness that compares it with other archivers. `peer-sources` puts it beside the library's sources;
// it is no part of the package.

/// The creature of the workloads. Its rating is boxed, as every archiver in the comparison has it.
final class PeerCreature: SecureKeyedCoding {
  static var archiveClassName: String { "SCCreature" }
  let title: String
  let rating: Float

  init(_ number: Int) {
    title = Gen.title(number)
    rating = Gen.rating(number)
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "title")
    coder.encodeObject(rating, forKey: "rating")
  }

  init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "title") else { return nil }
    self.title = title
    rating = coder.decodeFloat(forKey: "rating")
  }
}

/// The node of the graphs. Only nodes of the tree know a parent, and only by the form that allows cycles.
final class PeerNode: SecureKeyedCoding {
  static var archiveClassName: String { "SCNode" }
  let name: String
  let id: Int
  let weight: Double
  let flag: Bool
  var children: [PeerNode] = []
  var isInTree = false
  unowned(unsafe) var parent: PeerNode?

  init(_ number: Int) {
    name = Gen.nodeName(number)
    id = number
    weight = Gen.weight(number)
    flag = Gen.flag(number)
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "name")
    coder.encode(id, forKey: "id")
    coder.encode(weight, forKey: "weight")
    coder.encode(flag, forKey: "flag")
    coder.encode(children, forKey: "children")
    if isInTree { coder.encode(parent, forKey: "parent") }
  }

  init?(coder: KeyedUnarchiver) {
    guard let name = coder.decodeObject(of: String.self, forKey: "name") else { return nil }
    self.name = name
    id = coder.decodeInteger(forKey: "id")
    weight = coder.decodeDouble(forKey: "weight")
    flag = coder.decodeBool(forKey: "flag")
    guard let children = coder.decodeObject(of: [PeerNode].self, forKey: "children") else { return nil }
    self.children = children
    if coder.containsValue(forKey: "parent") {
      isInTree = true
      coder.decodeObject(of: PeerNode.self, forKey: "parent") { self.parent = $0 }
    }
  }

  static func graph(_ count: Int, cyclic: Bool) -> [PeerNode] {
    let nodes = (0..<count).map(PeerNode.init)
    for (place, node) in nodes.enumerated() {
      node.children = Gen.children(place, of: count, cyclic: cyclic).map { nodes[$0] }
      node.isInTree = cyclic
      if cyclic, place > 0 { node.parent = nodes[(place - 1) / 4] }
    }
    return nodes
  }
}

let ours = Peer(
  name: "ours",
  encode: { workload, count in
    func archiving(_ root: some KeyedCoding) -> () throws -> Data {
      { try KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true) }
    }
    switch workload {
    case .creatures: return archiving((0..<count).map(PeerCreature.init))
    case .small: return archiving(PeerCreature(0))
    case .graph, .graphcyc: return archiving(PeerNode.graph(count, cyclic: workload == .graphcyc))
    case .strings: return archiving((0..<count).map(Gen.string))
    case .blobs: return archiving((0..<count).map(Gen.blob))
    case .real: return nil
    }
  },
  decode: { workload, _, data in
    func unarchiving<Root: KeyedCoding>(_ type: Root.Type, _ sum: @escaping (Root) -> UInt64) -> Peer.Decoding {
      (
        run: { try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data) as Any },
        check: { ($0 as? Root).map(sum) ?? 0 }
      )
    }
    func total<Element>(_ sum: @escaping (Element) -> UInt64) -> ([Element]) -> UInt64 {
      { $0.reduce(0) { $0 &+ sum($1) } }
    }
    switch workload {
    case .creatures: return unarchiving([PeerCreature].self, total { Expect.creature($0.title, $0.rating) })
    case .small: return unarchiving(PeerCreature.self) { Expect.creature($0.title, $0.rating) }
    case .graph, .graphcyc:
      return unarchiving([PeerNode].self, total { Expect.node($0.name, $0.id, $0.flag, $0.children.first?.id) })
    case .strings: return unarchiving([String].self, total { UInt64($0.utf8.count) })
    case .blobs:
      return unarchiving([Data].self) { blobs in
        blobs.enumerated().reduce(0) { $0 &+ UInt64($1.1.count) &+ UInt64($1.1[$1.0 % $1.1.count]) }
      }
    case .real:
      // The property-list layer alone: every row of the object table is read and checked.
      return (
        run: { try PropertyList(data).tree() as Any },
        check: { UInt64(($0 as? PropertyListTree)?.count ?? 0) }
      )
    }
  })
