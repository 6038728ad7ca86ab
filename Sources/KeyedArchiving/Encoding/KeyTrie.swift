// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The sequences of keys that objects were encoded with, as paths of a tree.
///
/// Objects of one class nearly always encode the same keys in the same order, so the next key is compared with the one
/// that followed here last time, which for a literal is a comparison of two words. The node where an object's keys end
/// names its shape: everything about writing such an object that does not depend on its values.
struct KeyTrie: ~Copyable {
  /// What all objects with the same sequence of keys have in common.
  struct Shape {
    /// Where in ``KeyTrie/order`` the shape's keys begin.
    var start: Int32
    /// How many distinct keys it has, `$class` included.
    var count: Int32
    /// The type of its objects; -1 for the dictionaries of the envelope, which have no `$class`.
    var type: Int32
    /// How many values were recorded for its objects. They are more than its keys if one was encoded twice.
    var slotCount: Int32
  }

  /// A key of a shape: which text, and which slot of the object holds its value. `$class` has ``classSlot``, for its
  /// value follows from the type.
  struct Key {
    var text: Int32
    var slot: Int32
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

  /// The text of a key tells whether it stands as it is.
  private struct Edge: Hashable {
    var parent: Int32
    var text: Int32
  }

  private var nodes: [Node] = []
  private var edges: [Edge: Int32] = [:]
  /// Once there are many texts: the first of each that are equal, among so many of them.
  private var numberOfText: [BytewiseString: Int32] = [:]
  private var indexedTexts = 0
  /// Up to how many keys looking at each is quicker than a dictionary.
  static let few = 24
  /// For roots whose objects keep the order of keys that they were read with: the texts in that order.
  private var orderOfRoot: [Int32: [Int32]] = [:]
  /// For those of them that have many keys, the text of each: equal keys may have been two strings.
  private var textsOfRoot: [Int32: [BytewiseString: Int32]] = [:]
  /// The texts of keys that were read, by where they came from. Each is a text of its own, also beside an equal one.
  private(set) var textOfIdentity: [UInt64: Int32] = [:]
  private var readTexts: Set<Int32> = []
  /// For each text of a key that was read, the equal plain text, if there is one. The first of them in the order of the
  /// archive is the same string as the plain one.
  private(set) var plainTextOfReadText: [Int32: Int32] = [:]
  private let usesHashOrder: Bool
  /// The distinct keys of the archive, as they are written.
  private(set) var texts: [String] = []
  private(set) var shapes: TrivialArray<Shape>
  /// The keys of all shapes in the order of writing.
  private(set) var order: TrivialArray<Key>
  /// The keys of the shape that is being added, in the order in which they were inserted.
  private var inserted: TrivialArray<Key>
  /// The key that an object encoded twice, as its number among the texts; nil if no object did.
  private(set) var repeatedKey: Int32?

  static let classSlot: Int32 = -1

  /// The shapes of class records: with name and ancestry, with the name alone, and with names to fall back on.
  static let classRecord: Int32 = 0
  static let namedClassRecord: Int32 = 1
  static let hintedClassRecord: Int32 = 2

  /// The keys of class records and the one that refers to them. Their places are their numbers.
  private static let commonTexts = ["$classname", "$classes", "$classhints", "$class"]
  private static let classText: Int32 = 3
  /// The shapes of class records with their keys, which are the first of these texts in this order: in the order of a
  /// hash table, and as they are inserted.
  private static let common = (CommonShapes(usesHashOrder: true), CommonShapes(usesHashOrder: false))

  private struct CommonShapes {
    var shapes: [Shape] = []
    var order: [Key] = []

    init(usesHashOrder: Bool) {
      for count in [2, 1, 3] {
        shapes.append(
          Shape(start: Int32(order.count), count: Int32(count), type: -1, slotCount: Int32(count)))
        let inserted = Array(0..<count)
        for place in usesHashOrder ? KeyOrder.enumeration(of: Array(commonTexts.prefix(count))) : inserted {
          order.append(Key(text: Int32(place), slot: Int32(place)))
        }
      }
    }
  }

  /// A tree with nothing but what all archives share.
  /// - Parameters:
  ///   - usesHashOrder: whether dictionaries are written in the order of a hash table, or as their keys were inserted.
  ///   - block: what its first shapes are kept in.
  init(usesHashOrder: Bool, from block: inout SmallArena) {
    self.usesHashOrder = usesHashOrder
    shapes = TrivialArray(6, from: &block)
    order = TrivialArray(14, from: &block)
    inserted = TrivialArray(7, from: &block)
    texts.reserveCapacity(12)
    for text in Self.commonTexts { texts.append(text) }
    let common = usesHashOrder ? Self.common.0 : Self.common.1
    for shape in common.shapes { shapes.append(shape) }
    for key in common.order { order.append(key) }
  }

  /// A new root, from which the keys of one type's objects start.
  mutating func addRoot() -> Int32 {
    if nodes.isEmpty { nodes.reserveCapacity(7) }
    nodes.append(Node(key: "", isASCII: true, isRaw: false, parent: -1, root: Int32(nodes.count), text: -1))
    return Int32(nodes.count - 1)
  }

  /// A new root for objects that were read: their keys, `$class` among them, are written in this order.
  mutating func addRoot(_ keys: [(text: String, identity: UInt64)]) -> Int32 {
    let root = addRoot()
    let texts = keys.map { text($0.text, identity: $0.identity) }
    orderOfRoot[root] = texts
    if keys.count > KeyTrie.few {
      textsOfRoot[root] = Dictionary(zip(keys.map { BytewiseString($0.text) }, texts)) { first, _ in first }
    }
    return root
  }

  /// The number of a key's text that was read.
  mutating func text(_ written: String, identity: UInt64) -> Int32 {
    if let known = textOfIdentity[identity] { return known }
    let number = Int32(texts.count)
    texts.append(written)
    readTexts.insert(number)
    textOfIdentity[identity] = number
    return number
  }

  /// Finds the plain texts that are equal to those of keys that were read.
  mutating func findSharedKeys() {
    for number in readTexts {
      if let plain = knownText(texts[Int(number)]) { plainTextOfReadText[number] = plain }
    }
  }

  private mutating func text(_ written: String, below root: Int32) -> Int32 {
    if !textsOfRoot.isEmpty, let texts = textsOfRoot[root] { return texts[BytewiseString(written)] ?? text(written) }
    // Long keys share their memory, which shows at a glance that they are the same.
    if !orderOfRoot.isEmpty, let known = orderOfRoot[root]?.first(where: { texts[Int($0)].hasSameBytes(as: written) }) {
      return known
    }
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
    if edges.isEmpty, let child = knownChild(of: node, key: key, isRaw: isRaw) {
      nodes[Int(node)].lastChild = child
      return child
    }
    let root = nodes[Int(node)].root
    let text = text(!isRaw && key.utf8.first == UInt8(ascii: "$") ? "$" + key : key, below: root)
    let next = Int32(nodes.count)
    let child = edges[Edge(parent: node, text: text)] ?? next
    nodes[Int(node)].lastChild = child
    guard child == next else { return child }
    nodes.append(
      Node(key: key, isASCII: key.utf8.span.isASCII, isRaw: isRaw, parent: node, root: root, text: text))
    if nodes.count > KeyTrie.few {
      for number in (edges.isEmpty ? 0 : Int(child))..<nodes.count {
        edges[Edge(parent: nodes[number].parent, text: nodes[number].text)] = Int32(number)
      }
    }
    return child
  }

  private func knownChild(of node: Int32, key: String, isRaw: Bool) -> Int32? {
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
    if texts.count <= KeyTrie.few {
      let count = written.utf8.count
      // The common ones begin with a `$`, and few others do.
      let first = written.utf8.first == UInt8(ascii: "$") ? 0 : Self.commonTexts.count
      for number in first..<texts.count where texts[number].utf8.count == count {
        if texts[number].hasSameBytes(as: written), !isRead(number) { return Int32(number) }
      }
      return nil
    }
    while indexedTexts < texts.count {
      let text = BytewiseString(texts[indexedTexts])
      if numberOfText[text] == nil, !isRead(indexedTexts) { numberOfText[text] = Int32(indexedTexts) }
      indexedTexts += 1
    }
    return numberOfText[BytewiseString(written)]
  }

  @inline(__always)
  private func isRead(_ text: Int) -> Bool { !readTexts.isEmpty && readTexts.contains(Int32(text)) }

  /// The shape of an object whose keys end at `node`.
  @inline(__always)
  mutating func shape(of node: Int32, ofType type: Int32) -> Int32 {
    let shape = nodes[Int(node)].shape
    return shape >= 0 ? shape : makeShape(of: node, ofType: type)
  }

  private mutating func makeShape(of node: Int32, ofType type: Int32) -> Int32 {
    inserted.removeAll()
    var current = node
    while current >= 0, nodes[Int(current)].parent >= 0 {
      inserted.append(Key(text: nodes[Int(current)].text, slot: 0))
      current = nodes[Int(current)].parent
    }
    inserted.reverse()
    let slotCount = inserted.count
    for slot in 0..<slotCount { inserted[slot].slot = Int32(slot) }
    removeRepeated()
    let root = nodes[Int(node)].root
    let classText = orderOfRoot.isEmpty ? Self.classText : text("$class", below: root)
    inserted.append(Key(text: classText, slot: KeyTrie.classSlot))
    let number = addShape(ofType: type, slotCount: slotCount, written: orderOfRoot.isEmpty ? nil : orderOfRoot[root])
    nodes[Int(node)].shape = number
    return number
  }

  /// A key that was encoded twice is stored once, with its later value, where it was inserted first.
  private mutating func removeRepeated() {
    var placeOfText: [Int32: Int] = [:]
    let isShort = inserted.count <= KeyTrie.few
    var count = 0
    for slot in 0..<inserted.count {
      let key = inserted[slot]
      var former: Int?
      if isShort {
        for place in 0..<count where inserted[place].text == key.text { former = place }
      } else {
        former = placeOfText[key.text]
      }
      if let former {
        inserted[former].slot = key.slot
        repeatedKey = key.text
      } else {
        if !isShort { placeOfText[key.text] = count }
        inserted[count] = key
        count += 1
      }
    }
    inserted.removeAll(from: count)
  }

  /// Adds the shape of a dictionary with one key, which holds what is in slot 0.
  mutating func addShape(of text: Int32) -> Int32 {
    shapes.append(Shape(start: Int32(order.count), count: 1, type: -1, slotCount: 1))
    order.append(Key(text: text, slot: 0))
    return Int32(shapes.count - 1)
  }

  /// Adds a shape whose keys were inserted in this order, and are written in another if that is given.
  mutating func addShape(of keys: [Key], written: [Int32]? = nil) -> Int32 {
    inserted.removeAll()
    for key in keys { inserted.append(key) }
    return addShape(ofType: -1, slotCount: keys.count, written: written)
  }

  private mutating func addShape(ofType type: Int32, slotCount: Int, written: [Int32]?) -> Int32 {
    let count = inserted.count
    shapes.append(Shape(start: Int32(order.count), count: Int32(count), type: type, slotCount: Int32(slotCount)))
    if let places = places(written) {
      for place in places { order.append(inserted[place]) }
    } else if usesHashOrder, count > 1, count <= KeyOrder.few {
      let places = KeyOrder.enumeration(ofFew: count) { texts[Int(inserted[$0].text)] }
      for place in 0..<count { order.append(inserted[Int(places[place])]) }
    } else if usesHashOrder, count > 1 {
      for place in KeyOrder.enumeration(ofCount: count, { texts[Int(inserted[$0].text)] }) {
        order.append(inserted[place])
      }
    } else {
      for place in 0..<count { order.append(inserted[place]) }
    }
    return Int32(shapes.count - 1)
  }

  /// The places of keys in the order in which they are to be written; nil unless that order names each of them once.
  private func places(_ written: [Int32]?) -> [Int]? {
    guard let written, written.count == inserted.count else { return nil }
    var placeOfText: [Int32: Int] = [:]
    for place in 0..<inserted.count { placeOfText[inserted[place].text] = place }
    var places: [Int] = []
    for text in written {
      guard let place = placeOfText.removeValue(forKey: text) else { return nil }
      places.append(place)
    }
    return places
  }

  /// The key that was recorded as number `index` on the way to `node`, for messages.
  func key(_ index: Int, onTheWayTo node: Int32) -> String? {
    var texts: [String] = []
    var current = node
    while current >= 0, nodes[Int(current)].parent >= 0 {
      texts.append(self.texts[Int(nodes[Int(current)].text)])
      current = nodes[Int(current)].parent
    }
    return texts.indices.contains(index) ? texts[texts.count - 1 - index] : nil
  }
}
