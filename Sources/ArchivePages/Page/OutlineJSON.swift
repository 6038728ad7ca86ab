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
/// home; -1 stands for none. A label is one of:
/// - the index of a string times 4, plus 1 for a dictionary key or 2 for a path;
/// - the index of a pair times 8, plus 3 for its key or 7 for its value;
/// - -2 minus the index of an element.
struct OutlineJSON {
  private let outline: Outline
  private let depth: Int?
  private var strings: [BytewiseString: Int] = [:]
  private var texts: [String] = []

  init(_ outline: Outline, unfolding depth: Int?) {
    self.outline = outline
    self.depth = depth
  }

  /// Appends the JSON.
  mutating func write(to bytes: inout [UInt8]) {
    put("{\"unfold\":\(depth ?? -1),\"classes\":[", &bytes)
    for (place, name) in outline.classes.enumerated() {
      put(place == 0 ? "[" : ",[", &bytes)
      ScriptText.append(name.name, to: &bytes)
      for name in name.chain {
        put(",", &bytes)
        ScriptText.append(name, to: &bytes)
      }
      put("]", &bytes)
    }
    put("],\n\"rows\":[", &bytes)
    for (place, row) in outline.rows.enumerated() {
      // The script reads 32-bit numbers; an archive has no object with a larger UID.
      let number = row.number.flatMap { Int32(exactly: $0) } ?? -1
      let numbers = [
        row.depth, label(row.label), row.kind.rawValue, row.classIndex ?? -1, Int(number),
        row.text.isEmpty ? -1 : string(row.text), row.home ?? -1,
      ]
      if place > 0 { put(",", &bytes) }
      put(numbers.map(String.init).joined(separator: ","), &bytes)
    }
    put("],\n\"strings\":[", &bytes)
    for (place, text) in texts.enumerated() {
      if place > 0 { put(",", &bytes) }
      ScriptText.append(text, to: &bytes)
    }
    put("],\n\"previews\":{", &bytes)
    for (count, place) in outline.previews.keys.sorted().enumerated() {
      guard let preview = outline.previews[place] else { continue }
      put("\(count == 0 ? "" : ",\n")\"\(place)\":{", &bytes)
      write(preview, to: &bytes)
      put("}", &bytes)
    }
    put("}}", &bytes)
  }

  private func put(_ text: String, _ bytes: inout [UInt8]) { bytes.append(contentsOf: text.utf8) }

  private mutating func string(_ text: String) -> Int {
    if let place = strings[BytewiseString(text)] { return place }
    strings[BytewiseString(text)] = texts.count
    texts.append(text)
    return texts.count - 1
  }

  private mutating func label(_ label: Outline.Label) -> Int {
    switch label {
    case .none: -1
    case .key(let text): 4 * string(text)
    case .pair(let text): 4 * string(text) + 1
    case .path(let text): 4 * string(text) + 2
    case .pairKey(let index): 8 * index + 3
    case .pairValue(let index): 8 * index + 7
    case .element(let index): -2 - index
    }
  }

  private func write(_ preview: Preview, to bytes: inout [UInt8]) {
    var separator = ""
    func put(_ name: String, raw: String) {
      self.put("\(separator)\"\(name)\":\(raw)", &bytes)
      separator = ","
    }
    func put(_ name: String, text: String?) {
      guard let text else { return }
      put(name, raw: "")
      ScriptText.append(text, to: &bytes)
    }
    put("text", text: preview.text)
    if preview.isCut { put("cut", raw: "true") }
    if let count = preview.byteCount { put("size", raw: "\(count)") }
    if let head = preview.bytes { put("bytes", raw: "\"\(head.base64EncodedString())\"") }
    if let image = preview.image {
      let base64 = image.bytes.base64EncodedString()
      put("image", raw: "[\"\(image.format.rawValue)\",\(image.width),\(image.height),\"\(base64)\"]")
    }
    // JSON has no infinities and no NaN.
    if let date = preview.date, date.isFinite { put("date", raw: "\(date)") }
    if let color = preview.color {
      put("color", raw: "[\(color.red),\(color.green),\(color.blue),\(color.alpha)]")
    }
    if preview.isArchive { put("archive", raw: "true") }
    put("note", text: preview.note)
  }
}
