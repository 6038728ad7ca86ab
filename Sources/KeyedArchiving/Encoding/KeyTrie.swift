// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The sequences of keys that objects were encoded with, as a trie.
///
/// Objects of one class nearly always encode the same keys in the same order. A node therefore first tries the child it
/// used last. For a string literal that is a comparison of two words. The node of an object's last key has its key
/// layout: everything about writing such an object that does not depend on its values.
struct KeyTrie: ~Copyable {
  /// The properties that all objects with the same sequence of keys share.
  struct KeyLayout {
    /// The start of the layout's keys in ``KeyTrie/order``.
    var start: Int32
    /// The number of distinct keys, including `$class`.
    var count: Int32
    /// The type of the objects; -1 for the dictionaries of the envelope, which have no `$class`.
    var type: Int32
    /// The number of recorded values per object. It exceeds the number of keys if a key was encoded twice.
    var fieldCount: Int32
  }

  /// A key of a layout: its text, and the field with its value. `$class` has ``classField``, because its value follows
  /// from the type.
  struct Key {
    var text: Int32
    var field: Int32
  }

  private struct Node {
    var key: String
    var isASCII: Bool
    /// Whether the key is written unescaped, as `$0` is. A caller's key with a leading `$` is escaped.
    var isRaw: Bool
    var parent: Int32
    var root: Int32
    var text: Int32
    var lastChild: Int32 = -1
    var keyLayout: Int32 = -1

    @inline(__always)
    var isPlainASCII: Bool { isASCII && !isRaw }
  }

  /// An edge of the trie. The text implies whether the key is escaped.
  private struct Edge: Hashable {
    var parent: Int32
    var text: Int32
  }

  private var nodes: [Node] = []
  private var edges: [Edge: Int32] = [:]
  /// The index of each distinct text, once they are many; built for the first ``indexedTexts`` texts.
  private var indexOfText: [BytewiseString: Int32] = [:]
  private var indexedTexts = 0
  /// The number of keys up to which a linear search is faster than a dictionary.
  static let linearSearchLimit = 24
  /// For the roots of decoded objects, which keep the order of their keys: the texts in that order.
  private var orderOfRoot: [Int32: [Int32]] = [:]
  /// For those of them with many keys: the text of each key. Equal keys may have been two strings.
  private var textsOfRoot: [Int32: [BytewiseString: Int32]] = [:]
  /// The texts of decoded keys, by their origin. Each is distinct, even from an equal plain text.
  private(set) var textOfIdentity: [UInt64: Int32] = [:]
  private var decodedTexts: Set<Int32> = []
  /// The equal plain text of each decoded key's text, if it exists. If several decoded texts are equal, the first in
  /// the order of the archive is the same string as the plain one.
  private(set) var textSharedWithDecoded: [Int32: Int32] = [:]
  private let usesHashOrder: Bool
  /// The distinct keys of the archive as they are written.
  private(set) var texts: [String] = []
  private(set) var textByteCount = 0
  private(set) var keyLayouts: TrivialArray<KeyLayout>
  /// The keys of all layouts in the order of writing.
  private(set) var order: TrivialArray<Key>
  /// The keys of the layout that is being added, in the order of insertion.
  private var inserted: TrivialArray<Key>
  /// The keys that objects with a layout encode more than once, as the objects spell them.
  private(set) var repeatedKeys: [Int32: [String]] = [:]
  var hasRepeatedKeys: Bool { !repeatedKeys.isEmpty }

  static let classField: Int32 = -1

  /// The layouts of class records: with a superclass chain, with a name alone, and with class hints.
  static let classRecord: Int32 = 0
  static let namedClassRecord: Int32 = 1
  static let hintedClassRecord: Int32 = 2

  /// The keys of class records, and the key that refers to them. Their positions are their indexes among the texts.
  private static let commonTexts = ["$classname", "$classes", "$classhints", "$class"]
  private static let classText: Int32 = 3
  /// The layouts of class records, with keys in hash-table order and in the order of insertion.
  private static let common = (CommonKeyLayouts(usesHashOrder: true), CommonKeyLayouts(usesHashOrder: false))

  private struct CommonKeyLayouts {
    var keyLayouts: [KeyLayout] = []
    var order: [Key] = []

    init(usesHashOrder: Bool) {
      for count in [2, 1, 3] {
        keyLayouts.append(
          KeyLayout(start: Int32(order.count), count: Int32(count), type: -1, fieldCount: Int32(count)))
        let inserted = Array(0..<count)
        for index in usesHashOrder ? KeyOrder.enumeration(of: Array(commonTexts.prefix(count))) : inserted {
          order.append(Key(text: Int32(index), field: Int32(index)))
        }
      }
    }
  }

  /// Creates a trie with only the texts and layouts that all archives share.
  /// - Parameters:
  ///   - usesHashOrder: Whether dictionaries are written in hash-table order, rather than in the order of insertion.
  ///   - block: The arena for the first layouts.
  init(usesHashOrder: Bool, from block: inout SmallArena) {
    self.usesHashOrder = usesHashOrder
    keyLayouts = TrivialArray(6, from: &block)
    order = TrivialArray(14, from: &block)
    inserted = TrivialArray(7, from: &block)
    texts.reserveCapacity(12)
    for text in Self.commonTexts { texts.append(text) }
    let common = usesHashOrder ? Self.common.0 : Self.common.1
    for keyLayout in common.keyLayouts { keyLayouts.append(keyLayout) }
    for key in common.order { order.append(key) }
  }

  /// Whether another archive can use the trie: it is small, and nothing in it is particular to one archive.
  var isReusable: Bool {
    nodes.count <= 64 && texts.count <= 64 && textByteCount <= 4096 && !hasRepeatedKeys && orderOfRoot.isEmpty
      && decodedTexts.isEmpty
  }

  /// Removes the layouts from an index on, to which no node leads.
  mutating func removeKeyLayouts(from index: Int) {
    guard index < keyLayouts.count else { return }
    order.removeAll(from: Int(keyLayouts[index].start))
    keyLayouts.removeAll(from: index)
  }

  /// Adds a root for the keys of one type's objects.
  mutating func addRoot() -> Int32 {
    if nodes.isEmpty { nodes.reserveCapacity(7) }
    nodes.append(Node(key: "", isASCII: true, isRaw: false, parent: -1, root: Int32(nodes.count), text: -1))
    return Int32(nodes.count - 1)
  }

  /// Adds a root for decoded objects, whose keys are written in this order, including `$class`.
  mutating func addRoot(_ keys: [(text: String, identity: UInt64)]) -> Int32 {
    let root = addRoot()
    let texts = keys.map { text($0.text, identity: $0.identity) }
    orderOfRoot[root] = texts
    if keys.count > KeyTrie.linearSearchLimit {
      textsOfRoot[root] = Dictionary(zip(keys.map { BytewiseString($0.text) }, texts)) { first, _ in first }
    }
    return root
  }

  /// Returns the index of a decoded key's text.
  mutating func text(_ written: String, identity: UInt64) -> Int32 {
    if let known = textOfIdentity[identity] { return known }
    let number = Int32(texts.count)
    texts.append(written)
    decodedTexts.insert(number)
    textOfIdentity[identity] = number
    return number
  }

  /// Finds the plain texts that are equal to those of decoded keys.
  mutating func findSharedKeys() {
    guard !decodedTexts.isEmpty else { return }
    for number in decodedTexts {
      if let plain = knownText(texts[Int(number)]) { textSharedWithDecoded[number] = plain }
    }
  }

  private mutating func text(_ written: String, below root: Int32) -> Int32 {
    if !textsOfRoot.isEmpty, let texts = textsOfRoot[root] { return texts[BytewiseString(written)] ?? text(written) }
    // Equal long keys share their memory, so comparing them is fast.
    if !orderOfRoot.isEmpty, let known = orderOfRoot[root]?.first(where: { texts[Int($0)].hasSameBytes(as: written) }) {
      return known
    }
    return text(written)
  }

  /// Returns the child of a node for a key.
  @inline(__always)
  mutating func child(of node: Int32, key: String) -> Int32 {
    let last = nodes[Int(node)].lastChild
    if last >= 0, nodes[Int(last)].isPlainASCII, nodes[Int(last)].key.isSameASCII(as: key) { return last }
    return slowChild(of: node, key: key, isRaw: false)
  }

  /// Returns the child of a node for a key that is written unescaped.
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
      Node(key: key, isASCII: key.isASCII, isRaw: isRaw, parent: node, root: root, text: text))
    if nodes.count > KeyTrie.linearSearchLimit {
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

  /// Returns the index of a key's text.
  mutating func text(_ written: String) -> Int32 {
    if let known = knownText(written) { return known }
    texts.append(written)
    textByteCount += written.utf8.count
    return Int32(texts.count - 1)
  }

  private mutating func knownText(_ written: String) -> Int32? {
    if texts.count <= KeyTrie.linearSearchLimit {
      let count = written.utf8.count
      // The common texts begin with `$`; few others do.
      let first = written.utf8.first == UInt8(ascii: "$") ? 0 : Self.commonTexts.count
      for number in first..<texts.count where texts[number].utf8.count == count {
        if texts[number].hasSameBytes(as: written), !isDecoded(number) { return Int32(number) }
      }
      return nil
    }
    while indexedTexts < texts.count {
      let text = BytewiseString(texts[indexedTexts])
      if indexOfText[text] == nil, !isDecoded(indexedTexts) { indexOfText[text] = Int32(indexedTexts) }
      indexedTexts += 1
    }
    return indexOfText[BytewiseString(written)]
  }

  @inline(__always)
  private func isDecoded(_ text: Int) -> Bool { !decodedTexts.isEmpty && decodedTexts.contains(Int32(text)) }

  /// Returns the layout of an object whose keys end at `node`.
  @inline(__always)
  mutating func keyLayout(of node: Int32, ofType type: Int32) -> Int32 {
    let keyLayout = nodes[Int(node)].keyLayout
    return keyLayout >= 0 ? keyLayout : makeKeyLayout(of: node, ofType: type)
  }

  private mutating func makeKeyLayout(of node: Int32, ofType type: Int32) -> Int32 {
    inserted.removeAll()
    var current = node
    while current >= 0, nodes[Int(current)].parent >= 0 {
      inserted.append(Key(text: nodes[Int(current)].text, field: 0))
      current = nodes[Int(current)].parent
    }
    inserted.reverse()
    let fieldCount = inserted.count
    for field in 0..<fieldCount { inserted[field].field = Int32(field) }
    let repeated = removeRepeated(onPathTo: node)
    let root = nodes[Int(node)].root
    let classText = orderOfRoot.isEmpty ? Self.classText : text("$class", below: root)
    inserted.append(Key(text: classText, field: KeyTrie.classField))
    let number = addKeyLayout(
      ofType: type, fieldCount: fieldCount, written: orderOfRoot.isEmpty ? nil : orderOfRoot[root])
    nodes[Int(node)].keyLayout = number
    if !repeated.isEmpty { repeatedKeys[number] = repeated }
    return number
  }

  /// Removes the earlier of two values for one key: the key keeps its position, and gets the later value.
  /// - Returns: The repeated keys.
  private mutating func removeRepeated(onPathTo node: Int32) -> [String] {
    var repeated: [String] = []
    var path: [String]?
    var indexOfKeyText: [Int32: Int] = [:]
    let isShort = inserted.count <= KeyTrie.linearSearchLimit
    var count = 0
    for field in 0..<inserted.count {
      let key = inserted[field]
      var former: Int?
      if isShort {
        for index in 0..<count where inserted[index].text == key.text { former = index }
      } else {
        former = indexOfKeyText[key.text]
      }
      if let former {
        inserted[former].field = key.field
        let spelled = path ?? keys(onPathTo: node)
        path = spelled
        repeated.append(spelled[Int(key.field)])
      } else {
        if !isShort { indexOfKeyText[key.text] = count }
        inserted[count] = key
        count += 1
      }
    }
    inserted.removeAll(from: count)
    return repeated
  }

  /// Adds the layout of a dictionary with one key, whose value is in field 0.
  mutating func addKeyLayout(of text: Int32) -> Int32 {
    keyLayouts.append(KeyLayout(start: Int32(order.count), count: 1, type: -1, fieldCount: 1))
    order.append(Key(text: text, field: 0))
    return Int32(keyLayouts.count - 1)
  }

  /// Adds a layout whose keys were inserted in this order. `written` is the order of writing, if it differs.
  mutating func addKeyLayout(of keys: [Key], written: [Int32]? = nil) -> Int32 {
    inserted.removeAll()
    for key in keys { inserted.append(key) }
    return addKeyLayout(ofType: -1, fieldCount: keys.count, written: written)
  }

  private mutating func addKeyLayout(ofType type: Int32, fieldCount: Int, written: [Int32]?) -> Int32 {
    let count = inserted.count
    keyLayouts.append(
      KeyLayout(start: Int32(order.count), count: Int32(count), type: type, fieldCount: Int32(fieldCount)))
    if let positions = positions(written) {
      for index in positions { order.append(inserted[index]) }
    } else if usesHashOrder, count > 1, count <= KeyOrder.few {
      let positions = KeyOrder.enumeration(ofFew: count) { texts[Int(inserted[$0].text)] }
      for index in 0..<count { order.append(inserted[Int(positions[index])]) }
    } else if usesHashOrder, count > 1 {
      for index in KeyOrder.enumeration(ofCount: count, { texts[Int(inserted[$0].text)] }) {
        order.append(inserted[index])
      }
    } else {
      for index in 0..<count { order.append(inserted[index]) }
    }
    return Int32(keyLayouts.count - 1)
  }

  /// Returns the positions of the inserted keys in the order of writing, or nil if `written` does not name each of them
  /// once.
  private func positions(_ written: [Int32]?) -> [Int]? {
    guard let written, written.count == inserted.count else { return nil }
    var indexOfKeyText: [Int32: Int] = [:]
    for index in 0..<inserted.count { indexOfKeyText[inserted[index].text] = index }
    var positions: [Int] = []
    for text in written {
      guard let index = indexOfKeyText.removeValue(forKey: text) else { return nil }
      positions.append(index)
    }
    return positions
  }

  /// Returns the keys on the path to `node`, as the object spells them. Messages name them.
  func keys(onPathTo node: Int32) -> [String] {
    var keys: [String] = []
    var current = node
    while current >= 0, nodes[Int(current)].parent >= 0 {
      keys.append(nodes[Int(current)].key)
      current = nodes[Int(current)].parent
    }
    keys.reverse()
    return keys
  }
}
