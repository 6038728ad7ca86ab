// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages
import PropertyListFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An outline as the page's script reads it.
///
/// `strings` holds each text once. `rows` is one array of seven numbers a row: depth, label, kind, class, object number,
/// text, home; -1 is nothing. A label is a string's place times four, plus 1 for a pair's key, 2 for a path; or a pair's
/// place times eight, plus 3 before its key, 7 before its value; or -2 minus an element's place.
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
      // The script's numbers have 32 bits; an object of a higher number is not there anyway.
      let number = row.number.flatMap { Int32(exactly: $0) } ?? -1
      let numbers = [
        row.depth, label(row.label), row.kind.rawValue, row.classPlace ?? -1, Int(number),
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
    var isFirst = true
    for place in outline.previews.keys.sorted() {
      guard let preview = outline.previews[place] else { continue }
      put("\(isFirst ? "" : ",\n")\"\(place)\":{", &bytes)
      write(preview, to: &bytes)
      put("}", &bytes)
      isFirst = false
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
    var isFirst = true
    func key(_ name: String) {
      put("\(isFirst ? "" : ",")\"\(name)\":", &bytes)
      isFirst = false
    }
    if let text = preview.text {
      key("text")
      ScriptText.append(text, to: &bytes)
    }
    if preview.isCut {
      key("cut")
      put("true", &bytes)
    }
    if let count = preview.byteCount {
      key("size")
      put("\(count)", &bytes)
    }
    if let head = preview.bytes {
      key("bytes")
      put("\"\(head.base64EncodedString())\"", &bytes)
    }
    if let image = preview.image {
      key("image")
      put(
        "[\"\(image.format.rawValue)\",\(image.width),\(image.height),\"\(image.bytes.base64EncodedString())\"]", &bytes
      )
    }
    // A number that is none has no place in JSON.
    if let date = preview.date, date.isFinite {
      key("date")
      put("\(date)", &bytes)
    }
    if preview.isArchive {
      key("archive")
      put("true", &bytes)
    }
    if let note = preview.note {
      key("note")
      ScriptText.append(note, to: &bytes)
    }
  }
}
