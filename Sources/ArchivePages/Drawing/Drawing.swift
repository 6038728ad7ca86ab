// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The part of a graph that a drawing shows: the first objects in breadth-first order and the references between them.
/// Each object is a box with a line per value.
package struct Drawing: Sendable {
  /// A box for an object.
  struct Node: Sendable {
    /// The row; nil for the box of the archive.
    let row: Int?
    /// The minimum number of references from the start.
    let level: Int
    /// The class name, or the kind of value.
    let title: String
    let classIndex: Int?
    let number: UInt32?
    var lines: [Line] = []
    /// The number of values without a line.
    var moreCount = 0

    /// The index of the line for all values without a line.
    var moreLine: Int { lines.count }
  }

  /// A line of a box. It shows a value.
  struct Line: Sendable {
    let label: String
    let text: String
    let classIndex: Int?
    /// Whether the value is an object without a box.
    var isCut = false
  }

  struct Edge: Sendable {
    let from: Int
    /// The line where it begins.
    let line: Int
    let to: Int
    let label: String
    let kind: Kind

    enum Kind: Sendable {
      /// The first reference to the object.
      case tree
      /// A further reference.
      case shared
      /// A reference to an enclosing object.
      case cycle
    }
  }

  /// The default limit of boxes.
  package static let defaultLimit = 500
  /// The maximum number of lines of a box.
  static let maximumLines = 14

  let title: String
  let facts: [String]
  let classes: [Outline.ClassName]
  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []
  /// The number of objects with a box.
  package private(set) var drawnCount = 0
  /// The number of objects that qualify for a box.
  package private(set) var objectCount = 0

  /// Selects the objects of an outline to draw.
  /// - Parameters:
  ///   - outline: The outline.
  ///   - limit: The maximum number of objects.
  ///   - depth: The maximum number of references from the start.
  package init(_ outline: Outline, limit: Int = defaultLimit, depth: Int = .max) {
    title = outline.title
    facts = outline.facts
    classes = outline.classes
    let ends = outline.ends
    let isNode = Self.boxes(outline, ends)
    // The group of unreferenced objects has a box.
    func isObject(_ row: Int) -> Bool { isNode[row] && outline.rows[row].kind != .group }
    objectCount = isNode.indices.count(where: isObject)
    nodes.append(Node(row: nil, level: 0, title: outline.title, classIndex: nil, number: nil))
    // The nodes of rows.
    var places = [Int: Int]()
    var next = 0
    while next < nodes.count {
      let node = nodes[next]
      var row = node.row.map { $0 + 1 } ?? 0
      let end = node.row.map { ends[$0] } ?? outline.rows.count
      while row < end {
        let child = outline.rows[row]
        let home = child.home ?? row
        var isNew = false
        if places[home] == nil, isNode[home], drawnCount < limit, node.level < depth {
          isNew = true
          if isObject(home) { drawnCount += 1 }
          places[home] = nodes.count
          nodes.append(Self.node(outline.rows[home], home, level: node.level + 1, outline))
        }
        let line = addLine(child, isBox: isNode[home], isDrawn: places[home] != nil, to: next)
        if let target = places[home] {
          let isCycle = home < row && row < ends[home]
          let kind: Edge.Kind = isNew ? .tree : isCycle ? .cycle : .shared
          // Of values without a line, draw only the first reference to a box, because there may be any number of them.
          if isNew || line < Self.maximumLines {
            edges.append(Edge(from: next, line: line, to: target, label: child.label.text, kind: kind))
          }
        }
        row = ends[row]
      }
      next += 1
    }
  }

  /// Returns which rows are objects with content. Nested archives are excluded, because they have separate drawings.
  private static func boxes(_ outline: Outline, _ ends: [Int]) -> [Bool] {
    var isNode = [Bool](repeating: false, count: outline.rows.count)
    var place = 0
    while place < outline.rows.count {
      let row = outline.rows[place]
      isNode[place] = (row.kind.isContainer || row.kind == .group) && row.home == nil && ends[place] > place + 1
      place = row.kind == .data ? ends[place] : place + 1
    }
    return isNode
  }

  private static func node(_ row: Outline.Row, _ place: Int, level: Int, _ outline: Outline) -> Node {
    Node(row: place, level: level, title: head(row, outline.classes), classIndex: row.classIndex, number: row.number)
  }

  /// Returns the class or kind of a value, and its text.
  private static func head(_ row: Outline.Row, _ classes: [Outline.ClassName]) -> String {
    let name = row.classIndex.map { classes[$0].name }
    let kind: String? = row.kind == .array ? "array" : row.kind == .dictionary ? "dictionary" : nil
    let text = row.text.isEmpty ? nil : row.kind.isContainer ? "(\(row.text))" : row.text
    return [name ?? kind, text].compactMap(\.self).joined(separator: " ")
  }

  /// Adds a value to a box, on its own line if the box has space.
  /// - Returns: The index of the line.
  private mutating func addLine(_ row: Outline.Row, isBox: Bool, isDrawn: Bool, to node: Int) -> Int {
    guard nodes[node].lines.count < Self.maximumLines else {
      nodes[node].moreCount += 1
      return Self.maximumLines
    }
    var text = Self.head(row, classes)
    if let number = row.number, isBox || row.home != nil { text += " #\(number)" }
    nodes[node].lines.append(
      Line(label: row.label.text, text: text, classIndex: row.classIndex, isCut: isBox && !isDrawn))
    return nodes[node].lines.count - 1
  }
}
