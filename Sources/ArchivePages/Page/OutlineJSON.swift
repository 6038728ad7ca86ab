// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages
import PropertyListFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON form of an outline, which the page's script reads.
///
/// `strings` has each text once. `rows` is one array with seven numbers per row: depth, label, kind, class, UID, text,
/// home; -1 stands for none. These are the numbers of `Outline.Rows`. A label is one of:
/// - the index of a string times 4, plus 1 for a dictionary key or 2 for a path;
/// - the index of a pair times 8, plus 3 for its key or 7 for its value;
/// - -2 minus the index of an element.
struct OutlineJSON {
  private let outline: Outline
  private let depth: Int?
  private var page: Data
  /// The bytes that follow those of the page.
  private var bytes: [UInt8] = []
  /// The number of bytes that are collected before they are added to the page: appending single bytes to `Data` is slow.
  private static let partSize = 1 << 16

  private init(_ outline: Outline, unfolding depth: Int?, page: Data) {
    self.outline = outline
    self.depth = depth
    self.page = page
    bytes.reserveCapacity(2 * Self.partSize)
  }

  /// Appends the JSON to a page.
  static func write(_ outline: Outline, unfolding depth: Int?, to page: inout Data) {
    var writer = Self(outline, unfolding: depth, page: page)
    page = Data()  // so that the writer does not copy it
    writer.run()
    page = writer.page
  }

  private mutating func run() {
    put("{\"unfold\":\(depth ?? -1),\"classes\":[")
    for (place, name) in outline.classes.enumerated() {
      put(place == 0 ? "[" : ",[")
      putQuoted(name.name)
      for name in name.chain {
        put(",")
        putQuoted(name)
      }
      put("]")
    }
    put("],\n\"rows\":[")
    for (place, row) in outline.rows.numbers.enumerated() {
      if place > 0 { put(",") }
      put("\(row.depth),\(row.label),\(row.kind.rawValue),\(row.classIndex),\(row.number),\(row.text),\(row.home)")
    }
    put("],\n\"strings\":[")
    for (place, text) in outline.rows.texts.enumerated() {
      if place > 0 { put(",") }
      putQuoted(text)
    }
    put("],\n\"previews\":{")
    for (count, place) in outline.previews.keys.sorted().enumerated() {
      guard let preview = outline.previews[place] else { continue }
      put("\(count == 0 ? "" : ",\n")\"\(place)\":{")
      put(preview)
      put("}")
    }
    put("}}")
    page.append(contentsOf: bytes)
  }

  private mutating func put(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    if bytes.count >= Self.partSize {
      page.append(contentsOf: bytes)
      bytes.removeAll(keepingCapacity: true)
    }
  }

  private mutating func putQuoted(_ text: String) { ScriptText.append(text, to: &bytes) }

  private mutating func put(_ preview: Preview) {
    var separator = ""
    func put(_ name: String, raw: String, _ writer: inout Self) {
      writer.put("\(separator)\"\(name)\":\(raw)")
      separator = ","
    }
    func put(_ name: String, text: String?, _ writer: inout Self) {
      guard let text else { return }
      put(name, raw: "", &writer)
      writer.putQuoted(text)
    }
    put("text", text: preview.text, &self)
    if preview.isCut { put("cut", raw: "true", &self) }
    if let count = preview.byteCount ?? preview.text?.utf8.count ?? preview.bytes?.count {
      put("size", raw: "\(count)", &self)
    }
    if let head = preview.bytes { put("bytes", raw: "\"\(head.base64EncodedString())\"", &self) }
    if let image = preview.image {
      let base64 = image.bytes.base64EncodedString()
      put("image", raw: "[\"\(image.format.rawValue)\",\(image.width),\(image.height),\"\(base64)\"]", &self)
    }
    // JSON has no infinities and no NaN.
    if let date = preview.date, date.isFinite { put("date", raw: "\(date)", &self) }
    if let color = preview.color {
      put("color", raw: "[\(color.red),\(color.green),\(color.blue),\(color.alpha)]", &self)
    }
    if preview.isArchive { put("archive", raw: "true", &self) }
    put("note", text: preview.note, &self)
  }
}
