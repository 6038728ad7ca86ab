// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension EncodedValues {
  // MARK: XML

  /// Returns a value as an XML file.
  /// - Parameters:
  ///   - top: The value at the top level.
  ///   - limits: The limits, of which only `maximumExpansion` is used.
  /// - Returns: The bytes of the file.
  /// - Throws: ``PropertyListError`` if containers nest too deeply, XML cannot hold a value, or the limit is reached.
  func xml(top: Cell, _ limits: ReadLimits) throws(PropertyListError) -> Data {
    var state = XMLState(limits: limits)
    // Each byte of a string or data becomes at least one byte. Memory must not be reserved before the check.
    try check(contentByteCount, &state)
    var elements = XMLElements(
      capacity: 512 &+ contentByteCount &+ 40 &* cells.count &+ 16 &* keys.count, escapesReturns: true)
    elements.putStart(.apple)
    try write(top, to: &elements, level: 0, &state)
    return elements.finish()
  }

  /// The state of writing an XML file.
  private struct XMLState {
    let limits: ReadLimits
    var stack = StackGuard()
    /// The number of bytes up to which the exact limit need not be known.
    var byteLimit = XMLWriter.leastLimit
  }

  /// Throws an error if repeated strings and data make the file too large for the memory that the values take.
  private func check(_ byteCount: Int, _ state: inout XMLState) throws(PropertyListError) {
    guard Int64(byteCount) > state.byteLimit else { return }
    var known: Set<MemoryRange> = []
    var size = Int64(contentByteCount) + 9 * Int64(cells.count) + 2 * Int64(keys.count)
    // Keys count each time, because the values of an XML file share them.
    for cell in cells where cell.kind == .content {
      let (range, count): (MemoryRange?, Int) =
        switch contents[cell.content] {
        case .string(let text): (MemoryRange(text), text.utf8.count)
        case .data(let data): (MemoryRange(data), data.count)
        default: (nil, 0)
        }
      if let range, !known.insert(range).inserted { size -= Int64(count) }
    }
    let (limit, overflow) = size.multipliedReportingOverflow(by: Int64(state.limits.maximumExpansion))
    state.byteLimit = overflow ? .max : max(limit, XMLWriter.leastLimit)
    guard Int64(byteCount) > state.byteLimit else { return }
    throw PropertyListError(
      .limitReached,
      "expansion limit reached: repeated values would make the XML form more than \(state.limits.maximumExpansion) times "
        + "the \(size) bytes of the values"
    ).raising("maximumExpansion")
  }

  private func write(
    _ cell: Cell, to elements: inout XMLElements, level: Int, _ state: inout XMLState
  ) throws(PropertyListError) {
    try check(elements.byteCount, &state)
    switch cell.kind {
    case .false: elements.put(false, level: level)
    case .true: elements.put(true, level: level)
    case .integer: elements.put(cell.integer, level: level)
    case .float: elements.put(Double(cell.float), level: level)
    case .double: elements.put(cell.double, level: level)
    case .date:
      guard elements.put(date: cell.double, level: level) else { throw .unsupportedByXML("the date \(cell.double)") }
    case .uid: elements.put(uid: cell.bits, level: level)
    case .content:
      switch contents[cell.content] {
      case .string(let text): elements.put(text, level: level)
      case .data(let data): elements.put(data, level: level)
      case .wideInteger(let high, let low):
        let value = WideInteger(high: high, low: low)
        guard elements.put(value, level: level) else {
          throw .unsupportedByXML("the integer \(value), which needs more than 64 bits")
        }
      default: break
      }
    case .array, .dictionary:
      try PropertyListValue.check(depth: level, &state.stack)
      let isDictionary = cell.kind == .dictionary
      elements.putStart(isDictionary: isDictionary, isEmpty: cell.count == 0, level: level)
      guard cell.count > 0 else { return }
      if !isDictionary {
        for index in cell.elements { try write(cells[index], to: &elements, level: level &+ 1, &state) }
      } else if hasOrderOfUTF16(cell) {
        var place = cell.firstKey
        for index in cell.elements {
          elements.put(key: key(place), level: level &+ 1)
          try write(cells[index], to: &elements, level: level &+ 1, &state)
          place &+= 1
        }
      } else {
        let entries = zip(cell.firstKey..., cell.elements).map { (key: key($0), element: cells[$1]) }
        for entry in entries.sorted(by: { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }) {
          elements.put(key: entry.key, level: level &+ 1)
          try write(entry.element, to: &elements, level: level &+ 1, &state)
        }
      }
      elements.putEnd(isDictionary: isDictionary, level: level)
    }
  }

  /// Returns whether the order of a dictionary's keys is also that of their UTF-16 units, in which CoreFoundation writes XML.
  /// The orders differ for characters above U+FFFF and those from U+E000, whose first bytes are 0xEE or more.
  private func hasOrderOfUTF16(_ dictionary: Cell) -> Bool {
    for index in dictionary.firstKey..<dictionary.firstKey &+ Int(dictionary.count) {
      let isPlain = key(index).withBytes { bytes in bytes.isASCII || bytes.indices.allSatisfy { bytes[$0] < 0xEE } }
      guard isPlain else { return false }
    }
    return true
  }

  // MARK: Values

  /// Returns a value as a ``PropertyListValue``.
  func value(_ cell: Cell, depth: Int = 0, _ stack: inout StackGuard) throws(PropertyListError) -> PropertyListValue {
    switch cell.kind {
    case .false: return .boolean(false)
    case .true: return .boolean(true)
    case .integer: return .integer(cell.integer)
    case .float: return .float(cell.float)
    case .double: return .double(cell.double)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: cell.double))
    case .uid: return .uid(cell.bits)
    case .content: return contents[cell.content]
    case .array:
      try stack.check(depth: depth)
      var values: [PropertyListValue] = []
      values.reserveCapacity(cell.elements.count)
      for index in cell.elements { values.append(try value(cells[index], depth: depth &+ 1, &stack)) }
      return .array(values)
    case .dictionary:
      try stack.check(depth: depth)
      var entries = PropertyListDictionary(capacity: cell.elements.count)
      for (place, index) in cell.elements.enumerated() {
        entries.append(
          .init(key: key(cell.firstKey &+ place), value: try value(cells[index], depth: depth &+ 1, &stack)))
      }
      return .dictionary(entries)
    }
  }

  /// Returns a key of a dictionary.
  @inline(__always)
  private func key(_ index: Int) -> String {
    guard case .string(let text) = contents[Int(keys[index])] else { return "" }
    return text
  }
}
