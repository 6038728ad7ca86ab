// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A parsed XML property list: a tree of its values in the order of their start tags.
struct XMLTree {
  struct Node {
    /// The kind; UTF-16 for all strings.
    var kind: BinaryItem.Kind
    /// The bits of a number, or the offset of a string or data in `bytes`.
    var payload: UInt64 = 0
    /// The number of bytes of a string or data, or of values in a container; 16 for an integer that exceeds `Int64`.
    var count = 0
    /// The key of a value in a dictionary.
    var key: Int32 = -1
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    var nextSibling: Int32 = -1
  }

  var nodes: [Node] = []
  /// The distinct keys.
  var keys: [String] = []
  /// The bytes of all strings and data.
  var bytes: ContiguousArray<UInt8> = []
  private var keyNumbers = HashIndex()
  private let hash = ByteHash()

  /// Adds a node as the root or as the last child of a container.
  mutating func add(_ node: Node, to parent: Int32?) -> Int32 {
    let number = Int32(truncatingIfNeeded: nodes.count)
    nodes.append(node)
    guard let parent = parent.map(Int.init) else { return number }
    if nodes[parent].lastChild >= 0 {
      nodes[Int(nodes[parent].lastChild)].nextSibling = number
    } else {
      nodes[parent].firstChild = number
    }
    nodes[parent].lastChild = number
    nodes[parent].count += 1
    return number
  }

  /// Returns the index of a key.
  mutating func key(_ text: ContiguousArray<UInt8>) -> Int32 {
    let bytes = text.span
    var search = keyNumbers.search(hash.of(bytes))
    while let number = keyNumbers.next(&search) {
      if keys[Int(number)].withBytes({ $0.hasSameBytes(as: bytes) }) { return Int32(bitPattern: number) }
    }
    let number = UInt32(truncatingIfNeeded: keys.count)
    keys.append(String(decoding: text, as: UTF8.self))
    keyNumbers.add(number, at: search)
    return Int32(bitPattern: number)
  }
}

extension XMLTree {
  /// Returns the tree as a binary property list: parents before children, the keys of a dictionary before its values.
  /// Equal keys share one object; each other value has its own.
  func binary() throws(PropertyListError) -> Data {
    let (order, numbers, keyNumbers) = arranged()
    var writer = BinaryWriter(objectCount: order.count, byteCount: bytes.count + 12 * order.count)
    for item in order {
      switch item {
      case .key(let key): writer.put(keys[Int(key)])
      case .node(let number): write(nodes[Int(number)], numbers, keyNumbers, to: &writer)
      }
    }
    return writer.finish(top: 0)
  }

  /// Returns the lines of the objects of ``binary()``, by those of the nodes; 0 for a key.
  func lines(ofNodes lines: [UInt32]) -> [UInt32] {
    arranged().order.map { item in
      if case .node(let number) = item { lines[Int(number)] } else { 0 }
    }
  }

  /// Returns the objects of ``binary()`` in order, and their numbers by the numbers of nodes and keys.
  private func arranged() -> (order: [Item], numbers: [UInt32], keyNumbers: [UInt32?]) {
    var numbers = [UInt32](repeating: 0, count: nodes.count)
    var keyNumbers = [UInt32?](repeating: nil, count: keys.count)
    var order: [Item] = []
    order.reserveCapacity(nodes.count + keys.count)
    var stack: [Int32] = [0]
    while let number = stack.popLast() {
      let node = nodes[Int(number)]
      numbers[Int(number)] = UInt32(order.count)
      order.append(.node(number))
      guard node.count > 0, node.kind.isContainer else { continue }
      let first = stack.count
      var child = node.firstChild
      while child >= 0 {
        let key = nodes[Int(child)].key
        if node.kind == .dictionary, keyNumbers[Int(key)] == nil {
          keyNumbers[Int(key)] = UInt32(order.count)
          order.append(.key(key))
        }
        stack.append(child)
        child = nodes[Int(child)].nextSibling
      }
      stack[first...].reverse()
    }
    return (order, numbers, keyNumbers)
  }

  private enum Item {
    case node(Int32)
    case key(Int32)
  }

  private func write(_ node: Node, _ numbers: [UInt32], _ keyNumbers: [UInt32?], to writer: inout BinaryWriter) {
    let start = Int(truncatingIfNeeded: node.payload)
    switch node.kind {
    case .null: writer.putNull()
    case .true: writer.put(true)
    case .false: writer.put(false)
    case .integer where node.count == 16: writer.put(wide: WideInteger(node.payload))
    case .integer: writer.put(Int64(bitPattern: node.payload))
    case .float, .double: writer.put(Double(bitPattern: node.payload))
    case .date: writer.put(date: Double(bitPattern: node.payload))
    case .uid: writer.put(uid: node.payload)
    case .ascii, .utf16: writer.put(utf8: bytes.span.extracting(start..<start + node.count))
    case .data: writer.put(data: bytes.span.extracting(start..<start + node.count))
    case .array, .set, .dictionary:
      writer.beginContainer(
        node.kind == .dictionary ? BinaryLayout.dictionary : BinaryLayout.array, count: node.count)
      var child = node.firstChild
      if node.kind == .dictionary {
        while child >= 0 {
          writer.put(reference: keyNumbers[Int(nodes[Int(child)].key)] ?? 0)
          child = nodes[Int(child)].nextSibling
        }
        child = node.firstChild
      }
      while child >= 0 {
        writer.put(reference: numbers[Int(child)])
        child = nodes[Int(child)].nextSibling
      }
    }
  }
}
