// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A drawing in the language of Graphviz, which computes the layout.
package struct GraphvizText {
  private let drawing: Drawing
  /// The maximum width of a text.
  private static let maximumColumns = 60

  package init(_ drawing: Drawing) { self.drawing = drawing }

  /// The graph, one statement per line.
  package var text: String {
    var text = """
      digraph archive {
        graph [rankdir=LR, ranksep=0.6, nodesep=0.25, labelloc=t, labeljust=l, fontname="Helvetica", fontsize=16,\
       label=\(Self.quoted(ShortText.cut(drawing.title, to: 120)))];
        node [shape=box, style="rounded,filled", fontname="Courier", fontsize=10, margin="0.12,0.08",\
       color="#8a8fa3", fillcolor="#f4f5f8", fontcolor="#20242f"];
        edge [fontname="Helvetica", fontsize=9, color="#6b7086", fontcolor="#6b7086", arrowsize=0.7];\n
      """
    for (place, node) in drawing.nodes.enumerated() {
      var attributes = "label=\(label(node))"
      if let place = node.classIndex {
        let color = Palette.index(place)
        attributes += ", color=\"\(Palette.light[color])\", fillcolor=\"\(Palette.pale[color])\""
      }
      attributes += ", tooltip=\(Self.quoted(ShortText.cut(Self.title(node), to: 300)))"
      text += "  n\(place) [\(attributes)];\n"
    }
    for edge in drawing.edges {
      var attributes = "label=\(Self.quoted(ShortText.cut(edge.label, to: Self.maximumColumns)))"
      switch edge.kind {
      case .tree: break
      case .shared: attributes += ", style=dashed"
      // Without this, a cycle would reverse the ranks.
      case .cycle: attributes += ", style=dotted, color=\"#b3261e\", fontcolor=\"#b3261e\", constraint=false"
      }
      text += "  n\(edge.from) -> n\(edge.to) [\(attributes)];\n"
    }
    return text + "}\n"
  }

  private static func title(_ node: Drawing.Node) -> String {
    node.number.map { "\(node.title) #\($0)" } ?? node.title
  }

  /// Returns the title and the lines of a box, each followed by the escape for left alignment.
  private func label(_ node: Drawing.Node) -> String {
    var lines = [ShortText.cut(Self.title(node), to: Self.maximumColumns)]
    for line in node.lines {
      let label = line.label.isEmpty ? "" : "\(ShortText.cut(line.label, to: Self.maximumColumns / 2)): "
      lines.append(label + ShortText.cut(line.text, to: Self.maximumColumns) + (line.isCut ? " …" : ""))
    }
    if node.moreCount > 0 { lines.append("… \(node.moreCount) more") }
    return "\"\(lines.map { Self.escaped($0) + "\\l" }.joined())\""
  }

  private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

  /// Escapes text for quotes. Graphviz interprets backslashes, such as `\N` for a node's name, and character
  /// references.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped.append(contentsOf: "\\\"".unicodeScalars)
      case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      default: escaped.append(ShortText.isShown(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return String(escaped)
  }
}
