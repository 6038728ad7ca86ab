// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A writer of XML property lists in CoreFoundation's format: tabs, sorted keys, wrapped data, reals with 17 digits.
///
/// XML property lists have no references, so a shared value is written once for each reference, up to a limit. A 4-byte
/// real is read back as an 8-byte real, and a UID is written as a dictionary.
struct XMLWriter: ~Copyable {
  private let list: PropertyList
  private var elements: XMLElements
  private var byteLimit: Int64
  /// The number of bytes that the limit ignores.
  private var allowance: Int64 = 0
  private var open: [Frame] = []
  private var visits: [Visit]
  /// The written texts of objects that are visited more than twice.
  private var texts: [Visit.Place: Text] = [:]
  /// The long keys, each of which is read once, however many dictionaries have it.
  private var longKeys: [ObjectRef: String] = [:]
  /// The number of bytes of the keys of ``open`` that are not written yet. All are in memory, and long ones can have the same
  /// bytes in the file.
  private var keyByteCount: Int64 = 0

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
    writer.elements.putStart(documentType)
    try writer.writeAll()
    return writer.elements.finish()
  }

  private init(_ list: PropertyList) {
    self.list = list
    elements = XMLElements(
      capacity: Int(clamping: 2 * Int64(list.bytes.count)), escapesReturns: !list.hasPlainReturns)
    visits = [Visit](repeating: .none, count: list.objectCount)
    let (limit, overflow) = (Int64(list.byteCount) + list.editedWeight).multipliedReportingOverflow(
      by: Int64(list.limits.maximumExpansion))
    byteLimit = overflow ? .max : max(limit, Self.leastLimit)
  }

  private mutating func writeAll() throws(PropertyListError) {
    try write(list.top)
    while let last = open.indices.last {
      let frame = open[last]
      guard frame.next < frame.values.count else {
        open.removeLast()
        elements.putEnd(isDictionary: frame.isDictionary, level: open.count)
        finish(frame.ref, frame.text)
        continue
      }
      open[last].next += 1
      if frame.isDictionary {
        let key = frame.keys[frame.next]
        elements.put(key: key, level: open.count)
        keyByteCount &-= Int64(key.utf8.count)
      }
      try write(frame.values[frame.next])
      guard Int64(elements.byteCount) &- allowance <= byteLimit else { throw tooLarge() }
    }
  }

  /// The text of an error message that has the keys and indexes that lead to the current value.
  private var place: String {
    guard !open.isEmpty else { return "" }
    let steps = open.map { frame in
      frame.isDictionary ? MessageText.shortened(frame.keys[frame.next - 1], to: 40) : "\(frame.next - 1)"
    }
    return " at '\(MessageText.plain(MessageText.shortened(steps.joined(separator: "."))))'"
  }

  private func tooLarge() -> PropertyListError {
    .tooLarge("shared values would make the XML form", list.limits, list.byteCount)
  }

  private mutating func write(_ ref: ObjectRef) throws(PropertyListError) {
    guard ref.index < visits.count else { throw .dangling(ref, visits.count) }
    let level = open.count
    if visits[ref.index] == .several, let text = texts[Visit.Place(ref: ref, level: level)] {
      return try copy(text)
    }
    let text = Text(start: elements.byteCount, byteLimit: byteLimit, allowance: allowance)
    switch try list.object(ref) {
    case .boolean(let value): elements.put(value, level: level)
    case .integer(let value): elements.put(value, level: level)
    case .wideInteger(let high, let low):
      let value = WideInteger(high: high, low: low)
      guard elements.put(value, level: level) else {
        throw .unsupportedByXML("the integer \(value)\(place), which needs more than 64 bits")
      }
      finish(ref, text)
    // To find the 17 digits of a real takes up to a microsecond.
    case .float(let value):
      elements.put(Double(value), level: level)
      finish(ref, text)
    case .double(let value):
      elements.put(value, level: level)
      finish(ref, text)
    case .date(let seconds):
      guard elements.put(date: seconds, level: level) else {
        throw .unsupportedByXML("the date \(seconds)\(place)")
      }
      finish(ref, text)
    case .data(let data):
      elements.put(data, level: level)
      if data.count > Self.shortLength { finish(ref, text) }
    case .string(let string):
      elements.put(string, level: level)
      if string.utf8.count > Self.shortLength { finish(ref, text) }
    case .uid(let value):
      try PropertyListError.check(uid: value)
      let start = elements.byteCount
      elements.put(uid: value, level: level)
      // A UID of one byte takes about 90 bytes in XML without being shared, so it counts only as a value in memory. The
      // tabs of deep containers count.
      let excess = Int64(elements.byteCount &- start) &- ExpansionBudget.element
      allowance &+= max(0, min(excess, Self.usualUIDLength &- ExpansionBudget.element))
    case .array(let values):
      try checkDepth()
      elements.putStart(isDictionary: false, isEmpty: values.isEmpty, level: level)
      if values.isEmpty { return }
      try enter(Frame(ref: ref, isDictionary: false, keys: [], values: values, text: text))
    case .dictionary(let keys, let values):
      guard keys.count == values.count else { throw .unequalCounts(keys.count, values.count) }
      try checkDepth()
      elements.putStart(isDictionary: true, isEmpty: values.isEmpty, level: level)
      if values.isEmpty { return }
      // Sorting the keys takes longer than writing them if many dictionaries share many keys.
      if keys.count > 16 { byteLimit -= 64 * Int64(keys.count) }
      var frame = try sorted(ref, keys, values)
      frame.text = text
      try enter(frame)
    case .set: throw .unsupportedByXML("a set\(place)")
    case .null: throw .unsupportedByXML("null\(place)")
    }
  }

  /// Throws an error if no container may be in the open ones.
  private func checkDepth() throws(PropertyListError) {
    guard open.count < list.limits.maximumDepth else { throw .tooDeep(list.limits.maximumDepth) }
  }

  private mutating func enter(_ frame: Frame) throws(PropertyListError) {
    guard visits[frame.ref.index] != .open else { throw .cycle(frame.ref) }
    var frame = frame
    // Most containers are visited once, and their texts need not be known.
    if visits[frame.ref.index] == .none { frame.text = nil }
    visits[frame.ref.index] = .open
    open.append(frame)
  }

  /// The maximum length of a string or data that is written at each visit, because that takes less than to find its text.
  private static let shortLength = 64
  /// The number of bytes of a UID in a container of an object.
  private static let usualUIDLength: Int64 = 90
  /// A file with many references to a few texts is small, and its XML form is not.
  static let leastLimit: Int64 = 1 << 22

  /// Records that an object is written. From the second visit on, its text is known.
  private mutating func finish(_ ref: ObjectRef, _ text: Text?) {
    guard var text, visits[ref.index] != .none else {
      visits[ref.index] = .one
      return
    }
    visits[ref.index] = .several
    text.count = elements.byteCount &- text.start
    text.byteLimit &-= byteLimit
    text.allowance = allowance &- text.allowance
    texts[Visit.Place(ref: ref, level: open.count)] = text
  }

  /// Writes the text of an object again. A container that is written has no cycle, and its text no other depth.
  private mutating func copy(_ text: Text) throws(PropertyListError) {
    byteLimit -= text.byteLimit
    allowance &+= text.allowance
    guard Int64(elements.byteCount) &- allowance <= byteLimit &- Int64(text.count) else { throw tooLarge() }
    elements.repeatBytes(text.count, from: text.start)
  }

  /// Returns a dictionary with its keys in the order of their UTF-16 units, as CoreFoundation sorts them.
  private mutating func sorted(
    _ ref: ObjectRef, _ keys: [ObjectRef], _ values: [ObjectRef]
  ) throws(PropertyListError) -> Frame {
    var pairs: [(key: String, value: ObjectRef)] = []
    pairs.reserveCapacity(keys.count)
    let byteCount = Int64(elements.byteCount) &- allowance
    for (key, value) in zip(keys, values) {
      let text = try self.key(key, of: ref)
      keyByteCount &+= Int64(text.utf8.count)
      guard byteCount &+ keyByteCount <= byteLimit else { throw tooLarge() }
      pairs.append((text, value))
    }
    pairs.sort { $0.key.precedesInUTF16($1.key) }
    return Frame(ref: ref, isDictionary: true, keys: pairs.map(\.key), values: pairs.map(\.value))
  }

  private mutating func key(_ key: ObjectRef, of dictionary: ObjectRef) throws(PropertyListError) -> String {
    if !longKeys.isEmpty, let known = longKeys[key] { return known }
    let object = try list.object(key)
    guard case .string(let text) = object else { throw .invalidKey(object, in: dictionary) }
    if text.utf8.count > Self.shortLength { longKeys[key] = text }
    return text
  }
}
