// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

extension KeyedArchive: CustomStringConvertible, CustomReflectable {
  /// The archiver, the number of objects, and at most 8 top-level values, one per line.
  public var description: String {
    let keys = topKeys
    var lines = ["KeyedArchive by \(Text.quoted(archiverName)), \(objectCount) objects"]
    for key in keys.prefix(Text.few) { lines.append("  \(Text.quoted(key)): \(self[key])") }
    if keys.count > Text.few { lines.append("  and \(keys.count - Text.few) more") }
    return lines.joined(separator: "\n")
  }

  /// The top-level values that ``description`` lists.
  public var customMirror: Mirror {
    Mirror(self, children: topKeys.prefix(Text.few).map { (label: $0, value: self[$0]) }, displayStyle: .struct)
  }
}

extension KeyedArchive.Node: CustomStringConvertible, CustomReflectable {
  /// The value in one line: the class and keys of an object, or the value. Texts are shortened.
  public var description: String {
    switch kind {
    case .missing: "missing"
    case .null: "nil"
    case .primitive(.string): Text.quoted(string ?? "")
    case .primitive(.data): "data of \(data?.count ?? 0) bytes"
    case .primitive(.date): "a date"
    case .primitive: numberDescription
    case .array: "array of \(array?.count ?? 0) values"
    case .dictionary: "dictionary with \(Text.list(keys))"
    case .classRecord: "class record \(Text.quoted(self[ClassRecordKey.name.rawValue].string ?? ""))"
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

  /// At most 8 elements or values of the node, the latter labeled with their keys.
  public var customMirror: Mirror {
    if kind == .array || kind == .object, let elements = array, dictionary == nil {
      return Mirror(self, unlabeledChildren: Array(elements.prefix(Text.few)), displayStyle: .collection)
    }
    guard kind == .object || kind == .dictionary || kind == .classRecord else { return Mirror(self, children: []) }
    return Mirror(self, children: keys.prefix(Text.few).map { (label: $0, value: self[$0]) }, displayStyle: .struct)
  }
}

/// Text from a file, escaped for printing.
private enum Text {
  /// The maximum number of values that a description lists.
  static let few = 8

  static func quoted(_ text: String) -> String { "'\(MessageText.plain(MessageText.shortened(text, to: 60)))'" }

  static func list(_ keys: [String]) -> String {
    guard !keys.isEmpty else { return "no keys" }
    let rest = keys.count > few ? " and \(keys.count - few) more" : ""
    return keys.prefix(few).map(quoted).joined(separator: ", ") + rest
  }
}
