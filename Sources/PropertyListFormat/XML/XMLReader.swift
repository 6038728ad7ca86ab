// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A reader of XML property lists.
///
/// It supports the subset of XML that property lists need: tags, comments, character data and the document type. It
/// never accesses anything outside of the file, and rejects entity declarations. It accepts unescaped control
/// characters, because Apple's writer does not escape them.
struct XMLReader {
  private var scanner: XMLScanner
  private let limits: ReadLimits
  private var tree = XMLTree()
  /// The open containers, with the last key of each dictionary.
  private var open: [(node: Int32, key: Int32)] = []
  /// The text of the last key, number, date or data.
  private var text: ContiguousArray<UInt8> = []
  private let recordsLines: Bool
  /// The line of each node, if lines are recorded, and that of the current element.
  private var lines: [UInt32] = []
  private var line: UInt32 = 0

  /// Creates a reader.
  /// - Throws: ``PropertyListError`` if the bytes are not an XML property list, or exceed a limit.
  init(_ data: Data, limits: ReadLimits, recordingLines recordsLines: Bool = false) throws(PropertyListError) {
    self.recordsLines = recordsLines
    guard data.count <= limits.maximumByteCount else {
      throw .exceeds("byte", data.count, limits.maximumByteCount, "maximumByteCount")
    }
    guard data.prefix(256).contains(UInt8(ascii: "<")) || XMLEncoding.isMarkup(data) else {
      throw Self.notAPropertyList(data)
    }
    do {
      scanner = XMLScanner(try XMLEncoding.utf8(data))
    } catch {
      // An image can have the byte of '<' too.
      throw error.code == .invalidText && !XMLEncoding.isMarkup(data) ? Self.notAPropertyList(data) : error
    }
    self.limits = limits
  }

  private static func notAPropertyList(_ data: Data) -> PropertyListError {
    let head = HexText.bytes(data.prefix(8), separator: " ")
    return PropertyListError(
      .notAPropertyList, at: 0,
      "no property list: found \(data.isEmpty ? "an empty file" : "the bytes \(head)"); expected 'bplist00' or XML",
      remedy: "Check that the right file was opened")
  }

  /// Returns the list as a binary property list.
  mutating func read() throws(PropertyListError) -> Data {
    try scanner.skipProlog()
    guard case .open(.plist, let isEmpty) = try scanner.tag() else {
      throw scanner.error("missing root element: expected <plist>")
    }
    guard !isEmpty else { throw scanner.error(Self.noValue) }
    try readValues()
    try scanner.skipMisc()
    guard scanner.isAtEnd else { throw scanner.error("unexpected content after </plist>") }
    return try tree.binary()
  }

  /// Returns the list as a binary property list, and the line of each of its objects; 0 for a key. The reader must record
  /// lines.
  mutating func readWithLines() throws(PropertyListError) -> (list: Data, lines: [UInt32]) {
    (try read(), tree.lines(ofNodes: lines))
  }

  private static let noValue = "no value: the element 'plist' is empty; expected one value"

  /// Reads the value inside of `plist`, and the end tag.
  private mutating func readValues() throws(PropertyListError) {
    while true {
      try scanner.skipMisc()
      switch try scanner.tag() {
      case .close(let name):
        if open.isEmpty {
          guard name == .plist else { throw mismatch(.plist) }
          guard !tree.nodes.isEmpty else { throw scanner.error(Self.noValue) }
          return
        }
        try close(name)
      case .open(let name, let isEmpty):
        if open.isEmpty, !tree.nodes.isEmpty {
          throw scanner.error("second value: found <\(scanner.name)>; the element 'plist' must contain one value")
        }
        try read(name, isEmpty)
      }
    }
  }

  private func mismatch(_ expected: XMLName) -> PropertyListError {
    scanner.error("mismatched end tag: found </\(scanner.name)>; expected </\(expected.rawValue)>")
  }

  private mutating func read(_ name: XMLName, _ isEmpty: Bool) throws(PropertyListError) {
    if name == .key { return try readKey(isEmpty) }
    if recordsLines { line = scanner.countedLine() }
    let key = try expectValue()
    switch name {
    case .dict, .array:
      let node = add(XMLTree.Node(kind: name == .dict ? .dictionary : .array, key: key))
      guard open.count < limits.maximumDepth else {
        throw .tooDeep(limits.maximumDepth, at: scanner.placeInFile, line: scanner.line)
      }
      if !isEmpty { open.append((node, -1)) }
    case .true, .false:
      if !isEmpty { try scanner.expectEmptyElement(name) }
      _ = add(XMLTree.Node(kind: name == .true ? .true : .false, key: key))
    case .string:
      let start = tree.bytes.count
      if !isEmpty { try scanner.text(of: name, into: &tree.bytes) }
      try check("string", tree.bytes.count - start, limits.maximumStringByteCount, "maximumStringByteCount")
      _ = add(XMLTree.Node(kind: .utf16, payload: UInt64(start), count: tree.bytes.count - start, key: key))
    case .data:
      let start = tree.bytes.count
      try readText(of: name, isEmpty)
      guard Base64.decode(text, into: &tree.bytes) else {
        throw scanner.badValue("invalid data: expected characters of Base64")
      }
      try check("data", tree.bytes.count - start, limits.maximumDataByteCount, "maximumDataByteCount")
      _ = add(XMLTree.Node(kind: .data, payload: UInt64(start), count: tree.bytes.count - start, key: key))
    case .integer, .real, .date:
      try readText(of: name, isEmpty)
      _ = add(try scalar(name, key))
    case .plist, .key, .other: throw scanner.error("unknown element <\(scanner.name)>")
    }
    // Each distinct key is an object, too.
    let count = tree.nodes.count + tree.keys.count
    guard count <= limits.maximumObjectCount else {
      throw exceeds("object", count, limits.maximumObjectCount, "maximumObjectCount")
    }
  }

  /// Throws an error if a string or data has more bytes than a limit allows. The bytes of a string are those in UTF-8.
  private func check(_ kind: String, _ count: Int, _ limit: Int, _ name: String) throws(PropertyListError) {
    guard count > limit else { return }
    throw exceeds("\(kind) length", count, limit, name)
  }

  private func exceeds(_ what: String, _ count: Int, _ limit: Int, _ name: String) -> PropertyListError {
    .exceeds(what, count, limit, name, at: scanner.placeInFile, line: scanner.line)
  }

  /// Reads the text of an element, and its end tag.
  private mutating func readText(of name: XMLName, _ isEmpty: Bool) throws(PropertyListError) {
    text.removeAll(keepingCapacity: true)
    if !isEmpty { try scanner.text(of: name, into: &text) }
  }

  private func scalar(_ name: XMLName, _ key: Int32) throws(PropertyListError) -> XMLTree.Node {
    switch name {
    case .integer:
      if let value = XMLNumber.shortInteger(text) {
        return XMLTree.Node(kind: .integer, payload: UInt64(bitPattern: value), key: key)
      }
      let text = String(decoding: text, as: UTF8.self)
      guard let value = XMLNumber.integer(text) else {
        throw scanner.badValue("invalid integer: found '\(text)'; expected -2^63 to 2^64 - 1")
      }
      guard let signed = Int64(exactly: value) else {
        return XMLTree.Node(kind: .integer, payload: value.low, count: 16, key: key)
      }
      return XMLTree.Node(kind: .integer, payload: UInt64(bitPattern: signed), key: key)
    case .real:
      if let value = XMLNumber.shortReal(text) {
        return XMLTree.Node(kind: .double, payload: value.bitPattern, key: key)
      }
      let text = String(decoding: text, as: UTF8.self)
      guard let value = XMLNumber.real(text) else {
        throw scanner.badValue("invalid real: found '\(text)'; expected a number, 'nan' or 'infinity'")
      }
      return XMLTree.Node(kind: .double, payload: value.bitPattern, key: key)
    default:
      let text = String(decoding: text, as: UTF8.self)
      guard let seconds = XMLDate.seconds(text) else {
        throw scanner.badValue("invalid date: found '\(text)'; expected the format 2001-01-01T00:00:00Z")
      }
      return XMLTree.Node(kind: .date, payload: seconds.bitPattern, key: key)
    }
  }

  private mutating func add(_ node: XMLTree.Node) -> Int32 {
    let parent = open.last?.node
    if !open.isEmpty { open[open.count - 1].key = -1 }
    if recordsLines { lines.append(line) }
    return tree.add(node, to: parent)
  }

  private mutating func readKey(_ isEmpty: Bool) throws(PropertyListError) {
    guard let last = open.last, tree.nodes[Int(last.node)].kind == .dictionary else {
      throw scanner.error("key outside of a dictionary: expected a value")
    }
    try checkHasValue(last.key)
    try readText(of: .key, isEmpty)
    try check("string", text.count, limits.maximumStringByteCount, "maximumStringByteCount")
    open[open.count - 1].key = tree.key(text)
  }

  /// Throws an error if a key is still without a value.
  private func checkHasValue(_ key: Int32) throws(PropertyListError) {
    guard key >= 0 else { return }
    throw scanner.error("missing value: the key '\(tree.keys[Int(key)])' has none")
  }

  /// Returns the key for the next value, or -1 outside of a dictionary.
  private func expectValue() throws(PropertyListError) -> Int32 {
    guard let last = open.last, tree.nodes[Int(last.node)].kind == .dictionary else { return -1 }
    guard last.key >= 0 else { throw scanner.error("missing key: found <\(scanner.name)>; expected <key>") }
    return last.key
  }

  private mutating func close(_ name: XMLName) throws(PropertyListError) {
    guard let (node, key) = open.popLast() else { return }
    let isDictionary = tree.nodes[Int(node)].kind == .dictionary
    guard name == (isDictionary ? .dict : .array) else { throw mismatch(isDictionary ? .dict : .array) }
    try checkHasValue(key)
    if isDictionary { tree.convertToUID(node) }
    // The conversion removes a node.
    if recordsLines { lines.removeLast(lines.count - tree.nodes.count) }
  }
}

extension XMLTree {
  /// Converts a dictionary that contains only an integer with the key `CF$UID` to a UID.
  fileprivate mutating func convertToUID(_ number: Int32) {
    let dictionary = nodes[Int(number)]
    guard dictionary.count == 1 else { return }
    let child = nodes[Int(dictionary.firstChild)]
    guard child.kind == .integer, child.payload <= UInt64(UInt32.max), keys[Int(child.key)] == "CF$UID" else {
      return
    }
    nodes[Int(number)].kind = .uid
    nodes[Int(number)].payload = child.payload
    nodes[Int(number)].count = 0
    // The integer is the last node, and no longer referenced.
    nodes.removeLast()
  }
}
