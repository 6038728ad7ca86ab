// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Takes an XML file apart into tags and character data.
struct XMLScanner {
  enum Tag {
    /// A start tag, and whether the element ends with it.
    case open(String, isEmpty: Bool)
    case close(String)
  }

  private let bytes: [UInt8]
  /// Where the scanner stands, counted in bytes of UTF-8.
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset >= bytes.count }

  /// The line on which the scanner stands.
  var line: Int { 1 + bytes[..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") } }

  func error(_ detail: String) -> PropertyListError {
    PropertyListError(isAtEnd ? .truncated : .malformedXML, at: offset, line: line, detail)
  }

  func badValue(_ detail: String) -> PropertyListError {
    PropertyListError(.malformedValue, at: offset, line: line, detail)
  }

  // MARK: Between elements

  /// Skips the XML declaration, comments, processing instructions and the document type.
  mutating func skipProlog() throws(PropertyListError) {
    try skipMisc()
    while looksAt("<!DOCTYPE") {
      try skipDocumentType()
      try skipMisc()
    }
  }

  /// Skips white space, comments and processing instructions.
  mutating func skipMisc() throws(PropertyListError) {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      case UInt8(ascii: "<"):
        if looksAt("<!--") {
          try skip(past: "-->", from: offset + 4, "a comment has no end; perhaps the file's end is missing")
        } else if looksAt("<?") {
          try skip(
            past: "?>", from: offset + 2, "a processing instruction has no end; perhaps the file's end is missing")
        } else {
          return
        }
      default: throw error("there is text where only elements may stand")
      }
    }
  }

  /// Skips the document type with what it declares; a declaration of an entity is refused.
  private mutating func skipDocumentType() throws(PropertyListError) {
    let start = offset
    var isInSubset = false
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let quote = bytes[offset]
        guard let end = bytes[(offset + 1)...].firstIndex(of: quote) else { break }
        offset = end
      case UInt8(ascii: "["): isInSubset = true
      case UInt8(ascii: "]"): isInSubset = false
      case UInt8(ascii: "<") where isInSubset:
        if looksAt("<!ENTITY") { throw error("the file declares an entity, which a property list may not") }
        if looksAt("<!--") {
          try skip(past: "-->", from: offset + 4, "a comment has no end; perhaps the file's end is missing")
          continue
        }
      case UInt8(ascii: "%") where isInSubset:
        throw error("the file uses a parameter entity, which a property list may not")
      case UInt8(ascii: ">") where !isInSubset:
        offset += 1
        return
      default: break
      }
      offset += 1
    }
    offset = start
    throw PropertyListError(
      .truncated, at: start, line: line, "the document type has no end; perhaps the file's end is missing")
  }

  private func looksAt(_ text: StaticString) -> Bool {
    var at = offset
    guard at + text.utf8CodeUnitCount <= bytes.count else { return false }
    for byte in "\(text)".utf8 {
      if bytes[at] != byte { return false }
      at += 1
    }
    return true
  }

  private mutating func skip(past end: String, from start: Int, _ complaint: String) throws(PropertyListError) {
    guard let found = find(end, from: start) else {
      throw PropertyListError(.truncated, at: offset, line: line, complaint)
    }
    offset = found + end.utf8.count
  }

  private func find(_ text: String, from start: Int) -> Int? {
    let wanted = Array(text.utf8)
    guard start <= bytes.count else { return nil }
    var at = start
    while at + wanted.count <= bytes.count {
      guard let next = bytes[at...].firstIndex(of: wanted[0]), next + wanted.count <= bytes.count else { return nil }
      if bytes[next..<next + wanted.count].elementsEqual(wanted) { return next }
      at = next + 1
    }
    return nil
  }

  // MARK: Tags

  /// Reads the tag that begins here.
  mutating func tag() throws(PropertyListError) -> Tag {
    guard offset < bytes.count else { throw error("the file ends where an element is expected") }
    guard bytes[offset] == UInt8(ascii: "<") else { throw error("expected an element") }
    let isClosing = offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "/")
    let nameStart = offset + (isClosing ? 2 : 1)
    var end = nameStart
    while end < bytes.count, isNameByte(bytes[end]) { end += 1 }
    guard end > nameStart, end - nameStart <= 16 else { throw error("'<' begins no element of a property list") }
    let name = String(decoding: bytes[nameStart..<end], as: UTF8.self)
    let isEmpty = try finishTag(from: end)
    guard isClosing else { return .open(name, isEmpty: isEmpty) }
    guard !isEmpty else { throw error("the end tag of '\(name)' is malformed") }
    return .close(name)
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || byte >= 0x80
  }

  /// Skips attributes up to the end of the tag; returns whether it ends with `/>`.
  private mutating func finishTag(from start: Int) throws(PropertyListError) -> Bool {
    var at = start
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: ">"):
        offset = at + 1
        return bytes[at - 1] == UInt8(ascii: "/")
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let end = bytes[(at + 1)...].firstIndex(of: bytes[at]) else { throw error("an attribute has no end") }
        at = end
      case UInt8(ascii: "<"): throw error("a tag has no end")
      case 0: throw error("a tag holds a zero byte")
      default: break
      }
      at += 1
    }
    throw PropertyListError(.truncated, at: offset, line: line, "a tag has no end; perhaps the file's end is missing")
  }

  /// Reads the end tag of an element that must be empty.
  mutating func expectEmptyElement(_ name: String) throws(PropertyListError) {
    try skipMisc()
    guard case .close(name) = try tag() else { throw error("the element '\(name)' must be empty") }
  }

  // MARK: Character data

  /// Reads the character data of an element, and its end tag.
  mutating func text(of name: String) throws(PropertyListError) -> [UInt8] {
    var text: [UInt8] = []
    try self.text(of: name, into: &text)
    return text
  }

  mutating func text(of name: String, into text: inout [UInt8]) throws(PropertyListError) {
    while true {
      let start = offset
      while offset < bytes.count, bytes[offset] != UInt8(ascii: "<"), bytes[offset] != UInt8(ascii: "&") { offset += 1 }
      text.append(contentsOf: bytes[start..<offset])
      guard offset < bytes.count else {
        throw error("the element '\(name)' has no end; perhaps the file's end is missing")
      }
      if bytes[offset] == UInt8(ascii: "&") {
        try readReference(into: &text)
      } else if looksAt("<![CDATA[") {
        guard let end = find("]]>", from: offset + 9) else {
          throw PropertyListError(
            .truncated, at: offset, line: line, "a CDATA section has no end; perhaps the file's end is missing")
        }
        text.append(contentsOf: bytes[offset + 9..<end])
        offset = end + 3
      } else if looksAt("<!--") {
        try skip(past: "-->", from: offset + 4, "a comment has no end; perhaps the file's end is missing")
      } else if looksAt("<?") {
        try skip(past: "?>", from: offset + 2, "a processing instruction has no end; perhaps the file's end is missing")
      } else {
        guard case .close(name) = try tag() else { throw error("the element '\(name)' holds another element") }
        return
      }
    }
  }

  /// Reads `&amp;` and its like, or a character by its number.
  private mutating func readReference(into text: inout [UInt8]) throws(PropertyListError) {
    let window = bytes[(offset + 1)...].prefix(16)
    guard let end = window.firstIndex(of: UInt8(ascii: ";")) else {
      throw PropertyListError(.malformedXML, at: offset, line: line, "'&' begins no reference that ends with ';'")
    }
    let name = String(decoding: bytes[offset + 1..<end], as: UTF8.self)
    switch name {
    case "amp": text.append(UInt8(ascii: "&"))
    case "lt": text.append(UInt8(ascii: "<"))
    case "gt": text.append(UInt8(ascii: ">"))
    case "quot": text.append(UInt8(ascii: "\""))
    case "apos": text.append(UInt8(ascii: "'"))
    default:
      guard let scalar = character(name) else {
        throw PropertyListError(.malformedXML, at: offset, line: line, "'&\(name);' stands for no character")
      }
      text.append(contentsOf: String(scalar).utf8)
    }
    offset = end + 1
  }

  private func character(_ name: String) -> Character? {
    guard name.hasPrefix("#") else { return nil }
    let isHex = name.hasPrefix("#x")
    let digits = name.dropFirst(isHex ? 2 : 1)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ isHexDigit($0) }) else { return nil }
    return UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init).map(Character.init)
  }

  private func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
