// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import KeyedArchivingFoundation

/// An object of a random graph, written for `NSCoder` alone.
class GraphNode: NSObject, NSSecureCoding, FoundationCoding {
  class var supportsSecureCoding: Bool { true }
  /// The classes that collections of a graph contain.
  static let contents: [AnyClass] = [
    NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self, NSData.self,
    NSDate.self, NSURL.self, NSUUID.self, NSNull.self, NSIndexSet.self, NSLocale.self, GraphNode.self,
  ]

  let number: Int
  var isOn = false
  var ratio = 0.0
  var bytes: Data?
  var text: String?
  var items: NSArray?
  var table: NSDictionary?
  var group: NSSet?
  var order: NSOrderedSet?
  /// A list that several objects can have.
  var shelf: NSMutableArray?
  var favorite: GraphNode?
  /// An object that is archived only if something else refers to it.
  var peer: GraphNode?
  /// An object that can contain this one.
  var owner: GraphNode?

  init(_ number: Int) { self.number = number }

  func encode(with coder: NSCoder) {
    coder.encode(number, forKey: "number")
    coder.encode(isOn, forKey: "isOn")
    coder.encode(ratio, forKey: "ratio")
    if let bytes { unsafe coder.encodeBytes(Array(bytes), length: bytes.count, forKey: "bytes") }
    coder.encode(text, forKey: "text")
    coder.encode(items, forKey: "items")
    coder.encode(table, forKey: "table")
    coder.encode(group, forKey: "group")
    coder.encode(order, forKey: "order")
    coder.encode(shelf, forKey: "shelf")
    coder.encode(favorite, forKey: "favorite")
    coder.encodeConditionalObject(peer, forKey: "peer")
    if let owner { coder.encode(owner, forKey: "owner") }
  }

  required init?(coder: NSCoder) {
    number = coder.decodeInteger(forKey: "number")
    super.init()
    isOn = coder.decodeBool(forKey: "isOn")
    ratio = coder.decodeDouble(forKey: "ratio")
    bytes = unsafe coder.withDecodedUnsafeBytes(forKey: "bytes") { bytes in
      unsafe bytes.map { bytes in unsafe Data(bytes) }
    }
    text = coder.decodeObject(of: NSString.self, forKey: "text") as String?
    items = coder.decodeObject(of: Self.contents, forKey: "items") as? NSArray
    table = coder.decodeObject(of: Self.contents, forKey: "table") as? NSDictionary
    group = coder.decodeObject(of: Self.contents, forKey: "group") as? NSSet
    order = coder.decodeObject(of: Self.contents, forKey: "order") as? NSOrderedSet
    shelf = coder.decodeObject(of: [NSMutableArray.self] + Self.contents, forKey: "shelf") as? NSMutableArray
    favorite = coder.decodeObject(of: GraphNode.self, forKey: "favorite")
    // Foundation's unarchiver on Linux fails at a request for an absent key.
    if coder.containsValue(forKey: "peer") { peer = coder.decodeObject(of: GraphNode.self, forKey: "peer") }
    guard coder.containsValue(forKey: "owner") else { return }
    coder.decodeObject(of: GraphNode.self, forKey: "owner") { self.owner = $0 }
  }
}

/// An object of a subclass, which is found by its name.
final class GraphLeaf: GraphNode {
  var tag = ""

  override init(_ number: Int) { super.init(number) }

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(tag, forKey: "tag")
  }

  required init?(coder: NSCoder) {
    super.init(coder: coder)
    tag = coder.decodeObject(of: NSString.self, forKey: "tag") as String? ?? ""
  }
}

/// A random graph. An object refers only to those with higher numbers, except for its owner, which is any object.
///
/// Foundation on Linux archives two equal objects as one, and equality disregards the class of collections and the kinds
/// of numbers. So no two collections or numbers of a graph are equal: each collection has a text of its own.
final class BridgedGraph {
  let nodes: [GraphNode]
  private var random: SeededRandom
  private var serial = 0

  /// - Parameters:
  ///   - seed: The seed.
  ///   - hasOwners: Whether objects refer to others that can contain them.
  init(seed: UInt64, hasOwners: Bool) {
    random = SeededRandom(seed: seed)
    let count = Int.random(in: 1...14, using: &random)
    var nodes: [GraphNode] = []
    for number in 0..<count {
      guard Int.random(in: 0..<3, using: &random) == 0 else {
        nodes.append(GraphNode(number))
        continue
      }
      let leaf = GraphLeaf(number)
      leaf.tag = "tag \(number)"
      nodes.append(leaf)
    }
    self.nodes = nodes
    var shelves: [NSMutableArray] = []
    for node in nodes.reversed() { fill(node, &shelves, hasOwners) }
  }

  /// Releases all references, because owners close cycles.
  func takeApart() { for node in nodes { node.owner = nil } }

  private func fill(_ node: GraphNode, _ shelves: inout [NSMutableArray], _ hasOwners: Bool) {
    node.isOn = chance(2)
    node.ratio = Double(Int.random(in: -1000...1000, using: &random)) / 8
    if chance(3) { node.bytes = Data(random.bytes(Int.random(in: 1..<20, using: &random))) }
    if chance(2) { node.text = text() }
    if chance(2) { node.items = array(above: node.number, 2) }
    if chance(2) { node.table = dictionary(above: node.number, 2) }
    if chance(3) { node.group = set(above: node.number) }
    if chance(3) { node.order = NSOrderedSet(array: distinct(values(above: node.number, 0))) }
    if chance(2), let shelf = shelves.randomElement(using: &random) {
      node.shelf = shelf
    } else if chance(2) {
      let shelf = NSMutableArray(array: values(above: node.number, 1))
      node.shelf = shelf
      shelves.append(shelf)
    }
    node.favorite = later(node.number)
    if chance(2) { node.peer = later(node.number) }
    if hasOwners, chance(2) { node.owner = nodes.randomElement(using: &random) }
  }

  private func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private func later(_ number: Int) -> GraphNode? { nodes[(number + 1)...].randomElement(using: &random) }

  private func text() -> String {
    serial += 1
    return ["plain", "größe", "日本", "🎈", "$dollar", ""][Int.random(in: 0..<6, using: &random)] + " \(serial)"
  }

  private func values(above number: Int, _ depth: Int) -> [Any] {
    [text()] + (0..<Int.random(in: 0..<5, using: &random)).map { _ in value(above: number, depth) }
  }

  /// Returns the values that a set can have: Foundation on Linux keeps an object twice if it is given twice, and two nulls.
  private func distinct(_ values: [Any]) -> [Any] {
    var seen: Set<Int> = []
    return values.filter { value in
      if value is NSNull { return seen.insert(-1).inserted }
      return (value as? GraphNode).map { seen.insert($0.number).inserted } ?? true
    }
  }

  private func array(above number: Int, _ depth: Int) -> NSArray {
    chance(3)
      ? NSMutableArray(array: values(above: number, depth)) : NSArray(array: values(above: number, depth))
  }

  private func set(above number: Int) -> NSSet {
    let values = distinct(values(above: number, 0))
    return chance(3) ? NSMutableSet(array: values) : NSSet(array: values)
  }

  private func dictionary(above number: Int, _ depth: Int) -> NSDictionary {
    let dictionary = NSMutableDictionary()
    for value in values(above: number, depth) {
      if chance(5) {
        dictionary[NSNumber(value: serialNumber())] = value
      } else {
        dictionary[text() as NSString] = value
      }
    }
    return chance(3) ? dictionary : dictionary.copy() as? NSDictionary ?? dictionary
  }

  private func serialNumber() -> Int {
    serial += 1
    return serial * 1000 + 7
  }

  private func value(above number: Int, _ depth: Int) -> Any {
    switch Int.random(in: 0..<15, using: &random) {
    case 0: return text()
    case 1: return NSNumber(value: serialNumber())
    case 2: return NSNumber(value: Double(serialNumber()) + 0.25)
    case 3: return NSNumber(value: Float(serialNumber()) + 0.5)
    case 4: return NSNumber(value: UInt64.max - UInt64(serialNumber()))
    case 5: return Data("\(serialNumber())".utf8)
    case 6: return Date(timeIntervalSinceReferenceDate: Double(serialNumber()) / 4)
    case 7: return NSURL(string: "https://example.org/\(serialNumber())") ?? NSNull()
    case 8: return NSNull()
    case 9: return NSIndexSet(index: serialNumber())
    case 10 where depth > 0: return array(above: number, depth - 1)
    case 11 where depth > 0: return dictionary(above: number, depth - 1)
    case 12 where depth > 0: return set(above: number)
    default: return later(number) ?? text()
    }
  }
}
