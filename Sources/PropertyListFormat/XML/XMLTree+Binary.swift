// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension XMLTree {
  /// The tree as a binary property list: parents before children, a dictionary's keys before its values, each key text
  /// once, every other value an object of its own.
  func binary() throws(PropertyListError) -> Data {
    var numbers = [UInt32](repeating: 0, count: nodes.count)
    var keyNumbers = [UInt32?](repeating: nil, count: keys.count)
    var order: [Item] = []
    order.reserveCapacity(nodes.count + keys.count)
    var stack: [Int32] = [0]
    while let number = stack.popLast() {
      let node = nodes[Int(number)]
      numbers[Int(number)] = UInt32(order.count)
      order.append(.node(number))
      guard node.count > 0, node.kind == .dictionary || node.kind == .array else { continue }
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
    var writer = BinaryWriter(objectCount: order.count, byteCount: bytes.count + 12 * order.count)
    for item in order {
      switch item {
      case .key(let key): writer.put(keys[Int(key)])
      case .node(let number): write(nodes[Int(number)], numbers, keyNumbers, to: &writer)
      }
    }
    return writer.finish(top: 0)
  }

  private enum Item {
    case node(Int32)
    case key(Int32)
  }

  private func write(_ node: Node, _ numbers: [UInt32], _ keyNumbers: [UInt32?], to writer: inout BinaryWriter) {
    let start = Int(truncatingIfNeeded: node.payload)
    switch node.kind {
    case .true: writer.put(true)
    case .false: writer.put(false)
    case .integer: writer.put(Int64(bitPattern: node.payload))
    case .wideInteger: writer.put(wide: Int128(node.payload))
    case .real: writer.put(Double(bitPattern: node.payload))
    case .date: writer.put(date: Double(bitPattern: node.payload))
    case .uid: writer.put(uid: node.payload)
    case .string: writer.put(utf8: bytes.span.extracting(start..<start + node.count))
    case .data: writer.put(data: bytes.span.extracting(start..<start + node.count))
    case .array, .dictionary:
      writer.beginContainer(
        node.kind == .array ? BinaryLayout.array : BinaryLayout.dictionary, count: node.count)
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
