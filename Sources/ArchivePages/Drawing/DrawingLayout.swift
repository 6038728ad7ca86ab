// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The positions of the boxes of a drawing.
///
/// Each level is a column. Its boxes are in the order of the boxes that first refer to them, and never above these.
/// Arrows of first references therefore do not cross. The layout takes linear time.
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
  /// The maximum width of a text.
  static let maximumColumns = 46
  static let maximumLabelColumns = 22

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
    // The first free position in each column.
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
    var columns = ShortText.width(ShortText.cut(node.title, to: maximumColumns)) + (node.number == nil ? 1 : 9)
    for line in node.lines {
      let label = ShortText.width(ShortText.cut(line.label, to: maximumLabelColumns))
      columns = max(columns, label + 3 + ShortText.width(ShortText.cut(line.text, to: maximumColumns)))
    }
    let lines = node.lines.count + (node.moreCount > 0 ? 1 : 0)
    return Box(
      width: max(Double(columns) * columnWidth + 24, 96),
      height: headHeight + Double(lines) * lineHeight + (lines > 0 ? footHeight : 0))
  }
}

/// Cuts text for drawings.
enum ShortText {
  /// Returns at most `columns` columns of a text, the last of them an ellipsis if it is cut.
  static func cut(_ text: String, to columns: Int) -> String {
    var kept = String.UnicodeScalarView()
    var width = 0
    // Combining marks have no width, so their number is limited separately.
    var count = 0
    for scalar in text.unicodeScalars {
      width += Self.width(scalar)
      count += 1
      guard width <= columns, count <= 4 * columns else {
        while width >= columns, let last = kept.popLast() { width -= Self.width(last) }
        return String(kept) + "…"
      }
      kept.append(scalar)
    }
    return text
  }

  /// Returns the approximate number of columns of a text in a monospaced font.
  static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: 0
    default: scalar.value < 0x1100 ? 1 : 2
    }
  }

  /// Returns whether a line may contain a character.
  static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
    case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }
}
