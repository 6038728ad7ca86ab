// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Where the boxes of a drawing stand: a column for each level, and in it the objects in the order of those that lead to
/// them, none higher than that one. So no two arrows cross of those by which objects were met first. Takes time in
/// proportion to the boxes.
struct DrawingLayout {
  struct Box {
    var x = 0.0, y = 0.0, width = 0.0, height = 0.0
  }

  static let lineHeight = 17.0
  static let headHeight = 28.0
  static let columnGap = 76.0
  private static let rowGap = 14.0
  private static let footHeight = 6.0
  private static let columnWidth = 7.25
  private static let margin = 24.0
  /// More of a text is not shown.
  static let mostColumns = 46
  static let mostLabelColumns = 22

  private(set) var boxes: [Box]
  private(set) var width = 0.0
  private(set) var height = 0.0

  /// Lays out a drawing below a heading.
  init(_ drawing: Drawing, headingHeight: Double) {
    boxes = drawing.nodes.map(Self.box)
    var columns: [Double] = []
    for (place, node) in drawing.nodes.enumerated() {
      if node.level == columns.count { columns.append(0) }
      columns[node.level] = max(columns[node.level], boxes[place].width)
    }
    var starts: [Double] = []
    var x = Self.margin
    for column in columns {
      starts.append(x)
      x += column + Self.columnGap
    }
    var children = [[Int]](repeating: [], count: boxes.count)
    for edge in drawing.edges where edge.kind == .tree { children[edge.from].append(edge.to) }
    // The first free place of each column.
    var free = [Double](repeating: headingHeight, count: columns.count)
    var open = [(place: 0, top: headingHeight)]
    while let (place, top) = open.popLast() {
      let level = drawing.nodes[place].level
      boxes[place].x = starts[level]
      boxes[place].y = max(top, free[level])
      free[level] = boxes[place].y + boxes[place].height + Self.rowGap
      for child in children[place].reversed() { open.append((child, boxes[place].y)) }
    }
    width = x - Self.columnGap + 2 * Self.margin
    height = (free.max() ?? headingHeight) - Self.rowGap + Self.margin
  }

  private static func box(_ node: Drawing.Node) -> Box {
    var columns = ShortText.width(ShortText.cut(node.title, to: mostColumns)) + (node.number == nil ? 1 : 9)
    for line in node.lines {
      let label = ShortText.width(ShortText.cut(line.label, to: mostLabelColumns))
      columns = max(columns, label + 3 + ShortText.width(ShortText.cut(line.text, to: mostColumns)))
    }
    let lines = node.lines.count + (node.moreCount > 0 ? 1 : 0)
    return Box(
      width: max(Double(columns) * columnWidth + 24, 96),
      height: headHeight + Double(lines) * lineHeight + (lines > 0 ? footHeight : 0))
  }
}
