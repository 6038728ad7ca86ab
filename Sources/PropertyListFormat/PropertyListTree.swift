// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// All objects of a property list, each checked once, for whoever goes through a whole list.
///
/// ``PropertyList`` reads a row whenever it is asked for one, and may find it damaged. Here every row was read: nothing
/// throws any more, and what an array or a dictionary refers to is had without reading it again. It takes 16 bytes for
/// each object and 4 for each reference; texts and data stay where they are in the file until they are asked for.
///
/// ```swift
/// let tree = try list.tree()
/// for row in tree.rows where tree.kind(of: row) == .dictionary {
///   print(tree.keys(of: row).compactMap(tree.string), "->", tree.values(of: row).map(tree.kind))
/// }
/// ```
public struct PropertyListTree: Sendable {
  /// What an object is, whatever it takes in the file.
  public enum Kind: UInt8, Sendable, Hashable {
    /// The marker for nothing, which only binary files have.
    case null
    /// True or false.
    case boolean
    /// A whole number of 1 to 16 bytes.
    case integer
    /// A floating-point number of 4 or 8 bytes.
    case real
    /// A point in time, in seconds since 2001.
    case date
    /// Bytes.
    case data
    /// A text, in ASCII or in UTF-16.
    case string
    /// A reference of a keyed archive to one of its objects.
    case uid
    /// A list of objects.
    case array
    /// A set of objects, which only binary files have.
    case set
    /// Objects under keys.
    case dictionary
  }

  /// An object: what it is in the lowest byte of `head`, how many bytes, units, elements or keys it has above that.
  private struct Node {
    let head: UInt64
    /// Where its content begins in the file, its references among all of them, or it itself among the changed objects.
    let place: UInt64

    @inline(__always)
    init(_ kind: BinaryItem.Kind, count: Int, place: Int) {
      head = UInt64(kind.rawValue) | UInt64(truncatingIfNeeded: count) << 8
      self.place = UInt64(truncatingIfNeeded: place)
    }

    /// An object that is not as it was in the file.
    init(changed object: PropertyListObject, place: Int) {
      var count = 0
      object.forEachReference { _ in count += 1 }
      if case .dictionary = object { count /= 2 }
      head = UInt64(object.itemKind.rawValue) | Node.isChanged | UInt64(truncatingIfNeeded: count) << 8
      self.place = UInt64(truncatingIfNeeded: place)
    }

    /// The same with its content elsewhere.
    @inline(__always)
    init(_ node: Node, place: Int) {
      head = node.head
      self.place = UInt64(truncatingIfNeeded: place)
    }

    private static let isChanged: UInt64 = 1 << 7
    var isChanged: Bool { head & Node.isChanged != 0 }
    var count: Int { Int(truncatingIfNeeded: head >> 8) }
    var start: Int { Int(truncatingIfNeeded: place) }
    var kind: BinaryItem.Kind { BinaryItem.Kind(rawValue: UInt8(truncatingIfNeeded: head & 0x7F)) ?? .null }
    var item: BinaryItem { BinaryItem(kind: kind, count: count, content: start) }
    var isContainer: Bool { kind == .dictionary || kind == .array || kind == .set }
    @inline(__always)
    var referenceCount: Int {
      switch kind {
      case .array, .set: count
      case .dictionary: 2 &* count
      default: 0
      }
    }
  }

  /// The row of the outermost object.
  public let top: ObjectRef
  private let table: BinaryTable
  private let bytes: Data
  private let nodes: [Node]
  private let references: [ObjectRef]
  private let changed: [PropertyListObject]

  init(_ list: PropertyList) throws(PropertyListError) {
    top = list.top
    table = list.table
    bytes = list.bytes
    var changed: [PropertyListObject] = []
    var nodes = try Self.nodes(of: list, &changed)
    references = try Self.references(of: &nodes, changed, list)
    self.nodes = nodes
    self.changed = changed
  }

  /// Reads and checks all objects but the references in them.
  private static func nodes(
    of list: PropertyList, _ changed: inout [PropertyListObject]
  ) throws(PropertyListError) -> [Node] {
    let table = list.table
    let bytes = list.bytes.span
    // Rows may overlap, and what they hold together is then more than the file.
    var room = ExpansionBudget(byteCount: bytes.count, limits: list.limits)
    return try [Node](capacity: list.objectCount) { nodes throws(PropertyListError) in
      for row in 0..<UInt32(truncatingIfNeeded: list.objectCount) {
        let ref = ObjectRef(rawValue: row)
        if list.isEdited, try list.storedItem(ref) == nil {
          let object = try list.object(ref)
          if case .dictionary(let keys, let values) = object, keys.count != values.count {
            throw PropertyListError(.badCount, "a dictionary has \(keys.count) keys and \(values.count) values")
          }
          nodes.append(Node(changed: object, place: changed.count))
          changed.append(object)
          continue
        }
        let item = try table.readItem(at: table.offset(of: ref, in: bytes), in: bytes)
        guard room.take(item.weight) else { throw list.tooLarge() }
        switch item.kind {
        case .ascii: try table.checkASCII(item, in: bytes)
        case .utf16: try table.checkUTF16(item, in: bytes)
        case .uid: try table.checkUID(item, in: bytes)
        default: break
        }
        nodes.append(Node(item.kind, count: item.count, place: item.content))
      }
    }
  }

  /// Reads and checks all references, and has the nodes know where theirs are.
  private static func references(
    of nodes: inout [Node], _ changed: [PropertyListObject], _ list: PropertyList
  ) throws(PropertyListError) -> [ObjectRef] {
    let table = list.table
    let bytes = list.bytes.span
    var count = 0
    for node in nodes { count &+= node.referenceCount }
    var places = nodes.mutableSpan
    return try [ObjectRef](capacity: count) { references throws(PropertyListError) in
      for index in places.indices {
        let node = places[index]
        guard node.isContainer else { continue }
        places[index] = Node(node, place: references.count)
        if node.isChanged {
          changed[node.start].forEachReference { references.append($0) }
        } else {
          for place in 0..<node.referenceCount {
            references.append(try table.element(place, of: node.item, in: bytes))
          }
        }
      }
    }
  }
}

extension PropertyListTree {
  /// How many objects there are, with those nothing refers to.
  public var count: Int { nodes.count }

  /// All rows, in order.
  public var rows: some RandomAccessCollection<ObjectRef> {
    (0..<UInt32(truncatingIfNeeded: nodes.count)).lazy.map(ObjectRef.init(rawValue:))
  }

  /// What an object is.
  /// - Precondition: here as below, `row` is one of ``rows``.
  public func kind(of row: ObjectRef) -> Kind {
    switch nodes[row.index].kind {
    case .null: .null
    case .false, .true: .boolean
    case .integer: .integer
    case .float, .double: .real
    case .date: .date
    case .data: .data
    case .ascii, .utf16: .string
    case .uid: .uid
    case .array: .array
    case .set: .set
    case .dictionary: .dictionary
    }
  }

  /// The rows of an array's or a set's elements; none for anything else.
  public func elements(of row: ObjectRef) -> ArraySlice<ObjectRef> {
    let node = nodes[row.index]
    guard node.kind == .array || node.kind == .set else { return [] }
    return references[node.start..<node.start + node.count]
  }

  /// The rows of a dictionary's keys, in the order in which they are stored; none for anything else.
  public func keys(of row: ObjectRef) -> ArraySlice<ObjectRef> {
    let node = nodes[row.index]
    guard node.kind == .dictionary else { return [] }
    return references[node.start..<node.start + node.count]
  }

  /// The rows of a dictionary's values, in the order of ``keys(of:)``; none for anything else.
  public func values(of row: ObjectRef) -> ArraySlice<ObjectRef> {
    let node = nodes[row.index]
    guard node.kind == .dictionary else { return [] }
    return references[node.start + node.count..<node.start + 2 * node.count]
  }

  /// A text; nil for anything else.
  public func string(of row: ObjectRef) -> String? {
    guard case .string(let text) = self[row] else { return nil }
    return text
  }

  /// An object with its value.
  public subscript(row: ObjectRef) -> PropertyListObject {
    let node = nodes[row.index]
    if node.isChanged, !node.isContainer { return changed[node.start] }
    let bytes = bytes.span
    let item = node.item
    switch node.kind {
    case .null: return .null
    case .false: return .boolean(false)
    case .true: return .boolean(true)
    case .integer where item.count == 16: return .wideInteger(table.wideInteger(item, in: bytes))
    case .integer: return .integer(table.integer(item, in: bytes))
    case .float: return .float(table.float(item, in: bytes))
    case .double: return .double(table.double(item, in: bytes))
    case .date: return .date(table.double(item, in: bytes))
    case .uid: return .uid(table.uid(item, in: bytes))
    case .data: return .data(Data(self.bytes(item.count, of: item)))
    case .ascii: return .string(String(decoding: self.bytes(item.count, of: item), as: UTF8.self))
    case .utf16: return .string(String(decoding: units(of: item), as: UTF16.self))
    case .array: return .array(Array(elements(of: row)))
    case .set: return .set(Array(elements(of: row)))
    case .dictionary: return .dictionary(keys: Array(keys(of: row)), values: Array(values(of: row)))
    }
  }
}

extension PropertyListTree {
  private func bytes(_ count: Int, of item: BinaryItem) -> Data {
    let start = bytes.startIndex + item.content
    return bytes[start..<start + count]
  }

  private func units(of item: BinaryItem) -> [UInt16] {
    let bytes = bytes.span
    return (0..<item.count).map { UInt16(truncatingIfNeeded: bytes.bigEndian(at: item.content + 2 * $0, width: 2)) }
  }
}

extension PropertyListObject {
  fileprivate func forEachReference(_ body: (ObjectRef) -> Void) {
    switch self {
    case .array(let elements), .set(let elements): elements.forEach(body)
    case .dictionary(let keys, let values):
      keys.forEach(body)
      values.forEach(body)
    default: break
    }
  }
}
