// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages

/// A drawing as a self-contained SVG image for light and dark backgrounds, without scripts or external resources.
package struct SVGDrawing {
  private let drawing: Drawing
  private let layout: DrawingLayout
  private static let headingHeight = 84.0

  package init(_ drawing: Drawing) {
    self.drawing = drawing
    layout = DrawingLayout(drawing, headingHeight: Self.headingHeight)
  }

  /// The SVG document.
  package var text: String {
    let (width, height) = (number(layout.width), number(layout.height))
    let title = HTMLText.plain(drawing.title)
    var svg = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      role="graphics-document" aria-labelledby="title desc">
      <title id="title">\(title)</title>
      <desc id="desc">\(HTMLText.plain(summary, limit: 400))</desc>
      <style>\(Self.style)</style>
      <defs>
      <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
      <path d="M0 0.5L7.5 4L0 7.5z" class="tip"/></marker>
      <marker id="turn" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
      <path d="M0 0.5L7.5 4L0 7.5z" class="turntip"/></marker>
      </defs>
      <rect class="paper" width="100%" height="100%"/>
      <text class="heading" x="24" y="38">\(span(drawing.title, 80))</text>
      <text class="facts" x="24" y="60">\(span(summary, 200))</text>\n
      """
    for edge in drawing.edges { svg += path(edge) }
    for place in drawing.nodes.indices { svg += group(place) }
    return svg + "</svg>\n"
  }

  private var summary: String {
    let objects =
      switch (drawing.drawnCount, drawing.objectCount) {
      case (0, 0): "no object with content"
      case (1, 1): "1 object with content"
      case (let drawn, let count) where drawn == count: "all \(count) objects with content"
      case (let drawn, let count): "\(drawn) of \(count) objects with content"
      }
    return (drawing.facts + [objects]).joined(separator: " · ")
  }

  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  /// Returns an element for a text of up to `columns` columns. The style isolates its direction from what follows.
  private func span(_ text: String, _ columns: Int, _ attributes: String = "") -> String {
    "<tspan\(attributes)>\(HTMLText.escaped(ShortText.cut(text, to: columns)))</tspan>"
  }

  private func path(_ edge: Drawing.Edge) -> String {
    let (a, b) = (layout.boxes[edge.from], layout.boxes[edge.to])
    let y = a.y + DrawingLayout.headHeight + (Double(edge.line) + 0.5) * DrawingLayout.lineHeight
    let x = a.x + a.width
    var kind = edge.kind == .tree ? "" : edge.kind == .shared ? " shared" : " cycle"
    if edge.line == drawing.nodes[edge.from].moreLine { kind += " more" }
    let tip = edge.kind == .cycle ? "turn" : "tip"
    let end = b.y + min(DrawingLayout.headHeight / 2, b.height / 2)
    let target = b.x > x ? b.x - 2 : b.x + b.width + 2
    // For a box further left, above or below, the line goes around the right side of both.
    let first = b.x > x ? (x + b.x) / 2 : max(x, target) + DrawingLayout.columnGap * 0.7
    let numbers = [x, y, first, y, first, end, target, end].map(number)
    let line = "\(numbers[0]) \(numbers[1])C\(numbers[2...].joined(separator: " "))"
    return "<path class=\"edge\(kind)\" d=\"M\(line)\" marker-end=\"url(#\(tip))\"/>\n"
  }

  private func group(_ place: Int) -> String {
    let (node, box) = (drawing.nodes[place], layout.boxes[place])
    let color = node.classIndex.map { "c\(Palette.index($0))" } ?? "none"
    let name = node.number.map { "\(node.title) #\($0)" } ?? node.title
    // A nested svg element clips text that is wider than expected in another font.
    var svg = """
      <svg class="node \(color)" x="\(number(box.x))" y="\(number(box.y))" width="\(number(box.width))" \
      height="\(number(box.height))" role="graphics-symbol"><title>\(HTMLText.plain(name, limit: 300))</title>\
      <rect class="box" x=".5" y=".5" width="\(number(box.width - 1))" height="\(number(box.height - 1))" rx="6"/>\
      <rect class="mark" x=".5" y="6" width="3" height="\(number(DrawingLayout.headHeight - 12))"/>\
      <text class="name" x="12" y="18.5">\(span(node.title, DrawingLayout.maximumColumns))
      """
    if let number = node.number { svg += "<tspan class=\"number\"> #\(number)</tspan>" }
    svg += "</text>"
    var y = DrawingLayout.headHeight + 12
    for line in node.lines {
      let label = ShortText.cut(line.label, to: DrawingLayout.maximumLabelColumns)
      let color = line.classIndex.map { " class=\"t\(Palette.index($0))\"" } ?? ""
      svg += "<text class=\"line\(line.isCut ? " cut" : "")\" x=\"12\" y=\"\(number(y))\">"
      if !label.isEmpty { svg += "<tspan class=\"label\">\(HTMLText.escaped(label)): </tspan>" }
      svg += "\(span(line.text, DrawingLayout.maximumColumns, color))</text>"
      y += DrawingLayout.lineHeight
    }
    if node.moreCount > 0 {
      svg += "<text class=\"line cut\" x=\"12\" y=\"\(number(y))\">… \(node.moreCount) more</text>"
    }
    return svg + "</svg>\n"
  }

  private static let style = """
    svg{--paper:#fbfbfd;--box:#fff;--ink:#20242f;--soft:#646a7e;--line:#d5d8e2;--edge:#858ba1;--turn:#b3261e}
    \(Palette.rules(Palette.light) { ".c\($0){--k:\($1)}.t\($0){--t:\($1)}" })
    @media (prefers-color-scheme:dark){
    svg{--paper:#14161d;--box:#1d2029;--ink:#e8eaf1;--soft:#9aa1b5;--line:#343947;--edge:#6b7288;--turn:#ff8a80}
    \(Palette.rules(Palette.dark) { ".c\($0){--k:\($1)}.t\($0){--t:\($1)}" })
    }
    text{font:12px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}
    svg:root{background:var(--paper)}
    .paper{fill:var(--paper)}
    .heading{font:600 20px system-ui,"Segoe UI",Helvetica,Arial,sans-serif}
    .facts{font:13px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--soft)}
    .box{fill:var(--box);stroke:var(--line)}
    .node:hover>.box{stroke:var(--k,var(--edge));stroke-width:1.5}
    .mark{fill:var(--k,var(--edge))}.name{font-weight:600;fill:var(--k,var(--ink))}
    .number,.label,.cut{fill:var(--soft)}.number{font-weight:400}
    .line tspan:not(.label){fill:var(--t,inherit)}
    tspan{unicode-bidi:isolate}
    .edge{fill:none;stroke:var(--edge);stroke-width:1.2}.tip{fill:var(--edge)}.turntip{fill:var(--turn)}
    .shared{stroke-dasharray:4 3}.cycle{stroke:var(--turn);stroke-dasharray:1 3}
    .more{stroke-width:.7}
    """
}
