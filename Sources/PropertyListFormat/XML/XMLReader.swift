// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads an XML property list.
///
/// It is a reader of property lists and not of XML at large: tags, comments, character data and the document type are
/// understood as far as property lists need them. Nothing is ever looked up outside the file, entities that a file
/// declares itself are refused, and control characters, which Apple's writer puts into files raw, are taken as they are.
struct XMLReader {
  private var scanner: XMLScanner
  private let limits: ReadLimits
  private var tree = XMLTree()
  /// The containers that are open, with the key that was read last for the dictionaries among them.
  private var open: [(node: Int32, key: Int32)] = []

  /// - Throws: ``PropertyListError`` if the bytes do not look like an XML property list at all.
  init(_ data: Data, limits: ReadLimits) throws(PropertyListError) {
    guard data.count <= limits.maximumByteCount else {
      throw PropertyListError(
        .limitReached, "the file has \(data.count) bytes, the limit is \(limits.maximumByteCount) (maximumByteCount)")
    }
    let looksLikeXML = data.prefix(256).contains(UInt8(ascii: "<"))
    guard looksLikeXML else {
      let head = data.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
      throw PropertyListError(
        .notAPropertyList, at: 0,
        data.isEmpty
          ? "expected a property list, found no bytes"
          : "expected 'bplist00' or an XML property list, found the bytes \(head)")
    }
    scanner = XMLScanner(try XMLEncoding.utf8(data))
    self.limits = limits
  }

  /// The list as a binary property list.
  mutating func read() throws(PropertyListError) -> Data {
    try scanner.skipProlog()
    guard case .open("plist", let isEmpty) = try scanner.tag() else {
      throw scanner.error("expected the element 'plist'")
    }
    guard !isEmpty else { throw scanner.error("the element 'plist' is empty") }
    try readValues()
    try scanner.skipMisc()
    guard scanner.isAtEnd else { throw scanner.error("there is something behind the end of the property list") }
    return try tree.binary()
  }

  /// Reads the one value inside `plist`, whatever it contains, and the end tag.
  private mutating func readValues() throws(PropertyListError) {
    while true {
      try scanner.skipMisc()
      switch try scanner.tag() {
      case .close(let name):
        if open.isEmpty {
          guard name == "plist" else { throw scanner.error("'\(name)' ends where 'plist' should") }
          guard !tree.nodes.isEmpty else { throw scanner.error("the element 'plist' is empty") }
          return
        }
        try close(name)
      case .open(let name, let isEmpty):
        if open.isEmpty, !tree.nodes.isEmpty { throw scanner.error("there is a second value inside 'plist'") }
        try read(name, isEmpty)
      }
    }
  }

  private mutating func read(_ name: String, _ isEmpty: Bool) throws(PropertyListError) {
    if name == "key" { return try readKey(isEmpty) }
    let key = try expectValue(name)
    switch name {
    case "dict", "array":
      let node = add(XMLTree.Node(kind: name == "dict" ? .dictionary : .array, key: key))
      if !isEmpty {
        guard open.count < limits.maximumDepth else {
          throw PropertyListError(
            .limitReached, at: scanner.offset, line: scanner.line,
            "containers nest deeper than \(limits.maximumDepth) levels (maximumDepth)")
        }
        open.append((node, -1))
      }
    case "true", "false":
      if !isEmpty { try scanner.expectEmptyElement(name) }
      _ = add(XMLTree.Node(kind: name == "true" ? .true : .false, key: key))
    case "string":
      let start = tree.bytes.count
      if !isEmpty { try scanner.text(of: name, into: &tree.bytes) }
      _ = add(XMLTree.Node(kind: .string, payload: UInt64(start), count: tree.bytes.count - start, key: key))
    case "data":
      let start = tree.bytes.count
      if !isEmpty {
        let text = try scanner.text(of: name)
        guard Base64.decode(text, into: &tree.bytes) else { throw scanner.badValue("data is not valid Base64") }
      }
      _ = add(XMLTree.Node(kind: .data, payload: UInt64(start), count: tree.bytes.count - start, key: key))
    case "integer", "real", "date":
      let text = isEmpty ? "" : String(decoding: try scanner.text(of: name), as: UTF8.self)
      _ = add(try scalar(name, text, key))
    default: throw scanner.error("'\(name)' is no element of a property list")
    }
    guard tree.nodes.count <= limits.maximumObjectCount else {
      throw PropertyListError(
        .limitReached, at: scanner.offset, line: scanner.line,
        "the file holds more than \(limits.maximumObjectCount) values (maximumObjectCount)")
    }
  }

  private func scalar(_ name: String, _ text: String, _ key: Int32) throws(PropertyListError) -> XMLTree.Node {
    switch name {
    case "integer":
      guard let value = XMLNumber.integer(text) else {
        throw scanner.badValue("'\(text)' is no integer between -2^63 and 2^64")
      }
      guard let signed = Int64(exactly: value) else {
        return XMLTree.Node(kind: .wideInteger, payload: UInt64(truncatingIfNeeded: value), key: key)
      }
      return XMLTree.Node(kind: .integer, payload: UInt64(bitPattern: signed), key: key)
    case "real":
      guard let value = XMLNumber.real(text) else { throw scanner.badValue("'\(text)' is no real") }
      return XMLTree.Node(kind: .real, payload: value.bitPattern, key: key)
    default:
      guard let seconds = XMLDate.seconds(text) else {
        throw scanner.badValue("'\(text)' is no date; expected the form 2001-01-01T00:00:00Z")
      }
      return XMLTree.Node(kind: .date, payload: seconds.bitPattern, key: key)
    }
  }

  private mutating func add(_ node: XMLTree.Node) -> Int32 {
    let parent = open.last?.node
    if !open.isEmpty { open[open.count - 1].key = -1 }
    return tree.add(node, to: parent)
  }

  private mutating func readKey(_ isEmpty: Bool) throws(PropertyListError) {
    guard let last = open.last, tree.nodes[Int(last.node)].kind == .dictionary else {
      throw scanner.error("a key stands outside of a dictionary")
    }
    guard last.key < 0 else { throw scanner.error("the key '\(tree.keys[Int(last.key)])' has no value") }
    let text = isEmpty ? "" : String(decoding: try scanner.text(of: "key"), as: UTF8.self)
    open[open.count - 1].key = tree.key(text)
  }

  /// Checks that a value may stand here and returns the key it is for.
  private func expectValue(_ name: String) throws(PropertyListError) -> Int32 {
    guard let last = open.last, tree.nodes[Int(last.node)].kind == .dictionary else { return -1 }
    guard last.key >= 0 else { throw scanner.error("a value ('\(name)') stands in a dictionary without a key") }
    return last.key
  }

  private mutating func close(_ name: String) throws(PropertyListError) {
    guard let (node, key) = open.popLast() else { return }
    let kind = tree.nodes[Int(node)].kind
    guard name == (kind == .dictionary ? "dict" : "array") else {
      throw scanner.error("'\(name)' ends where '\(kind == .dictionary ? "dict" : "array")' should")
    }
    guard key < 0 else { throw scanner.error("the key '\(tree.keys[Int(key)])' has no value") }
    if kind == .dictionary { tree.makeUID(node) }
  }
}

extension XMLTree {
  /// A dictionary whose only entry is an integer for the key `CF$UID` stands for a UID.
  fileprivate mutating func makeUID(_ number: Int32) {
    let dictionary = nodes[Int(number)]
    guard dictionary.count == 1 else { return }
    let child = nodes[Int(dictionary.firstChild)]
    guard child.kind == .integer, child.payload <= UInt64(UInt32.max), keys[Int(child.key)] == "CF$UID" else {
      return
    }
    nodes[Int(number)].kind = .uid
    nodes[Int(number)].payload = child.payload
    nodes[Int(number)].count = 0
    // The integer is the last node there is; nothing refers to it any more.
    nodes.removeLast()
  }
}
