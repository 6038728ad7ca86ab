// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The elements of an XML property list as bytes, in CoreFoundation's format: tabs, wrapped data, reals with 17 digits.
///
/// Each element begins a line. The `level` of an element is the number of containers around it.
struct XMLElements: ~Copyable {
  private var sink: ByteSink
  /// Whether carriage returns are written as `&#13;`. XML parsers read a plain one as a line feed. CoreFoundation writes it,
  /// so a file that has one keeps its form.
  private let escapesReturns: Bool

  /// Creates a writer.
  /// - Parameters:
  ///   - capacity: The estimated number of bytes.
  ///   - escapesReturns: Whether carriage returns are written as `&#13;`.
  init(capacity: Int, escapesReturns: Bool) {
    sink = ByteSink(capacity: capacity)
    self.escapesReturns = escapesReturns
  }

  /// The number of bytes written.
  var byteCount: Int { sink.count }

  /// Writes everything before the value.
  mutating func putStart(_ documentType: XMLDocumentType) {
    sink.put(literal: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"")
    documentType.rawValue.withBytes { sink.put($0) }
    sink.put(literal: "\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n")
  }

  /// Writes everything after the value, and returns the bytes.
  mutating func finish() -> Data {
    sink.put(literal: "</plist>\n")
    return sink.finish()
  }

  // MARK: Containers

  /// Writes the start tag of a container, or all of an empty one.
  mutating func putStart(isDictionary: Bool, isEmpty: Bool, level: Int) {
    indent(level)
    switch (isDictionary, isEmpty) {
    case (true, true): sink.put(literal: "<dict/>\n")
    case (true, false): sink.put(literal: "<dict>\n")
    case (false, true): sink.put(literal: "<array/>\n")
    case (false, false): sink.put(literal: "<array>\n")
    }
  }

  /// Writes the end tag of a container.
  mutating func putEnd(isDictionary: Bool, level: Int) {
    indent(level)
    if isDictionary { sink.put(literal: "</dict>\n") } else { sink.put(literal: "</array>\n") }
  }

  /// Writes the key of the next value.
  mutating func put(key: String, level: Int) {
    indent(level)
    sink.put(literal: "<key>")
    putEscaped(key)
    sink.put(literal: "</key>\n")
  }

  // MARK: Values

  mutating func put(_ value: Bool, level: Int) {
    indent(level)
    if value { sink.put(literal: "<true/>\n") } else { sink.put(literal: "<false/>\n") }
  }

  mutating func put(_ value: Int64, level: Int) {
    indent(level)
    sink.put(literal: "<integer>")
    if value < 0 { sink.put(UInt8(ascii: "-"), times: 1) }
    sink.put(decimal: value.magnitude)
    sink.put(literal: "</integer>\n")
  }

  /// Writes an integer of at most 64 bits, signed or unsigned. XML readers, also Apple's, accept no others.
  /// - Returns: `false` if it has more.
  mutating func put(_ value: WideInteger, level: Int) -> Bool {
    guard value.fits64Bits else { return false }
    indent(level)
    sink.put(literal: "<integer>")
    value.description.withBytes { sink.put($0) }
    sink.put(literal: "</integer>\n")
    return true
  }

  mutating func put(_ value: Double, level: Int) {
    indent(level)
    sink.put(literal: "<real>")
    RealText.put(value, to: &sink)
    sink.put(literal: "</real>\n")
  }

  /// Writes a date.
  /// - Returns: `false` if XML has no form for it.
  mutating func put(date seconds: Double, level: Int) -> Bool {
    guard let text = XMLDate.text(seconds) else { return false }
    indent(level)
    sink.put(literal: "<date>")
    text.withBytes { sink.put($0) }
    sink.put(literal: "</date>\n")
    return true
  }

  mutating func put(_ data: Data, level: Int) {
    indent(level)
    sink.put(literal: "<data>")
    Self.putLines(of: data, level: level, to: &sink)
    sink.put(literal: "</data>\n")
  }

  mutating func put(_ text: String, level: Int) {
    indent(level)
    sink.put(literal: "<string>")
    putEscaped(text)
    sink.put(literal: "</string>\n")
  }

  /// Writes a UID, which XML property lists have as a dictionary.
  mutating func put(uid: UInt64, level: Int) {
    putStart(isDictionary: true, isEmpty: false, level: level)
    put(key: "CF$UID", level: level + 1)
    indent(level + 1)
    sink.put(literal: "<integer>")
    sink.put(decimal: uid)
    sink.put(literal: "</integer>\n")
    putEnd(isDictionary: true, level: level)
  }

  /// Writes bytes that were written before.
  mutating func repeatBytes(_ count: Int, from offset: Int) {
    sink.reserve(count)
    sink.repeatBytes(count, from: offset)
  }

  /// Writes the text between the tags of data: Base64 in lines of 76 characters minus eight for each of at most eight
  /// levels of indentation.
  static func putLines(of data: Data, level: Int, to sink: inout ByteSink) {
    let level = min(level, 8)
    let bytesInLine = (76 - 8 * level) / 4 * 3
    let bytes = data.span
    sink.put(UInt8(ascii: "\n"), times: 1)
    var start = 0
    while start < bytes.count {
      let end = min(start &+ bytesInLine, bytes.count)
      sink.put(UInt8(ascii: "\t"), times: level)
      Base64.encode(bytes.extracting(start..<end), to: &sink)
      sink.put(UInt8(ascii: "\n"), times: 1)
      start = end
    }
    sink.put(UInt8(ascii: "\t"), times: level)
  }

  private mutating func indent(_ level: Int) { sink.put(UInt8(ascii: "\t"), times: level) }

  /// Writes text with `&`, `<`, `>` and carriage returns escaped. Other control characters stay unescaped, as CoreFoundation
  /// writes them, because XML has no form for them.
  private mutating func putEscaped(_ text: String) {
    text.withBytes { bytes in
      var start = 0
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        index &+= 1
        // '<' and '>' differ in one bit.
        if byte != UInt8(ascii: "\r"), byte != UInt8(ascii: "&"), byte | 2 != UInt8(ascii: ">") { continue }
        if byte == UInt8(ascii: "\r"), !escapesReturns { continue }
        sink.put(bytes.extracting(start..<index &- 1))
        start = index
        switch byte {
        case UInt8(ascii: "&"): sink.put(literal: "&amp;")
        case UInt8(ascii: "<"): sink.put(literal: "&lt;")
        case UInt8(ascii: ">"): sink.put(literal: "&gt;")
        default: sink.put(literal: "&#13;")
        }
      }
      sink.put(bytes.extracting(start..<bytes.count))
    }
  }
}
