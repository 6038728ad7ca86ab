// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The document type of an XML property list.
package enum XMLDocumentType: String, CaseIterable, Sendable {
  /// The document type since about 2006.
  case apple = "-//Apple//DTD PLIST 1.0//EN"
  /// The earlier document type.
  case appleComputer = "-//Apple Computer//DTD PLIST 1.0//EN"

  /// Creates the document type of a file, so that the file is written with the same one.
  init(of file: Span<UInt8>) {
    let head = String(decoding: file.array(in: 0..<min(file.count, 512)), as: UTF8.self)
    self = head.contains(XMLDocumentType.appleComputer.rawValue) ? .appleComputer : .apple
  }
}

/// A writer of XML property lists in CoreFoundation's format: tabs, sorted keys, wrapped data, reals with 17 digits.
///
/// XML property lists have no references, so a shared value is written once for each reference, up to a limit. A 4-byte
/// real is read back as an 8-byte real, and a UID is written as a dictionary.
struct XMLWriter: ~Copyable {
  private let list: PropertyList
  private var sink: ByteSink
  /// Whether carriage returns are written as `&#13;`. XML parsers read a plain one as a line feed. CoreFoundation writes it,
  /// so a file that has one keeps its form.
  private let escapesReturns: Bool
  private var byteLimit: Int64
  /// The number of bytes that the limit ignores.
  private var allowance: Int64 = 0
  private var open: [Frame] = []
  private var visits: [Visit]
  /// The written texts of objects that are visited more than twice.
  private var texts: [Visit.Place: Text] = [:]

  /// The state of an object.
  private enum Visit {
    case none
    /// The container is partly written. Another visit is a cycle.
    case open
    /// The object is written once.
    case one
    /// The object is written more than once, and its texts are known.
    case several

    /// The position of a visit. Its text depends only on the indentation.
    struct Place: Hashable {
      let ref: ObjectRef
      let level: Int
    }
  }

  /// The text of an object, and how writing it changed the limits.
  private struct Text {
    var start: Int
    var count = 0
    var byteLimit: Int64
    var allowance: Int64
  }

  /// A container that is only partly written.
  private struct Frame {
    var ref: ObjectRef
    var isDictionary: Bool
    /// For dictionaries, the keys in the order of writing.
    var keys: [String]
    var values: [ObjectRef]
    var next = 0
    /// The start of the text, if other visits are to copy it.
    var text: Text?
  }

  static func write(_ list: PropertyList, documentType: XMLDocumentType) throws(PropertyListError) -> Data {
    var writer = XMLWriter(list)
    writer.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"")
    writer.put(documentType.rawValue)
    writer.put("\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n")
    try writer.writeAll()
    writer.put("</plist>\n")
    return writer.sink.finish()
  }

  private init(_ list: PropertyList) {
    self.list = list
    escapesReturns = !list.hasPlainReturns
    sink = ByteSink(capacity: Int(clamping: 2 * Int64(list.byteCount)))
    visits = [Visit](repeating: .none, count: list.objectCount)
    let (limit, overflow) = (Int64(list.byteCount) + list.editedWeight).multipliedReportingOverflow(
      by: Int64(list.limits.maximumExpansion))
    byteLimit = overflow ? .max : max(limit, 1 << 20)
  }

  private mutating func writeAll() throws(PropertyListError) {
    try write(list.top)
    while let last = open.indices.last {
      let frame = open[last]
      guard frame.next < frame.values.count else {
        open.removeLast()
        indent()
        put(frame.isDictionary ? "</dict>\n" : "</array>\n")
        finish(frame.ref, frame.text)
        continue
      }
      open[last].next += 1
      if frame.isDictionary {
        indent()
        put("<key>")
        try putEscaped(frame.keys[frame.next])
        put("</key>\n")
      }
      try write(frame.values[frame.next])
      guard Int64(sink.count) &- allowance <= byteLimit else {
        throw .tooLarge("shared values would make the XML form", list.limits, list.byteCount)
      }
    }
  }

  private mutating func write(_ ref: ObjectRef) throws(PropertyListError) {
    indent()
    if visits[ref.index] == .several, let text = texts[Visit.Place(ref: ref, level: open.count)] {
      return try copy(text)
    }
    let text = Text(start: sink.count, byteLimit: byteLimit, allowance: allowance)
    switch try list.object(ref) {
    case .boolean(let value): put(value ? "<true/>\n" : "<false/>\n")
    case .integer(let value): put("<integer>\(value)</integer>\n")
    case .wideInteger(let high, let low):
      let value = WideInteger(high: high, low: low)
      // XML readers, also Apple's, accept signed and unsigned integers of 64 bits.
      guard value.fits64Bits else {
        throw unsupported("the integer \(value) in \(ref), which needs more than 64 bits")
      }
      put("<integer>\(value)</integer>\n")
    case .float(let value): put("<real>\(RealText.text(Double(value)))</real>\n")
    case .double(let value): put("<real>\(RealText.text(value))</real>\n")
    case .date(let seconds):
      guard let text = XMLDate.text(seconds) else {
        throw unsupported("the date \(seconds) in \(ref)")
      }
      put("<date>\(text)</date>\n")
    case .data(let data):
      write(data)
      if data.count > Self.shortLength { finish(ref, text) }
    case .string(let string):
      put("<string>")
      try putEscaped(string)
      put("</string>\n")
      if string.utf8.count > Self.shortLength { finish(ref, text) }
    case .uid(let value):
      let start = sink.count
      put("<dict>\n")
      indent(1)
      put("<key>CF$UID</key>\n")
      indent(1)
      put("<integer>\(value)</integer>\n")
      indent()
      put("</dict>\n")
      // A UID of one byte takes about 90 bytes in XML without being shared, so it counts only as a value in memory.
      allowance &+= max(0, Int64(sink.count &- start) &- ExpansionBudget.element)
    case .array(let values):
      guard !values.isEmpty else { return put("<array/>\n") }
      put("<array>\n")
      try enter(Frame(ref: ref, isDictionary: false, keys: [], values: values, text: text))
    case .dictionary(let keys, let values):
      guard !values.isEmpty else { return put("<dict/>\n") }
      put("<dict>\n")
      // Sorting the keys takes longer than writing them if many dictionaries share many keys.
      if keys.count > 16 { byteLimit -= 64 * Int64(keys.count) }
      var frame = try sorted(ref, keys, values)
      frame.text = text
      try enter(frame)
    case .set: throw unsupported("a set in \(ref)")
    case .null: throw unsupported("null in \(ref)")
    }
  }

  private func unsupported(_ what: String) -> PropertyListError {
    PropertyListError(
      .notRepresentable, "unsupported value: XML property lists cannot hold \(what)", remedy: "Write the binary format")
  }

  private mutating func enter(_ frame: Frame) throws(PropertyListError) {
    guard visits[frame.ref.index] != .open else { throw .cycle(frame.ref) }
    guard open.count < list.limits.maximumDepth else { throw .tooDeep(list.limits.maximumDepth) }
    var frame = frame
    // Most containers are visited once, and their texts need not be known.
    if visits[frame.ref.index] == .none { frame.text = nil }
    visits[frame.ref.index] = .open
    open.append(frame)
  }

  /// The maximum length of a string or data that is written at each visit, because that takes less than to find its text.
  private static let shortLength = 64

  /// Records that an object is written. From the second visit on, its text is known.
  private mutating func finish(_ ref: ObjectRef, _ text: Text?) {
    guard var text, visits[ref.index] != .none else {
      visits[ref.index] = .one
      return
    }
    visits[ref.index] = .several
    text.count = sink.count &- text.start
    text.byteLimit &-= byteLimit
    text.allowance = allowance &- text.allowance
    texts[Visit.Place(ref: ref, level: open.count)] = text
  }

  /// Writes the text of an object again. A container that is written has no cycle, and its text no other depth.
  private mutating func copy(_ text: Text) throws(PropertyListError) {
    byteLimit -= text.byteLimit
    allowance &+= text.allowance
    guard Int64(sink.count) &- allowance <= byteLimit &- Int64(text.count) else {
      throw .tooLarge("shared values would make the XML form", list.limits, list.byteCount)
    }
    sink.reserve(text.count)
    sink.repeatBytes(text.count, from: text.start)
  }

  /// Returns a dictionary with its keys in the order of their UTF-16 units, as CoreFoundation sorts them.
  private func sorted(
    _ ref: ObjectRef, _ keys: [ObjectRef], _ values: [ObjectRef]
  ) throws(PropertyListError) -> Frame {
    var pairs: [(key: String, value: ObjectRef)] = []
    pairs.reserveCapacity(keys.count)
    for (key, value) in zip(keys, values) {
      let key = try list.object(key)
      guard case .string(let text) = key else { throw .invalidKey(key, in: ref) }
      pairs.append((text, value))
    }
    pairs.sort { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
    return Frame(ref: ref, isDictionary: true, keys: pairs.map(\.key), values: pairs.map(\.value))
  }

  private mutating func write(_ data: Data) {
    put("<data>")
    Self.put(data, level: open.count, to: &sink)
    put("</data>\n")
  }

  /// Writes the text between the tags of data: Base64 in lines of 76 characters minus eight for each of at most eight
  /// levels of indentation.
  static func put(_ data: Data, level: Int, to sink: inout ByteSink) {
    let level = min(level, 8)
    let bytesInLine = (76 - 8 * level) / 4 * 3
    let margin = String(repeating: "\t", count: level)
    "\n".withBytes { sink.put($0) }
    for start in stride(from: data.startIndex, to: data.endIndex, by: bytesInLine) {
      margin.withBytes { sink.put($0) }
      data[start..<min(start + bytesInLine, data.endIndex)].base64EncodedString().withBytes { sink.put($0) }
      "\n".withBytes { sink.put($0) }
    }
    margin.withBytes { sink.put($0) }
  }

  private mutating func indent(_ more: Int = 0) { putTabs(open.count + more) }

  private mutating func putTabs(_ count: Int) {
    for _ in 0..<count {
      sink.reserve(1)
      sink.put(UInt8(ascii: "\t"))
    }
  }

  private mutating func put(_ text: String) { text.withBytes { sink.put($0) } }

  /// Writes text with `&`, `<`, `>` and carriage returns escaped. Other control characters stay unescaped, as CoreFoundation
  /// writes them, because XML has no form for them.
  private mutating func putEscaped(_ text: String) throws(PropertyListError) {
    text.withBytes { bytes in
      var start = 0
      for i in 0..<bytes.count {
        let escape: String
        switch bytes[i] {
        case UInt8(ascii: "&"): escape = "&amp;"
        case UInt8(ascii: "<"): escape = "&lt;"
        case UInt8(ascii: ">"): escape = "&gt;"
        case UInt8(ascii: "\r") where escapesReturns: escape = "&#13;"
        default: continue
        }
        sink.put(bytes.extracting(start..<i))
        put(escape)
        start = i + 1
      }
      sink.put(bytes.extracting(start..<bytes.count))
    }
  }
}
