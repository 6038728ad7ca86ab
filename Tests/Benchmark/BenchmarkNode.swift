// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving

/// The node that both archivers archive.
final class BenchmarkNode: NSObject, SecureKeyedCoding, NSSecureCoding {
  static var archiveClassName: String { "GraphNode" }
  static var supportsSecureCoding: Bool { true }

  let name: String
  let id: Int
  let weight: Double
  let flag: Bool
  private(set) var children: [BenchmarkNode] = []
  private(set) weak var parent: BenchmarkNode?
  private var isInTree = false

  init(_ number: Int) {
    name = "node-\(number)"
    id = number
    weight = Double(number % 1009) / 8
    flag = number % 3 == 0
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "name")
    coder.encode(id, forKey: "id")
    coder.encode(weight, forKey: "weight")
    coder.encode(flag, forKey: "flag")
    coder.encode(children, forKey: "children")
    if let parent { coder.encode(parent, forKey: "parent") }
  }

  init?(coder: KeyedUnarchiver) {
    guard let name = coder.decodeObject(of: String.self, forKey: "name"),
      let children = coder.decodeObject(of: [BenchmarkNode].self, forKey: "children")
    else { return nil }
    self.name = name
    self.children = children
    id = coder.decodeInteger(forKey: "id")
    weight = coder.decodeDouble(forKey: "weight")
    flag = coder.decodeBool(forKey: "flag")
    super.init()
    if coder.containsValue(forKey: "parent") {
      coder.decodeObject(of: BenchmarkNode.self, forKey: "parent") { self.parent = $0 }
    }
  }

  func encode(with coder: NSCoder) {
    coder.encode(NSString(string: name), forKey: "name")
    coder.encode(Int64(id), forKey: "id")
    coder.encode(weight, forKey: "weight")
    coder.encode(flag, forKey: "flag")
    coder.encode(NSArray(array: children), forKey: "children")
    if let parent { coder.encode(parent, forKey: "parent") }
  }

  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = String(describing: name)
    id = Int(coder.decodeInt64(forKey: "id"))
    weight = coder.decodeDouble(forKey: "weight")
    flag = coder.decodeBool(forKey: "flag")
    super.init()
    let list = coder.decodeObject(of: [NSArray.self, BenchmarkNode.self], forKey: "children") as? NSArray
    children = list?.compactMap { $0 as? BenchmarkNode } ?? []
    // The toolchain's Foundation cannot resolve what is still being decoded.
    isInTree = coder.containsValue(forKey: "parent")
    for child in children where child.isInTree { child.parent = self }
  }

  /// The nodes of a workload.
  static func all(_ workload: Workload, _ count: Int) -> [BenchmarkNode] {
    let nodes = (0..<count).map(BenchmarkNode.init)
    for (place, node) in nodes.enumerated() {
      node.children = workload.children(place, of: count).map { nodes[$0] }
      if workload == .tree, place > 0 { node.parent = nodes[(place - 1) / 4] }
    }
    return nodes
  }

  /// What must come out again.
  var record: NodeRecord {
    NodeRecord(
      name: name, id: id, weight: weight, flag: flag, children: children.map(\.id), parent: parent?.id)
  }
}

/// The node with the methods that the compiler generates, for graphs without parents.
final class CodableNode: KeyedCodable {
  static var archiveClassName: String { "GraphNode" }

  let name: String
  let id: Int
  let weight: Double
  let flag: Bool
  private(set) var children: [CodableNode] = []

  init(_ number: Int) {
    name = "node-\(number)"
    id = number
    weight = Double(number % 1009) / 8
    flag = number % 3 == 0
  }

  /// The nodes of a workload.
  static func all(_ workload: Workload, _ count: Int) -> [CodableNode] {
    let nodes = (0..<count).map(CodableNode.init)
    for (place, node) in nodes.enumerated() { node.children = workload.children(place, of: count).map { nodes[$0] } }
    return nodes
  }

  /// What must come out again.
  var record: NodeRecord {
    NodeRecord(name: name, id: id, weight: weight, flag: flag, children: children.map(\.id), parent: nil)
  }
}

/// The node as `Codable` has it: numbers in place of references, since `Codable` knows no identity.
struct NodeRecord: Codable, Hashable {
  var name: String
  var id: Int
  var weight: Double
  var flag: Bool
  var children: [Int]
  var parent: Int?
}
