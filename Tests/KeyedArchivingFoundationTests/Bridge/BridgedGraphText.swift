// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// What a graph contains, as a text that depends on values, classes and identity alone.
struct BridgedGraphText {
  private var lines: [Int: String] = [:]
  /// The objects that have each number, and the lists that have each first text.
  private var objects: [Int: Set<ObjectIdentifier>] = [:]
  private var shelves: [String: Set<ObjectIdentifier>] = [:]
  /// The numbers of the objects of which a peer is left out.
  private let withoutPeers: Bool
  private var pending: [GraphNode] = []
  /// Keeps objects, so that no other gets the address of one.
  private var kept: [AnyObject] = []

  /// Returns the text of all that an object leads to.
  /// - Parameters:
  ///   - root: The object.
  ///   - peers: Whether the text has references that a coder may leave out.
  /// - Returns: The text.
  static func of(_ root: GraphNode, peers: Bool = true) -> String {
    var text = BridgedGraphText(withoutPeers: !peers)
    text.pending = [root]
    while let node = text.pending.popLast() { text.visit(node) }
    let shared = text.objects.filter { $0.value.count > 1 }.map { "object \($0.key) exists \($0.value.count) times" }
    let lists = text.shelves.filter { $0.value.count > 1 }.map { "list \($0.key) exists \($0.value.count) times" }
    return (text.lines.sorted { $0.key < $1.key }.map(\.value) + (shared + lists).sorted()).joined(separator: "\n")
  }

  private init(withoutPeers: Bool) { self.withoutPeers = withoutPeers }

  private mutating func visit(_ node: GraphNode) {
    guard objects[node.number, default: []].insert(ObjectIdentifier(node)).inserted else { return }
    kept.append(node)
    var line = "\(type(of: node)) \(node.number) \((node as? GraphLeaf)?.tag ?? "") \(node.isOn) \(node.ratio)"
    line += " \(node.bytes.map { Array($0) } ?? []) \(node.text?.debugDescription ?? "-")"
    line += " items \(text(node.items)) table \(text(node.table)) group \(text(node.group)) order \(text(node.order))"
    line += " shelf \(text(node.shelf)) favorite \(text(node.favorite)) owner \(text(node.owner))"
    if !withoutPeers { line += " peer \(text(node.peer))" }
    if let shelf = node.shelf {
      kept.append(shelf)
      shelves["\(shelf[0])", default: []].insert(ObjectIdentifier(shelf))
    }
    // Copies of one object differ in the order in which they are found at most.
    lines[node.number] = lines[node.number].map { $0 == line ? line : $0 + " OR " + line } ?? line
  }

  private mutating func text(_ value: Any?) -> String {
    guard let value else { return "-" }
    switch value {
    case let node as GraphNode:
      pending.append(node)
      return "#\(node.number)"
    case let array as NSArray:
      return (array is NSMutableArray ? "mutable" : "") + "[" + array.map { text($0) }.joined(separator: ", ") + "]"
    case let dictionary as NSDictionary:
      let pairs = dictionary.map { "\(text($0.key)): \(text($0.value))" }.sorted()
      return (dictionary is NSMutableDictionary ? "mutable" : "") + "{" + pairs.joined(separator: ", ") + "}"
    case let set as NSSet:
      return (set is NSMutableSet ? "mutable" : "") + "(" + set.map { text($0) }.sorted().joined(separator: ", ") + ")"
    case let set as NSOrderedSet: return "<" + set.map { text($0) }.joined(separator: ", ") + ">"
    case let array as [Any]: return "[" + array.map { text($0) }.joined(separator: ", ") + "]"
    case let dictionary as [AnyHashable: Any]:
      return "{" + dictionary.map { "\(text($0.key.base)): \(text($0.value))" }.sorted().joined(separator: ", ") + "}"
    case let set as Set<AnyHashable>:
      return "(" + set.map { text($0.base) }.sorted().joined(separator: ", ") + ")"
    case let text as String: return text.debugDescription
    case let number as NSNumber: return "\(number)"
    case let data as Data: return "\(Array(data))"
    case let date as Date: return "\(date.timeIntervalSinceReferenceDate) s"
    case let url as URL: return url.absoluteString
    case is NSNull: return "null"
    case let set as NSIndexSet: return "\(set.map { $0 })"
    default: return "\(type(of: value)) \(value)"
    }
  }
}
