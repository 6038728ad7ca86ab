// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A fully validated property list. It suits algorithms that visit every object.
///
/// ``PropertyList`` validates an object when you request it, so each access can throw. A tree validates all objects up
/// front, and its accessors never throw. It uses 16 bytes for each object and 4 for each reference. Strings and data
/// stay in the file's bytes until requested.
///
/// ```swift
/// let tree = try list.tree()
/// for row in tree.rows {
///   guard case .dictionary(let keys, let values) = tree[row] else { continue }
///   print(keys.compactMap(tree.string), "->", values.map { tree[$0].kindName })
/// }
/// ```
public struct PropertyListTree: Sendable {
  /// An object: its kind in the lowest byte of `head`, and its number of bytes, UTF-16 units, elements or keys above.
  private struct Node {
    let head: UInt64
    /// The offset of the content in the file, the index of the first reference, or the index of an edited object.
    let content: UInt64

    @inline(__always)
    init(_ kind: BinaryItem.Kind, count: Int, content: Int) {
      head = UInt64(kind.rawValue) | UInt64(truncatingIfNeeded: count) << 8
      self.content = UInt64(truncatingIfNeeded: content)
    }

    /// Creates a node for an edited object.
    init(edited object: PropertyListObject, index: Int) {
      var count = 0
      object.forEachReference { _ in count += 1 }
      if case .dictionary = object { count /= 2 }
      head = UInt64(object.itemKind.rawValue) | Node.isEdited | UInt64(truncatingIfNeeded: count) << 8
      content = UInt64(truncatingIfNeeded: index)
    }

    /// Creates a copy of a node with its content at another position.
    @inline(__always)
    init(_ node: Node, content: Int) {
      head = node.head
      self.content = UInt64(truncatingIfNeeded: content)
    }

    private static let isEdited: UInt64 = 1 << 7
    var isEdited: Bool { head & Node.isEdited != 0 }
    var count: Int { Int(truncatingIfNeeded: head >> 8) }
    var start: Int { Int(truncatingIfNeeded: content) }
    var kind: BinaryItem.Kind { BinaryItem.Kind(rawValue: UInt8(truncatingIfNeeded: head & 0x7F)) ?? .null }
    var item: BinaryItem { BinaryItem(kind: kind, count: count, content: start) }
    @inline(__always)
    var referenceCount: Int {
      switch kind {
      case .array, .set: count
      case .dictionary: 2 &* count
      default: 0
      }
    }
  }

  /// The top object.
  public let top: ObjectRef
  private let table: BinaryTable
  private let file: StableBytes
  private let nodes: ContiguousArray<Node>
  private let references: [ObjectRef]
  private let edited: [PropertyListObject]

  init(_ list: PropertyList) throws(PropertyListError) {
    top = list.top
    table = list.table
    file = list.file
    var edited: [PropertyListObject] = []
    var nodes = try Self.nodes(of: list, &edited)
    references = try Self.references(of: &nodes, edited, list)
    self.nodes = nodes
    self.edited = edited
  }

  /// Reads and validates all objects without their references.
  private static func nodes(
    of list: PropertyList, _ edited: inout [PropertyListObject]
  ) throws(PropertyListError) -> ContiguousArray<Node> {
    let table = list.table
    let file = list.bytes
    let bytes = file.span
    // Objects can overlap in the file, and their contents can then exceed it.
    var budget = ExpansionBudget(byteCount: Int64(bytes.count), limits: list.limits)
    return try ContiguousArray(capacity: list.objectCount) { nodes throws(PropertyListError) in
      for row in 0..<UInt32(truncatingIfNeeded: list.objectCount) {
        let ref = ObjectRef(rawValue: row)
        if list.isEdited, try list.storedItem(ref) == nil {
          let object = try list.object(ref)
          if case .dictionary(let keys, let values) = object, keys.count != values.count {
            throw .unequalCounts(keys.count, values.count)
          }
          nodes.append(Node(edited: object, index: edited.count))
          edited.append(object)
          continue
        }
        let item = try table.readItem(at: table.offset(of: ref, in: bytes), in: bytes)
        guard budget.take(item.weight) else { throw list.tooLarge() }
        switch item.kind {
        case .ascii, .utf16: try table.checkText(item, in: bytes)
        case .uid: try table.checkUID(item, in: bytes)
        default: break
        }
        nodes.append(Node(item.kind, count: item.count, content: item.content))
      }
    }
  }

  /// Reads and validates all references, and stores the index of each container's first reference in its node.
  private static func references(
    of nodes: inout ContiguousArray<Node>, _ edited: [PropertyListObject], _ list: PropertyList
  ) throws(PropertyListError) -> [ObjectRef] {
    let table = list.table
    let file = list.bytes
    let bytes = file.span
    var count = 0
    for node in nodes { count &+= node.referenceCount }
    var nodes = nodes.mutableSpan
    return try [ObjectRef](capacity: count) { references throws(PropertyListError) in
      for index in nodes.indices {
        let node = nodes[index]
        guard node.kind.isContainer else { continue }
        nodes[index] = Node(node, content: references.count)
        if node.isEdited {
          let start = references.count
          edited[node.start].forEachReference { references.append($0) }
          for position in start..<references.count where references[position].index >= nodes.count {
            throw .dangling(references[position], nodes.count)
          }
        } else {
          for position in 0..<node.referenceCount {
            references.append(try table.element(position, of: node.item, in: bytes))
          }
        }
      }
    }
  }
}

extension PropertyListTree {
  /// The number of objects, including unreferenced ones.
  public var count: Int { nodes.count }

  /// References to all objects, in the order of the object table.
  public var rows: some RandomAccessCollection<ObjectRef> {
    (0..<UInt32(truncatingIfNeeded: nodes.count)).lazy.map(ObjectRef.init(rawValue:))
  }

  /// Returns the elements of an array or set.
  /// - Parameter row: The container: one of ``rows``.
  /// - Returns: The elements; an empty slice if the object is neither an array nor a set.
  public func elements(of row: ObjectRef) -> ArraySlice<ObjectRef> {
    let node = nodes[row.index]
    guard node.kind == .array || node.kind == .set else { return [] }
    return references[node.start..<node.start + node.count]
  }

  /// Returns the keys of a dictionary, in the order of the file.
  /// - Parameter row: The dictionary: one of ``rows``.
  /// - Returns: The keys; an empty slice if the object is not a dictionary.
  public func keys(of row: ObjectRef) -> ArraySlice<ObjectRef> {
    let node = nodes[row.index]
    guard node.kind == .dictionary else { return [] }
    return references[node.start..<node.start + node.count]
  }

  /// Returns the values of a dictionary, in the order of ``keys(of:)``.
  /// - Parameter row: The dictionary: one of ``rows``.
  /// - Returns: The values; an empty slice if the object is not a dictionary.
  public func values(of row: ObjectRef) -> ArraySlice<ObjectRef> {
    let node = nodes[row.index]
    guard node.kind == .dictionary else { return [] }
    return references[node.start + node.count..<node.start + 2 * node.count]
  }

  /// Returns the text of a string.
  /// - Parameter row: The string: one of ``rows``.
  /// - Returns: The text, or nil if the object is not a string.
  public func string(of row: ObjectRef) -> String? {
    guard case .string(let text) = self[row] else { return nil }
    return text
  }

  /// The object for a reference.
  /// - Parameter row: The reference: one of ``rows``.
  /// - Returns: The object.
  public subscript(row: ObjectRef) -> PropertyListObject {
    let node = nodes[row.index]
    switch node.kind {
    case .array: return .array(Array(elements(of: row)))
    case .set: return .set(Array(elements(of: row)))
    case .dictionary: return .dictionary(keys: Array(keys(of: row)), values: Array(values(of: row)))
    default: break
    }
    if node.isEdited { return edited[node.start] }
    // The item was validated, so reading it cannot fail.
    return (try? file.withSpan { bytes throws(PropertyListError) in try table.object(node.item, in: bytes) }) ?? .null
  }
}
