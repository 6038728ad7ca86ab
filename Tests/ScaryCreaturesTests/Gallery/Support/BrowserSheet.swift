// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import TestSupport

/// Many pages in one screenshot, each in a frame of a quarter of its size.
struct BrowserSheet: Sendable {
  /// A part of the screenshot.
  struct Frame: Sendable {
    let image: PNGImage
    let left, top, width, height: Int

    func color(x: Int, y: Int) -> [UInt8] {
      let at = ((top + y) * image.width + left + x) * 4
      return Array(image.pixels[at..<at + 3])
    }

    /// The first and the last column and row with a color.
    struct Bounds {
      let left, top, right, bottom: Int
    }

    /// The location of a color; nil if it has too few pixels.
    func bounds(of color: [UInt8], atLeast minimum: Int) -> Bounds? {
      var (left, top, right, bottom, found) = (Int.max, Int.max, 0, 0, 0)
      forEach { x, y, r, g, b in
        guard r == color[0], g == color[1], b == color[2] else { return }
        (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
        found += 1
      }
      return found >= minimum ? Bounds(left: left, top: top, right: right, bottom: bottom) : nil
    }

    func count(_ isCounted: (_ r: UInt8, _ g: UInt8, _ b: UInt8) -> Bool) -> Int {
      var found = 0
      forEach { _, _, r, g, b in if isCounted(r, g, b) { found += 1 } }
      return found
    }

    private func forEach(_ body: (Int, Int, UInt8, UInt8, UInt8) -> Void) {
      let pixels = image.pixels
      for y in 0..<height {
        for x in 0..<width {
          let at = ((top + y) * image.width + left + x) * 4
          body(x, y, pixels[at], pixels[at + 1], pixels[at + 2])
        }
      }
    }
  }

  /// Collects pages.
  struct Pages {
    fileprivate var list: [(name: String, html: String, fragment: String?, width: Int)] = []

    mutating func add(_ name: String, page: String, fragment: String?, width: Int) {
      list.append((name, page, fragment, width))
    }
  }

  /// The size of a cell of the sheet, and the number of columns.
  private static let (width, height, columns) = (320, 225, 4)
  private var frames: [String: Frame] = [:]

  /// Writes the pages and the sheet to a folder, and takes the screenshot.
  init(folder: URL, _ collect: (inout Pages) -> Void) throws {
    var pages = Pages()
    collect(&pages)
    var html = """
      <!DOCTYPE html><style>body{margin:0;background:#fff}
      div{position:absolute;overflow:hidden;width:\(Self.width)px;height:\(Self.height)px}
      iframe{border:0;height:900px;transform:scale(.25);transform-origin:0 0}
      """
    for i in pages.list.indices {
      let (x, y) = Self.place(i)
      html += "#d\(i){left:\(x)px;top:\(y)px}#d\(i) iframe{width:\(pages.list[i].width)px}\n"
    }
    html += "</style>\n"
    for (i, page) in pages.list.enumerated() {
      try Data(page.html.utf8).write(to: folder.appending(path: "page\(i).html"))
      let fragment = page.fragment.map { "#\($0)" } ?? ""
      html += "<div id=\"d\(i)\"><iframe src=\"page\(i).html\(fragment)\"></iframe></div>\n"
    }
    let sheet = folder.appending(path: "sheet.html")
    try Data(html.utf8).write(to: sheet)
    let rows = (pages.list.count + Self.columns - 1) / Self.columns
    // Chromium lays out a page for a window lower than the screenshot, and does not paint cards below it. The spare row
    // compensates for that.
    let image = try PNGImage(
      Chromium.screenshot(sheet, width: Self.columns * Self.width, height: (rows + 1) * Self.height))
    for (i, page) in pages.list.enumerated() {
      let (x, y) = Self.place(i)
      frames[page.name] = Frame(image: image, left: x, top: y, width: page.width / 4, height: Self.height)
    }
  }

  private static func place(_ i: Int) -> (Int, Int) { (i % columns * width, i / columns * height) }

  /// A page by its name.
  func frame(_ name: String) throws -> Frame {
    guard let frame = frames[name] else { throw CocoaError(.keyValueValidation) }
    return frame
  }
}
