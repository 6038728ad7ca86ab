// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The text of a rules file, from which ``RulesFile`` reads the same rules.
struct RulesText {
  /// The bytes of the file, with a line for each rule.
  let bytes: [UInt8]

  /// Writes rules.
  /// - Parameter rules: The rules. ``includes(_:)`` must be true for each of them.
  init(_ rules: [MigrationRule]) {
    var bytes = Array("{\n  \"version\": \(RulesFile.version),\n  \"rules\": [".utf8)
    for (place, rule) in rules.enumerated() {
      bytes += Array((place > 0 ? ",\n    " : "\n    ").utf8)
      var json = JSONWriter()
      json.rule(rule)
      bytes += json.bytes
    }
    self.bytes = bytes + Array((rules.isEmpty ? "]\n}\n" : "\n  ]\n}\n").utf8)
  }

  /// Returns whether a rules file can have a rule: it has no closures, dates and wide integers.
  static func includes(_ rule: MigrationRule) -> Bool {
    switch rule.action {
    case .transform: return false
    case .defaultValue(_, let value, _):
      switch value {
      case .string, .data, .boolean, .integer, .float, .double, .reference(.null): return true
      case .wideInteger, .date, .reference, .array, .dictionary: return false
      }
    case .renameClass, .renameKey, .storeNumbers, .convertNumber, .removeKey: return true
    }
  }
}

extension JSONWriter {
  /// Writes a rule as an object of a rules file.
  fileprivate mutating func rule(_ rule: MigrationRule) {
    beginObject()
    switch rule.action {
    case .renameClass(let name, let superclasses, let conflict):
      field("rule", "class")
      names(rule.selector.names, forKey: "from")
      field("to", name)
      if let superclasses { field("superclasses", superclasses) }
      if conflict != .refuse { field("ifPresent", conflict.rawValue) }
    case .renameKey(let old, let new, let conflict):
      field("rule", rule.selector.isTop ? "topKey" : "key")
      if !rule.selector.isTop { selector(rule.selector) }
      field("from", old)
      field("to", new)
      if conflict != .refuse { field("ifPresent", conflict.rawValue) }
    case .storeNumbers(let keys, let form):
      field("rule", "numbers")
      selector(rule.selector)
      if let keys { field("keys", keys) }
      field("as", form.rawValue)
    case .convertNumber(let key, let kind):
      field("rule", "kind")
      selector(rule.selector)
      field("key", key)
      field("to", kind.rawValue)
    case .defaultValue(let key, let value, let form):
      field("rule", "default")
      selector(rule.selector)
      field("key", key)
      self.key("value")
      defaultValue(value)
      if form != .objects { field("as", form.rawValue) }
    case .removeKey(let key):
      field("rule", "drop")
      selector(rule.selector)
      field("key", key)
    case .transform: break
    }
    endObject()
  }

  private mutating func selector(_ selector: ClassSelector) {
    names(selector.isTop ? ["$top"] : selector.names, isTop: selector.isTop, forKey: "class")
    if selector.includesSubclasses { field("subclasses", true) }
  }

  private mutating func names(_ names: [String], isTop: Bool = false, forKey key: String) {
    guard names.count == 1 else { return field(key, names) }
    // A class may have the name that stands for the top-level values, but a list of two names does not.
    if !isTop, names[0].hasSameBytes(as: "$top") { field(key, names + names) } else { field(key, names[0]) }
  }

  private mutating func defaultValue(_ value: KeyedArchive.StoredValue) {
    switch value {
    case .boolean(let value): raw(value ? "true" : "false")
    case .integer(let value): raw(value.description)
    case .string(let text): string(text)
    case .float(let value): real(value, "float", String(value.bitPattern, radix: 16))
    case .double(let value): real(value, "double", String(value.bitPattern, radix: 16))
    case .data(let data):
      beginObject()
      field("data", data.base64EncodedString())
      endObject()
    case .reference, .wideInteger, .date, .array, .dictionary: raw("null")
    }
  }

  private mutating func real(
    _ value: some BinaryFloatingPoint & CustomStringConvertible, _ kind: String, _ bits: String
  ) {
    beginObject()
    if value.isFinite { field(kind, value) } else { field(kind, "bits:" + bits) }
    endObject()
  }
}
