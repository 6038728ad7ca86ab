// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The name of an element of a property list.
enum XMLName: String {
  case plist, dict, array, key, string, data, integer, real, date, `true`, `false`
  /// An element that property lists do not have. The scanner has its name.
  case other = ""

  /// Creates the name that some bytes are.
  @inline(__always)
  init(_ bytes: Span<UInt8>) {
    func isName(_ literal: StaticString) -> Bool { bytes.has(literal, at: 0) }
    switch bytes.count {
    case 3: self = isName("key") ? .key : .other
    case 4:
      switch bytes[0] {
      case UInt8(ascii: "r"): self = isName("real") ? .real : .other
      case UInt8(ascii: "t"): self = isName("true") ? .true : .other
      default: self = isName("dict") ? .dict : isName("data") ? .data : isName("date") ? .date : .other
      }
    case 5: self = isName("array") ? .array : isName("plist") ? .plist : isName("false") ? .false : .other
    case 6: self = isName("string") ? .string : .other
    case 7: self = isName("integer") ? .integer : .other
    default: self = .other
    }
  }
}

/// A scanner that splits an XML file into tags and character data.
struct XMLScanner {
  enum Tag {
    /// A start tag, or the tag of an empty element.
    case open(XMLName, isEmpty: Bool)
    case close(XMLName)
  }

  private let bytes: [UInt8]
  /// The offset in the file of the first byte; nil if the file has another encoding.
  private let fileOffset: Int?
  /// The current offset in bytes of UTF-8.
  private(set) var offset = 0
  /// The line that was counted last, and the offset there.
  private var counted = (offset: 0, line: UInt32(1))
  /// The offsets of the name in the last tag.
  private var nameRange = 0..<0

  init(_ text: XMLEncoding.Text) {
    bytes = text.bytes
    fileOffset = text.fileOffset
  }

  var isAtEnd: Bool { offset >= bytes.count }

  /// The name in the last tag.
  var name: String { String(decoding: bytes[nameRange], as: UTF8.self) }

  /// The current line.
  var line: Int { 1 + lineEnds(in: 0..<min(offset, bytes.count)) }

  /// Returns the current line. All calls together count each byte once.
  mutating func countedLine() -> UInt32 {
    let count = lineEnds(in: counted.offset..<min(offset, bytes.count))
    counted = (min(offset, bytes.count), counted.line &+ UInt32(truncatingIfNeeded: count))
    return counted.line
  }

  /// Returns the number of line ends: line feeds, and carriage returns without one behind (XML 1.0, 2.11).
  private func lineEnds(in range: Range<Int>) -> Int {
    range.count { index in
      bytes[index] == UInt8(ascii: "\n")
        || bytes[index] == UInt8(ascii: "\r") && (index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n"))
    }
  }

  /// The current offset in the file, or nil if the file was converted.
  var placeInFile: Int? { fileOffset.map { $0 + offset } }

  func error(_ detail: String) -> PropertyListError { error(.malformedXML, detail) }

  /// Returns an error with the current place. Its offset is one in the file, and unknown if the file was converted.
  private func error(
    _ code: PropertyListError.Code, _ detail: String, remedy: String? = nil
  ) -> PropertyListError {
    PropertyListError(code, at: placeInFile, line: line, detail, remedy: remedy)
  }

  private func truncated(_ detail: String) -> PropertyListError {
    error(.truncated, detail, remedy: PropertyListError.compareSize)
  }

  private func unterminated(_ what: String) -> PropertyListError { truncated("\(what) without an end") }

  func badValue(_ detail: String) -> PropertyListError { error(.malformedValue, detail) }

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
        guard try skipCommentOrInstruction() else { return }
      default: throw error("unexpected text between elements")
      }
    }
  }

  /// Skips a comment or processing instruction. Returns `false` if the input has neither at this position.
  @inline(__always)
  private mutating func skipCommentOrInstruction() throws(PropertyListError) -> Bool {
    // Most tags are neither.
    guard offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "!") || bytes[offset + 1] == UInt8(ascii: "?")
    else { return false }
    if looksAt("<!--") {
      try skip(past: "-->", from: offset + 4, "comment")
    } else if looksAt("<?") {
      try skip(past: "?>", from: offset + 2, "processing instruction")
    } else {
      return false
    }
    return true
  }

  /// Skips the document type with its declarations. Entity declarations are errors.
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
        if looksAt("<!ENTITY") { throw error("unsupported entity declaration") }
        if looksAt("<!--") {
          try skip(past: "-->", from: offset + 4, "comment")
          continue
        }
      case UInt8(ascii: "%") where isInSubset:
        throw error("unsupported parameter entity")
      case UInt8(ascii: ">") where !isInSubset:
        offset += 1
        return
      default: break
      }
      offset += 1
    }
    offset = start
    throw unterminated("document type")
  }

  private func looksAt(_ text: StaticString) -> Bool {
    bytes.withContiguousBytes { $0.has(text, at: min(offset, $0.count)) }
  }

  private mutating func skip(past end: String, from start: Int, _ what: String) throws(PropertyListError) {
    guard let found = find(end, from: start) else { throw unterminated(what) }
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

  /// Reads the tag at the current offset.
  mutating func tag() throws(PropertyListError) -> Tag {
    guard offset < bytes.count else { throw truncated("missing element: the file ends early") }
    guard bytes[offset] == UInt8(ascii: "<") else { throw error("unexpected text: expected an element") }
    let isClosing = offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "/")
    let nameStart = offset + (isClosing ? 2 : 1)
    var end = nameStart
    while end < bytes.count, isNameByte(bytes[end]) { end += 1 }
    guard end > nameStart, end - nameStart <= 16 else {
      throw error("invalid tag: expected the name of an element after '<'")
    }
    let name = bytes.withContiguousBytes { XMLName($0.extracting(nameStart..<end)) }
    nameRange = nameStart..<end
    let isEmpty = try finishTag(from: end)
    guard isClosing else { return .open(name, isEmpty: isEmpty) }
    guard !isEmpty else { throw error("malformed end tag </\(self.name)/>") }
    return .close(name)
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || byte >= 0x80
  }

  /// Skips attributes up to the end of the tag, and returns whether it ends with `/>`.
  private mutating func finishTag(from start: Int) throws(PropertyListError) -> Bool {
    var at = start
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: ">"):
        offset = at + 1
        return bytes[at - 1] == UInt8(ascii: "/")
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let end = bytes[(at + 1)...].firstIndex(of: bytes[at]) else { throw unterminated("attribute") }
        at = end
      case UInt8(ascii: "<"): throw error("tag without an end")
      case 0: throw error("zero byte in a tag")
      default: break
      }
      at += 1
    }
    throw unterminated("tag")
  }

  /// Reads the end tag of an element that must be empty.
  mutating func expectEmptyElement(_ name: XMLName) throws(PropertyListError) {
    try skipMisc()
    guard case .close(name) = try tag() else {
      throw error("unexpected content in <\(name.rawValue)>: expected an empty element")
    }
  }

  // MARK: Character data

  /// Reads the character data of an element, and its end tag.
  mutating func text(of name: XMLName, into text: inout ContiguousArray<UInt8>) throws(PropertyListError) {
    while true {
      let start = offset
      offset = bytes.withContiguousBytes { bytes in
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "<"), bytes[end] != UInt8(ascii: "&") { end &+= 1 }
        text.append(bytes.extracting(start..<end))
        return end
      }
      guard offset < bytes.count else { throw unterminated("element <\(name.rawValue)>") }
      if bytes[offset] == UInt8(ascii: "&") {
        try readReference(into: &text)
      } else if looksAt("<![CDATA[") {
        guard let end = find("]]>", from: offset + 9) else { throw unterminated("CDATA section") }
        text.append(contentsOf: bytes[offset + 9..<end])
        offset = end + 3
      } else if try !skipCommentOrInstruction() {
        guard case .close(name) = try tag() else {
          throw error("unexpected tag in <\(name.rawValue)>: expected text and </\(name.rawValue)>")
        }
        return
      }
    }
  }

  /// Reads a predefined entity such as `&amp;`, or a character reference.
  private mutating func readReference(into text: inout ContiguousArray<UInt8>) throws(PropertyListError) {
    let window = bytes[(offset + 1)...].prefix(16)
    guard let end = window.firstIndex(of: UInt8(ascii: ";")) else {
      throw error(.malformedXML, "invalid reference: found '&' without ';'", remedy: "Write '&amp;'")
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
        throw error("unknown character reference '&\(name);'")
      }
      text.append(contentsOf: String(scalar).utf8)
    }
    offset = end + 1
  }

  private func character(_ name: String) -> Character? {
    guard let digits = name.rest(after: "#x") ?? name.rest(after: "#") else { return nil }
    // The initializer would accept a sign.
    guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
    return UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10).flatMap(Unicode.Scalar.init).map(Character.init)
  }
}
