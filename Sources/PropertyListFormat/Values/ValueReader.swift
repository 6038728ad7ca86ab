// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Creates values from the objects of a file that was not edited, and validates each object at its first visit.
struct ValueReader {
  private let table: BinaryTable
  private let limits: ReadLimits
  private let byteCount: Int
  /// The state of each object.
  private var states: [State]
  /// Strings, each created once for all references to it. Most of them are keys.
  private var texts: [String?]
  /// Data, each created once for all references to it.
  private var blocks: [ObjectRef: Data] = [:]
  /// The remaining memory of objects that overlap in the file.
  private var overlap: ExpansionBudget
  /// The remaining memory of containers that are created for each reference, and the remaining work for repeated texts and
  /// data. Writers of property lists share strings and numbers, but not containers.
  private var expansion: ExpansionBudget
  private var stack = StackGuard()
  /// The number of objects that were visited.
  private(set) var readCount = 0

  private enum State: UInt8 {
    case unknown, open, read
  }

  init(_ list: PropertyList) {
    table = list.table
    limits = list.limits
    byteCount = list.byteCount
    states = [State](repeating: .unknown, count: list.objectCount)
    texts = [String?](repeating: nil, count: list.objectCount)
    overlap = ExpansionBudget(byteCount: Int64(list.byteCount), limits: list.limits)
    expansion = overlap
  }

  /// Returns the value of an object.
  /// - Parameters:
  ///   - ref: The object.
  ///   - bytes: The bytes of the file.
  ///   - depth: The number of containers around the value.
  /// - Returns: The value.
  /// - Throws: ``PropertyListError`` if the object or its contents are damaged or exceed a limit.
  mutating func value(
    _ ref: ObjectRef, in bytes: Span<UInt8>, depth: Int = 0
  ) throws(PropertyListError) -> PropertyListValue {
    if let text = texts[ref.index] {
      try charge(repeating: text)
      return .string(text)
    }
    let item = try item(ref, in: bytes)
    switch item.kind {
    case .false: return .boolean(false)
    case .true: return .boolean(true)
    case .integer where item.count == 16: return PropertyListValue(table.wideInteger(item, in: bytes))
    case .integer: return .integer(table.integer(item, in: bytes))
    case .float: return .float(table.float(item, in: bytes))
    case .double: return .double(table.double(item, in: bytes))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: table.double(item, in: bytes)))
    case .uid:
      try table.checkUID(item, in: bytes)
      return .uid(table.uid(item, in: bytes))
    case .ascii, .utf16: return .string(try text(ref, item, in: bytes))
    case .data:
      if let data = blocks[ref] {
        try charge(scanning: data.count)
        return .data(data)
      }
      let data = bytes.data(in: item.content..<item.content &+ item.count)
      blocks[ref] = data
      return .data(data)
    case .array:
      try open(ref, item.count, MemoryLayout<PropertyListValue>.stride, depth)
      var values: [PropertyListValue] = []
      values.reserveCapacity(item.count)
      for index in 0..<item.count {
        values.append(try value(table.element(index, of: item, in: bytes), in: bytes, depth: depth &+ 1))
      }
      states[ref.index] = .read
      return .array(values)
    case .dictionary:
      try open(ref, item.count, MemoryLayout<PropertyListDictionary.Element>.stride, depth)
      var entries = PropertyListDictionary(capacity: item.count)
      for index in 0..<item.count {
        let key = try key(table.element(index, of: item, in: bytes), of: ref, in: bytes)
        let element = try table.element(item.count &+ index, of: item, in: bytes)
        entries.append(.init(key: key, value: try value(element, in: bytes, depth: depth &+ 1)))
      }
      entries.sort()
      states[ref.index] = .read
      return .dictionary(entries)
    case .null, .set:
      throw PropertyListError(
        .notRepresentable,
        "unsupported kind: \(ref) is a \(item.kind.name); expected a kind that XML property lists have",
        remedy: "Read the file with PropertyList")
    }
  }

  /// Reads the item of an object, and charges its memory at the first visit.
  @inline(__always)
  private mutating func item(_ ref: ObjectRef, in bytes: Span<UInt8>) throws(PropertyListError) -> BinaryItem {
    let item = try table.readItem(at: table.offset(of: ref, in: bytes), in: bytes)
    switch states[ref.index] {
    case .unknown:
      states[ref.index] = .read
      readCount &+= 1
      guard overlap.take(item.weight) else { throw .tooLarge("overlapping objects would take", limits, byteCount) }
    case .open: throw .cycle(ref)
    case .read: break
    }
    return item
  }

  /// Begins a container.
  private mutating func open(
    _ ref: ObjectRef, _ count: Int, _ stride: Int, _ depth: Int
  ) throws(PropertyListError) {
    guard depth < limits.maximumDepth else { throw .tooDeep(limits.maximumDepth) }
    try stack.check(depth: depth)
    guard expansion.take((Int64(count) + 1) * Int64(stride)) else {
      throw PropertyListError(
        .limitReached, "expansion limit reached: containers that the file contains once are referenced many times"
      ).raising("maximumExpansion")
    }
    states[ref.index] = .open
  }

  /// Charges another reference to a key, which is compared, or to text that takes as long to hash.
  @inline(__always)
  private mutating func charge(comparing byteCount: Int) throws(PropertyListError) {
    guard byteCount <= 15 || expansion.touch(2 * Int64(byteCount)) else { throw tooManyRepeats() }
  }

  /// Charges another reference to data or to ASCII text. It takes no memory, but callers can hash, scan or write the value for
  /// each reference.
  @inline(__always)
  private mutating func charge(scanning byteCount: Int) throws(PropertyListError) {
    guard byteCount <= 15 || expansion.touch(Int64(byteCount) / 2) else { throw tooManyRepeats() }
  }

  /// Charges another reference to a text.
  @inline(never)
  private mutating func charge(repeating text: String) throws(PropertyListError) {
    // The number of UTF-16 units of an ASCII string is known.
    let count = text.utf8.count
    if count == text.utf16.count { try charge(scanning: count) } else { try charge(comparing: count) }
  }

  @inline(never)
  private func tooManyRepeats() -> PropertyListError {
    .tooLarge("repeated texts and data would take", limits, byteCount)
  }

  private mutating func key(
    _ ref: ObjectRef, of dictionary: ObjectRef, in bytes: Span<UInt8>
  ) throws(PropertyListError) -> String {
    if let text = texts[ref.index] {
      try charge(comparing: text.utf8.count)
      return text
    }
    let item = try item(ref, in: bytes)
    guard item.kind == .ascii || item.kind == .utf16 else {
      throw .invalidKey(try table.object(ref, in: bytes), in: dictionary)
    }
    return try text(ref, item, in: bytes)
  }

  private mutating func text(
    _ ref: ObjectRef, _ item: BinaryItem, in bytes: Span<UInt8>
  ) throws(PropertyListError) -> String {
    let text = try table.string(item, in: bytes)
    texts[ref.index] = text
    return text
  }
}
