// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The part of a graph that a drawing shows: its first objects, counted from where the outline begins level by level, each
/// a box with a line for each of its values, and the references between them.
package struct Drawing: Sendable {
  /// A box.
  struct Node: Sendable {
    /// Its row; nil for the box that stands for the whole.
    let row: Int?
    /// How many references lead to it at least.
    let level: Int
    /// The class's name, or what it is instead.
    let title: String
    let classPlace: Int?
    let number: UInt32?
    var lines: [Line] = []
    /// How many more values it has than lines.
    var moreCount = 0

    /// The place of the line that stands for all values that have none.
    var moreLine: Int { lines.count }
  }

  /// A line of a box.
  struct Line: Sendable {
    let label: String
    let text: String
    let classPlace: Int?
    /// Whether it is an object that has no box.
    var isCut = false
  }

  /// A reference.
  struct Edge: Sendable {
    let from: Int
    /// The line that it begins at.
    let line: Int
    let to: Int
    let label: String
    let kind: Kind

    enum Kind: Sendable {
      /// The one by which the object was met first.
      case tree
      /// Another one.
      case shared
      /// One that leads to an object that the one referring is inside of.
      case cycle
    }
  }

  /// How many boxes there are unless something else is asked for.
  package static let usualLimit = 500
  /// How many values of an object have a line of their own.
  static let mostLines = 14

  let title: String
  let facts: [String]
  let classes: [Outline.ClassName]
  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []
  /// How many objects have a box.
  package var drawnCount: Int { nodes.count - 1 }
  /// How many objects could have one.
  package private(set) var objectCount = 0

  /// Chooses what is drawn of an outline.
  /// - Parameters:
  ///   - outline: the outline.
  ///   - limit: how many objects are drawn at most.
  ///   - depth: how many references these are away from the beginning at most.
  package init(_ outline: Outline, limit: Int = usualLimit, depth: Int = .max) {
    title = outline.title
    facts = outline.facts
    classes = outline.classes
    let ends = outline.ends
    let isNode = Self.boxes(outline, ends)
    objectCount = isNode.count { $0 }
    nodes.append(Node(row: nil, level: 0, title: outline.title, classPlace: nil, number: nil))
    // The node of a row, once it has one.
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
        if places[home] == nil, isNode[home], nodes.count <= limit, node.level < depth {
          isNew = true
          places[home] = nodes.count
          nodes.append(Self.node(outline.rows[home], home, level: node.level + 1, outline))
        }
        let line = addLine(child, isBox: isNode[home], isDrawn: places[home] != nil, to: next)
        if let target = places[home] {
          let isCycle = home < row && row < ends[home]
          let kind: Edge.Kind = isNew ? .tree : isCycle ? .cycle : .shared
          // Of values without a line of their own only the reference that a box hangs on, for there may be any number.
          if isNew || line < Self.mostLines {
            edges.append(Edge(from: next, line: line, to: target, label: child.label.text, kind: kind))
          }
        }
        row = ends[row]
      }
      next += 1
    }
  }

  /// Which rows are objects with something inside, nested archives apart, which are drawn for themselves.
  private static func boxes(_ outline: Outline, _ ends: [Int]) -> [Bool] {
    var isNode = [Bool](repeating: false, count: outline.rows.count)
    var place = 0
    while place < outline.rows.count {
      let row = outline.rows[place]
      switch row.kind {
      case .object, .array, .dictionary, .group: isNode[place] = row.home == nil && ends[place] > place + 1
      default: break
      }
      place = row.kind == .data ? ends[place] : place + 1
    }
    return isNode
  }

  private static func node(_ row: Outline.Row, _ place: Int, level: Int, _ outline: Outline) -> Node {
    Node(
      row: place, level: level, title: head(row, outline.classes), classPlace: row.classPlace, number: row.number)
  }

  /// The class of a value, or what it is instead, and what is to be said of it.
  private static func head(_ row: Outline.Row, _ classes: [Outline.ClassName]) -> String {
    let name = row.classPlace.map { classes[$0].name }
    let isContainer: Bool
    switch row.kind {
    case .array, .dictionary, .object, .group: isContainer = true
    default: isContainer = false
    }
    let kind: String? = row.kind == .array ? "array" : row.kind == .dictionary ? "dictionary" : nil
    let text = row.text.isEmpty ? nil : isContainer && row.kind != .group ? "(\(row.text))" : row.text
    return [name ?? kind, text].compactMap(\.self).joined(separator: " ")
  }

  /// Adds a value to a box, on a line of its own if there is room; returns the line.
  private mutating func addLine(_ row: Outline.Row, isBox: Bool, isDrawn: Bool, to node: Int) -> Int {
    guard nodes[node].lines.count < Self.mostLines else {
      nodes[node].moreCount += 1
      return Self.mostLines
    }
    var text = Self.head(row, classes)
    if let number = row.number, isBox || row.home != nil { text += " #\(number)" }
    nodes[node].lines.append(
      Line(label: row.label.text, text: text, classPlace: row.classPlace, isCut: isBox && !isDrawn))
    return nodes[node].lines.count - 1
  }
}
