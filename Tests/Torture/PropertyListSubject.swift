// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import PropertyListFormat

/// A file that is read as a property list only.
enum PropertyListSubject {
  /// Reads a list and everything in it.
  static func decode(_ bytes: Data) throws -> PropertyList {
    let list = try PropertyList(bytes)
    try list.validate()
    return list
  }

  /// What differs from the summary; nil if nothing does.
  static func difference(_ list: PropertyList, _ summary: Summary) throws -> String? {
    try difference(list, list.top, summary)
  }

  private static func difference(_ list: PropertyList, _ ref: ObjectRef, _ summary: Summary) throws -> String? {
    let object = try list.object(ref)
    switch (summary, object) {
    case (.string(let text), .string(let found)): return text.utf8.elementsEqual(found.utf8) ? nil : "text '\(found)'"
    case (.stringLength(let count), .string(let found)):
      return found.utf16.count == count ? nil : "\(found.utf16.count) UTF-16 units"
    case (.integer(let text), .integer(let found)): return text == "\(found)" ? nil : "integer \(found)"
    case (.integer(let text), .wideInteger(let high, let low)):
      let found = WideInteger(high: high, low: low)
      return text == "\(found)" ? nil : "integer \(found)"
    case (.real(let text), .double(let found)): return difference(text, found)
    case (.real(let text), .float(let found)): return difference(text, Double(found))
    case (.boolean(let value), .boolean(let found)): return value == found ? nil : "boolean \(found)"
    case (.date(let text), .date(let found)): return difference(text, found)
    case (.bytes(let hex), .data(let found)): return hex == Hex.text(found) ? nil : "bytes \(Hex.text(found))"
    case (.byteCount(let count), .data(let found)): return found.count == count ? nil : "\(found.count) bytes"
    case (.uid(let text), .uid(let found)): return text == "\(found)" ? nil : "UID \(found)"
    case (.array(let items), .array(let found)):
      guard items.count == found.count else { return "\(found.count) elements" }
      for (item, ref) in zip(items, found) {
        if let difference = try difference(list, ref, item) { return difference }
      }
      return nil
    case (.arrayCount(let count, let depth), .array(let found)):
      guard found.count == count else { return "\(found.count) elements" }
      return try depthDifference(list, ref, depth)
    case (.dictionary(let items), .dictionary(let keys, let values)):
      guard items.count == keys.count else { return "\(keys.count) entries" }
      for (key, value) in zip(keys, values) {
        guard case .string(let name) = try list.object(key), let item = items[name] else { return "another key" }
        if let difference = try difference(list, value, item) { return difference }
      }
      return nil
    case (.dictionaryCount(let count, let depth), .dictionary(let keys, _)):
      guard keys.count == count else { return "\(keys.count) entries" }
      return try depthDifference(list, ref, depth)
    default: return "\(object.kindName)"
    }
  }

  /// How deep first elements nest: the innermost container has none in it.
  private static func depthDifference(_ list: PropertyList, _ ref: ObjectRef, _ expected: Int?) throws -> String? {
    guard let expected else { return nil }
    var depth = 0
    var next: ObjectRef? = ref
    while let ref = next, depth <= expected {
      switch try list.object(ref) {
      case .array(let elements):
        depth += 1
        next = elements.first
      case .dictionary(_, let values):
        depth += 1
        next = values.first
      default: next = nil
      }
    }
    return depth == expected ? nil : "a depth of \(depth)"
  }

  static func difference(_ text: String, _ found: Double) -> String? {
    guard let value = Double(text) else { return "real \(found)" }
    let isEqual = value.isNaN ? found.isNaN : value.bitPattern == found.bitPattern
    return isEqual ? nil : "real \(found)"
  }
}

/// Bytes as the manifest has them.
enum Hex {
  static func text(_ bytes: Data) -> String {
    bytes.reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
  }
}
