// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The sequences of keys that objects were encoded with, as paths of a tree.
///
/// Objects of one class nearly always encode the same keys in the same order, so the next key is compared with the one
/// that followed here last time, which for a literal is a comparison of two words. The node where an object's keys end
/// names its shape: everything about writing such an object that does not depend on its values.
struct KeyTree {
  /// What all objects with the same sequence of keys have in common.
  struct Shape {
    /// Where in ``KeyTree/order`` the shape's keys begin.
    var start: Int
    /// How many distinct keys it has, `$class` included.
    var count: Int
    /// The type of its objects; -1 for the dictionaries of the envelope, which have no `$class`.
    var type: Int32
  }

  private struct Node {
    var key: String
    var isASCII: Bool
    /// Whether the key stands as it is (`$0`), without the escape that a user's key with a leading `$` gets.
    var isRaw: Bool
    var parent: Int32
    var root: Int32
    var text: Int32
    var lastChild: Int32 = -1
    var shape: Int32 = -1

    @inline(__always)
    var isPlainASCII: Bool { isASCII && !isRaw }
  }

  private struct Edge: Hashable {
    var parent: Int32
    var isRaw: Bool
    var key: ExactText
  }

  private var nodes: [Node] = []
  private var edges: [Edge: Int32] = [:]
  /// Once there are many texts: the first of each that are equal, among so many of them.
  private var numberOfText: [ExactText: Int32] = [:]
  private var indexedTexts = 0
  /// Up to how many keys looking at each is quicker than a dictionary.
  static let few = 24
  /// For roots whose objects keep the order of keys that they were read with: the texts in that order.
  private var orderOfRoot: [Int32: [Int32]] = [:]
  /// For the same, the text of each key: equal keys may have been two strings.
  private var textsOfRoot: [Int32: [ExactText: Int32]] = [:]
  /// The texts of keys that were read, by where they came from, and where each came from.
  private(set) var textOfIdentity: [UInt64: Int32] = [:]
  private var identityOfText: [Int32: UInt64] = [:]
  private let usesHashOrder: Bool
  /// The distinct keys of the archive, as they are written.
  private(set) var texts: [String] = []
  private(set) var shapes: [Shape] = []
  /// The keys of all shapes in the order of writing: which text, and which slot of the object holds its value. `$class`
  /// has ``classSlot``, for its value follows from the type.
  private(set) var order: [(text: Int32, slot: Int32)] = []

  static let classSlot: Int32 = -1

  /// The shapes of class records: with name and ancestry, with the name alone, and with names to fall back on.
  static let classRecord: Int32 = 0
  static let namedClassRecord: Int32 = 1
  static let hintedClassRecord: Int32 = 2

  /// A tree with nothing but what all archives share. Dictionaries are written in the order of a hash table, or as their
  /// keys were inserted.
  static let hashOrdered = KeyTree(usesHashOrder: true)
  static let insertionOrdered = KeyTree(usesHashOrder: false)

  private init(usesHashOrder: Bool) {
    self.usesHashOrder = usesHashOrder
    let name = (text: text("$classname"), slot: Int32(0))
    let chain = (text: text("$classes"), slot: Int32(1))
    _ = addShape([name, chain])
    _ = addShape([name])
    _ = addShape([name, chain, (text: text("$classhints"), slot: Int32(2))])
    _ = text("$class")
  }

  /// A new root, from which the keys of one type's objects start.
  mutating func addRoot() -> Int32 {
    if nodes.isEmpty { nodes.reserveCapacity(8) }
    nodes.append(Node(key: "", isASCII: true, isRaw: false, parent: -1, root: Int32(nodes.count), text: -1))
    return Int32(nodes.count - 1)
  }

  /// A new root for objects that were read: their keys, `$class` among them, are written in this order.
  mutating func addRoot(_ keys: [(text: String, identity: UInt64)]) -> Int32 {
    let root = addRoot()
    let texts = keys.map { text($0.text, identity: $0.identity) }
    orderOfRoot[root] = texts
    textsOfRoot[root] = Dictionary(zip(keys.map { ExactText($0.text) }, texts)) { first, _ in first }
    return root
  }

  /// The number of a key's text that was read.
  mutating func text(_ written: String, identity: UInt64) -> Int32 {
    if let known = textOfIdentity[identity] { return known }
    var number = text(written)
    if identityOfText[number] != nil {
      number = Int32(texts.count)
      texts.append(written)
    }
    identityOfText[number] = identity
    textOfIdentity[identity] = number
    return number
  }

  private mutating func text(_ written: String, below root: Int32) -> Int32 {
    if let texts = textsOfRoot[root], let known = texts[ExactText(written)] { return known }
    return text(written)
  }

  /// The node that `key` leads to from `node`.
  @inline(__always)
  mutating func child(of node: Int32, key: String) -> Int32 {
    let last = nodes[Int(node)].lastChild
    if last >= 0, nodes[Int(last)].isPlainASCII, nodes[Int(last)].key.isSameASCII(as: key) { return last }
    return slowChild(of: node, key: key, isRaw: false)
  }

  /// The node that a key which is written as it is leads to from `node`.
  mutating func child(of node: Int32, rawKey key: String) -> Int32 { slowChild(of: node, key: key, isRaw: true) }

  @inline(never)
  private mutating func slowChild(of node: Int32, key: String, isRaw: Bool) -> Int32 {
    if let child = knownChild(of: node, key: key, isRaw: isRaw) {
      nodes[Int(node)].lastChild = child
      return child
    }
    let child = Int32(nodes.count)
    let written = !isRaw && key.utf8.first == UInt8(ascii: "$") ? "$" + key : key
    nodes.append(
      Node(
        key: key, isASCII: key.utf8.span.isASCII, isRaw: isRaw, parent: node, root: nodes[Int(node)].root,
        text: text(written, below: nodes[Int(node)].root)))
    if nodes.count > KeyTree.few {
      for number in (edges.isEmpty ? 0 : Int(child))..<nodes.count {
        let node = nodes[number]
        edges[Edge(parent: node.parent, isRaw: node.isRaw, key: ExactText(node.key))] = Int32(number)
      }
    }
    nodes[Int(node)].lastChild = child
    return child
  }

  private func knownChild(of node: Int32, key: String, isRaw: Bool) -> Int32? {
    if !edges.isEmpty { return edges[Edge(parent: node, isRaw: isRaw, key: ExactText(key))] }
    for (number, known) in nodes.enumerated() where known.parent == node && known.isRaw == isRaw {
      if known.key.hasSameBytes(as: key) { return Int32(number) }
    }
    return nil
  }

  /// The number of a key's text.
  mutating func text(_ written: String) -> Int32 {
    if let known = knownText(written) { return known }
    texts.append(written)
    return Int32(texts.count - 1)
  }

  private mutating func knownText(_ written: String) -> Int32? {
    if texts.count <= KeyTree.few {
      let count = written.utf8.count
      for (number, text) in texts.enumerated() where text.utf8.count == count && text.hasSameBytes(as: written) {
        return Int32(number)
      }
      return nil
    }
    while indexedTexts < texts.count {
      let text = ExactText(texts[indexedTexts])
      if numberOfText[text] == nil { numberOfText[text] = Int32(indexedTexts) }
      indexedTexts += 1
    }
    return numberOfText[ExactText(written)]
  }

  /// The shape of an object whose keys end at `node`.
  @inline(__always)
  mutating func shape(of node: Int32, ofType type: Int32) -> Int32 {
    let shape = nodes[Int(node)].shape
    return shape >= 0 ? shape : makeShape(of: node, ofType: type)
  }

  private mutating func makeShape(of node: Int32, ofType type: Int32) -> Int32 {
    let sequence = keys(of: node)
    // A key that was encoded twice stands once, with its later value, where it was inserted first.
    var place: [Int32: Int] = [:]
    var distinct: [(text: Int32, slot: Int32)] = []
    distinct.reserveCapacity(sequence.count + 1)
    let isShort = sequence.count <= KeyTree.few
    for (slot, text) in sequence.enumerated() {
      if let former = isShort ? distinct.firstIndex(where: { $0.text == text }) : place[text] {
        distinct[former].slot = Int32(slot)
      } else {
        if !isShort { place[text] = distinct.count }
        distinct.append((text, Int32(slot)))
      }
    }
    let root = nodes[Int(node)].root
    distinct.append((text("$class", below: root), KeyTree.classSlot))
    let number = addShape(distinct, ofType: type, written: orderOfRoot.isEmpty ? nil : orderOfRoot[root])
    nodes[Int(node)].shape = number
    return number
  }

  /// Adds a shape whose keys were inserted in this order, and are written in another if that is given.
  mutating func addShape(
    _ inserted: [(text: Int32, slot: Int32)], ofType type: Int32 = -1, written: [Int32]? = nil
  ) -> Int32 {
    shapes.append(Shape(start: order.count, count: inserted.count, type: type))
    if let places = places(of: inserted, written) {
      for place in places { order.append(inserted[place]) }
    } else if usesHashOrder, inserted.count > 1 {
      let places = KeyOrder.enumeration(ofCount: inserted.count) { texts[Int(inserted[$0].text)] }
      for place in places { order.append(inserted[place]) }
    } else {
      order.append(contentsOf: inserted)
    }
    return Int32(shapes.count - 1)
  }

  /// The places of keys in the order in which they are to be written; nil unless that order names each of them once.
  private func places(of inserted: [(text: Int32, slot: Int32)], _ written: [Int32]?) -> [Int]? {
    guard let written, written.count == inserted.count else { return nil }
    var placeOfText: [Int32: Int] = [:]
    for (place, key) in inserted.enumerated() { placeOfText[key.text] = place }
    var places: [Int] = []
    for text in written {
      guard let place = placeOfText.removeValue(forKey: text) else { return nil }
      places.append(place)
    }
    return places
  }

  /// The texts of the keys from the root to `node`.
  private func keys(of node: Int32) -> [Int32] {
    var keys: [Int32] = []
    keys.reserveCapacity(8)
    var current = node
    while current >= 0, nodes[Int(current)].parent >= 0 {
      keys.append(nodes[Int(current)].text)
      current = nodes[Int(current)].parent
    }
    keys.reverse()
    return keys
  }

  /// The key that was recorded as number `index` on the way to `node`, for messages.
  func key(_ index: Int, onTheWayTo node: Int32) -> String? {
    let keys = keys(of: node)
    return keys.indices.contains(index) ? texts[Int(keys[index])] : nil
  }
}
