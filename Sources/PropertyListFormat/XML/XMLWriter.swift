// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The document type that an XML property list begins with.
package enum XMLDocumentType: String, CaseIterable, Sendable {
  /// What is written since about 2006.
  case apple = "-//Apple//DTD PLIST 1.0//EN"
  /// What was written before.
  case appleComputer = "-//Apple Computer//DTD PLIST 1.0//EN"

  /// That of a file that was read, so that it is written as it was.
  init(of file: Span<UInt8>) {
    let old = Array(XMLDocumentType.appleComputer.rawValue.utf8)
    var at = 0
    while at + old.count <= min(file.count, 512) {
      var length = 0
      while length < old.count, file[at + length] == old[length] { length += 1 }
      if length == old.count {
        self = .appleComputer
        return
      }
      at += 1
    }
    self = .apple
  }
}

/// Writes XML property lists as CoreFoundation does: tabs, sorted keys, wrapped data, reals with 17 digits.
///
/// An XML property list has no references, so a shared value is written once for each; a limit keeps that from becoming
/// more than the list can be worth. A 4-byte real comes back as one of 8 bytes, and a UID is a dictionary.
struct XMLWriter: ~Copyable {
  private let list: PropertyList
  private var sink: ByteSink
  private var byteLimit: Int
  /// Bytes that do not count.
  private var allowance = 0
  private var open: [Frame] = []
  /// Which containers are open, to find those that contain themselves.
  private var isOpen: [Bool]

  /// A container that is being written.
  private struct Frame {
    var ref: ObjectRef
    var isDictionary: Bool
    /// For dictionaries, the keys in the order of writing.
    var keys: [String]
    var values: [ObjectRef]
    var next = 0
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
    sink = ByteSink(capacity: 2 * list.bytes.count)
    isOpen = [Bool](repeating: false, count: list.objectCount)
    let (limit, overflow) = (list.bytes.count + list.editedWeight).multipliedReportingOverflow(
      by: list.limits.maximumExpansion)
    byteLimit = overflow ? .max : max(limit, 1 << 20)
  }

  private mutating func writeAll() throws(PropertyListError) {
    try write(list.top)
    while let last = open.indices.last {
      let frame = open[last]
      guard frame.next < frame.values.count else {
        open.removeLast()
        isOpen[frame.ref.index] = false
        indent()
        put(frame.isDictionary ? "</dict>\n" : "</array>\n")
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
      guard sink.count &- allowance <= byteLimit else {
        throw PropertyListError(
          .limitReached,
          "shared values make the XML form more than \(list.limits.maximumExpansion) times as large (maximumExpansion)")
      }
    }
  }

  private mutating func write(_ ref: ObjectRef) throws(PropertyListError) {
    indent()
    switch try list.object(ref) {
    case .boolean(let value): put(value ? "<true/>\n" : "<false/>\n")
    case .integer(let value): put("<integer>\(value)</integer>\n")
    case .wideInteger(let value):
      // Readers of XML, Apple's and this one, take what 64 bits hold with or without a sign.
      guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else {
        throw PropertyListError(
          .notRepresentable, "the integer \(value) in \(ref) has no form in XML: it needs more than 64 bits")
      }
      put("<integer>\(value)</integer>\n")
    case .float(let value): put("<real>\(RealText.text(Double(value)))</real>\n")
    case .double(let value): put("<real>\(RealText.text(value))</real>\n")
    case .date(let seconds):
      guard let text = XMLDate.text(seconds) else {
        throw PropertyListError(.notRepresentable, "the date \(seconds) in \(ref) has no form in XML")
      }
      put("<date>\(text)</date>\n")
    case .data(let data): write(data)
    case .string(let text):
      put("<string>")
      try putEscaped(text)
      put("</string>\n")
    case .uid(let value):
      let start = sink.count
      put("<dict>\n")
      indent(1)
      put("<key>CF$UID</key>\n")
      indent(1)
      put("<integer>\(value)</integer>\n")
      indent()
      put("</dict>\n")
      // Of one byte come about 90, also where nothing is shared. They count as little as a value in memory.
      allowance &+= max(0, sink.count &- start &- ExpansionBudget.element)
    case .array(let values):
      guard !values.isEmpty else { return put("<array/>\n") }
      put("<array>\n")
      try enter(Frame(ref: ref, isDictionary: false, keys: [], values: values))
    case .dictionary(let keys, let values):
      guard !values.isEmpty else { return put("<dict/>\n") }
      put("<dict>\n")
      // Keys are sorted, which takes longer than to write them where many dictionaries share many.
      if keys.count > 16 { byteLimit -= 64 * keys.count }
      try enter(sorted(ref, keys, values))
    case .set: throw PropertyListError(.notRepresentable, "\(ref) is a set, which has no form in XML")
    case .null: throw PropertyListError(.notRepresentable, "\(ref) is null, which has no form in XML")
    }
  }

  private mutating func enter(_ frame: Frame) throws(PropertyListError) {
    guard !isOpen[frame.ref.index] else {
      throw PropertyListError(.cycle, "\(frame.ref) contains itself, which has no form in XML")
    }
    guard open.count < list.limits.maximumDepth else {
      throw PropertyListError(
        .limitReached, "containers nest deeper than \(list.limits.maximumDepth) levels (maximumDepth)")
    }
    isOpen[frame.ref.index] = true
    open.append(frame)
  }

  /// A dictionary with its keys in the order of their UTF-16 units, as CoreFoundation sorts them.
  private func sorted(
    _ ref: ObjectRef, _ keys: [ObjectRef], _ values: [ObjectRef]
  ) throws(PropertyListError) -> Frame {
    var pairs: [(key: String, value: ObjectRef)] = []
    pairs.reserveCapacity(keys.count)
    for (key, value) in zip(keys, values) {
      guard case .string(let text) = try list.object(key) else {
        throw PropertyListError(.keyIsNotAString, "a dictionary key (\(key)) is not a string")
      }
      pairs.append((text, value))
    }
    pairs.sort { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
    return Frame(ref: ref, isDictionary: true, keys: pairs.map(\.key), values: pairs.map(\.value))
  }

  /// Base64 in lines of 76 characters less eight for each level of indentation, eight levels at most.
  private mutating func write(_ data: Data) {
    put("<data>\n")
    let level = min(open.count, 8)
    let bytesInLine = (76 - 8 * level) / 4 * 3
    let bytes = data.span
    var at = 0
    while at < bytes.count {
      let end = min(at + bytesInLine, bytes.count)
      putTabs(level)
      Base64.encode(bytes.extracting(at..<end), into: &sink)
      put("\n")
      at = end
    }
    putTabs(level)
    put("</data>\n")
  }

  private mutating func indent(_ more: Int = 0) { putTabs(open.count + more) }

  private mutating func putTabs(_ count: Int) {
    for _ in 0..<count {
      sink.reserve(1)
      sink.put(UInt8(ascii: "\t"))
    }
  }

  private mutating func put(_ text: String) { sink.put(text.utf8.span) }

  /// Text with `&`, `<` and `>` escaped. Control characters go out raw, as CoreFoundation writes them.
  private mutating func putEscaped(_ text: String) throws(PropertyListError) {
    let bytes = text.utf8.span
    var start = 0
    for i in 0..<bytes.count {
      let escape: String
      switch bytes[i] {
      case UInt8(ascii: "&"): escape = "&amp;"
      case UInt8(ascii: "<"): escape = "&lt;"
      case UInt8(ascii: ">"): escape = "&gt;"
      default: continue
      }
      sink.put(bytes.extracting(start..<i))
      put(escape)
      start = i + 1
    }
    sink.put(bytes.extracting(start..<bytes.count))
  }
}
