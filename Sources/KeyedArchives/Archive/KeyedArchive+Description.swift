// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

extension KeyedArchive: CustomStringConvertible, CustomReflectable {
  /// The archiver, the number of objects, and the top-level values in a line each; at most 8 of them.
  public var description: String {
    let keys = topKeys
    var lines = ["KeyedArchive by \(Text.quoted(archiverName)), \(objectCount) objects"]
    for key in keys.prefix(Text.few) { lines.append("  \(Text.quoted(key)): \(self[key])") }
    if keys.count > Text.few { lines.append("  and \(keys.count - Text.few) more") }
    return lines.joined(separator: "\n")
  }

  /// The top-level values that ``description`` names.
  public var customMirror: Mirror {
    Mirror(self, children: topKeys.prefix(Text.few).map { (label: $0, value: self[$0]) }, displayStyle: .struct)
  }
}

extension KeyedArchive.Node: CustomStringConvertible, CustomReflectable {
  /// The value in one line: its class and keys, or what it is. Text is shortened, and nested values are named only.
  public var description: String {
    switch kind {
    case .missing: "missing"
    case .null: "nil"
    case .string: Text.quoted(string ?? "")
    case .boolean, .integer, .real: numberDescription
    case .data: "data of \(data?.count ?? 0) bytes"
    case .date: "a date"
    case .array: "array of \(array?.count ?? 0) values"
    case .dictionary: "dictionary with \(Text.list(keys))"
    case .classRecord: "class record \(Text.quoted(self["$classname"].string ?? ""))"
    case .object: objectDescription
    }
  }

  private var numberDescription: String {
    switch number {
    case .boolean(let value)?: "\(value)"
    case .integer(let value)?: "\(value)"
    case .unsigned(let value)?: "\(value)"
    case .float(let value)?: "\(value)"
    case .double(let value)?: "\(value)"
    case nil: "an integer of more than 64 bits"
    }
  }

  private var objectDescription: String {
    let name = Text.quoted(className ?? "")
    if let text = string { return "\(name): \(Text.quoted(text))" }
    if let pairs = dictionary { return "\(name) of \(pairs.count) pairs" }
    if let elements = array { return "\(name) of \(elements.count) elements" }
    return "\(name) with \(Text.list(keys))"
  }

  /// The values that are stored in it, by their keys or in their order; at most 8 of them.
  public var customMirror: Mirror {
    if kind == .array || kind == .object, let elements = array, dictionary == nil {
      return Mirror(self, unlabeledChildren: Array(elements.prefix(Text.few)), displayStyle: .collection)
    }
    guard kind == .object || kind == .dictionary || kind == .classRecord else { return Mirror(self, children: []) }
    return Mirror(self, children: keys.prefix(Text.few).map { (label: $0, value: self[$0]) }, displayStyle: .struct)
  }
}

/// Text from a file, in the form in which it may be printed.
private enum Text {
  static let few = 8

  static func quoted(_ text: String) -> String { "'\(MessageText.plain(MessageText.shortened(text, to: 60)))'" }

  static func list(_ keys: [String]) -> String {
    guard !keys.isEmpty else { return "no keys" }
    let rest = keys.count > few ? " and \(keys.count - few) more" : ""
    return keys.prefix(few).map(quoted).joined(separator: ", ") + rest
  }
}
