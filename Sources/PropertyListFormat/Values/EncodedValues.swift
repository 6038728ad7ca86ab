// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Values to write, in a few arrays. A value takes 16 bytes, and no memory is allocated for a single one.
///
/// Both ``PropertyListValueEncoder`` and ``PropertyListValue`` add their values here. From here they become a binary file,
/// an XML file or a ``PropertyListValue``.
struct EncodedValues: ~Copyable {
  /// A value, or the place of its content.
  struct Cell {
    enum Kind: UInt8 {
      case `false`, `true`, integer, float, double, date, uid, content, array, dictionary
    }

    let kind: Kind
    /// The number of elements of a container.
    let count: UInt32
    /// The bits of a number, the index of a content, or the index of the first element. The upper half of a dictionary's
    /// bits is the index of its first key.
    let bits: UInt64

    @inline(__always)
    init(_ kind: Kind, count: Int = 0, bits: UInt64 = 0) {
      self.kind = kind
      self.count = UInt32(truncatingIfNeeded: count)
      self.bits = bits
    }

    @inline(__always)
    init(_ value: Bool) { self.init(value ? .true : .false) }

    @inline(__always)
    init(_ value: Int64) { self.init(.integer, bits: UInt64(bitPattern: value)) }

    @inline(__always)
    init(_ value: Float) { self.init(.float, bits: UInt64(value.bitPattern)) }

    @inline(__always)
    init(_ value: Double) { self.init(.double, bits: value.bitPattern) }

    @inline(__always)
    init(_ value: Date) { self.init(.date, bits: value.timeIntervalSinceReferenceDate.bitPattern) }

    var integer: Int64 { Int64(bitPattern: bits) }
    var float: Float { Float(bitPattern: UInt32(truncatingIfNeeded: bits)) }
    var double: Double { Double(bitPattern: bits) }
    /// The index of a content.
    var content: Int { Int(truncatingIfNeeded: bits) }
    /// The indexes of the elements or values of a container.
    var elements: Range<Int> {
      let start = Int(truncatingIfNeeded: bits & 0xFFFF_FFFF)
      return start..<start &+ Int(truncatingIfNeeded: count)
    }
    /// The index of the first key of a dictionary.
    var firstKey: Int { Int(truncatingIfNeeded: bits >> 32) }
  }

  /// The elements and values of the containers.
  private(set) var cells: ContiguousArray<Cell> = []
  /// The keys of the dictionaries, as indexes of contents. Dictionaries can share their keys.
  private(set) var keys: ContiguousArray<UInt32> = []
  /// Strings, data and integers of more than 64 bits.
  private(set) var contents: ContiguousArray<PropertyListValue> = []
  /// The number of bytes of all strings and data.
  private(set) var contentByteCount = 0
  let hash = ByteHash()
  /// Whether equal contents are stored once, as binary files have them. Other forms need not search for them.
  private let sharesContents: Bool
  private var index = HashIndex()
  /// The long contents by some of their bytes. Most of them differ there, so their other bytes need not be read.
  private var samples = HashIndex()
  /// The contents of ``samples`` that are in ``index`` too, because another content has the same sample.
  private var indexedSamples: Set<UInt32> = []
  /// The long contents by the memory that their bytes are in, which ``contents`` and ``copies`` keep.
  private var contentsInMemory: [MemoryRange: UInt32] = [:]
  /// The long contents that equal one of ``contents`` in other memory. While they exist, nothing else has their addresses.
  private var copies: ContiguousArray<PropertyListValue> = []

  /// The number of bytes above which a string or data is long.
  private static let shortByteCount = 64

  init(sharesContents: Bool) { self.sharesContents = sharesContents }

  // MARK: Containers

  /// Adds an array.
  mutating func addArray(_ elements: ContiguousArray<Cell>) throws(PropertyListError) -> Cell {
    let start = try reserve(elements.count)
    for index in elements.indices { cells.append(elements[index]) }
    return Cell(.array, count: elements.count, bits: UInt64(start))
  }

  /// Adds a dictionary with keys in any order. If keys are equal, the last one counts.
  mutating func addDictionary(_ entries: [(key: String, cell: Cell)]) throws(PropertyListError) -> Cell {
    var layout = KeyLayout()
    var values: ContiguousArray<Cell> = []
    for entry in entries {
      layout.expect(entry.key, at: values.count)
      values.append(entry.cell)
    }
    return try layout.addDictionary(values, to: &self)
  }

  /// Adds the values of a dictionary whose keys were added before.
  @inline(__always)
  mutating func addDictionary(
    _ values: ContiguousArray<Cell>, in order: ContiguousArray<Int>, firstKey: Int
  ) throws(PropertyListError) -> Cell {
    let start = try reserve(order.count)
    for index in order { cells.append(values[index]) }
    return Cell(.dictionary, count: order.count, bits: UInt64(firstKey) << 32 | UInt64(start))
  }

  /// Adds keys in the order of their bytes, and returns the index of the first one.
  mutating func addKeys(_ names: some Sequence<String>) throws(PropertyListError) -> Int {
    let start = keys.count
    for name in names { keys.append(UInt32(truncatingIfNeeded: addContent(name))) }
    guard keys.count <= Int32.max else { throw .tooManyObjects }
    return start
  }

  /// Returns the index of the next elements.
  @inline(__always)
  private func reserve(_ count: Int) throws(PropertyListError) -> Int {
    guard Int64(cells.count) + Int64(count) <= Int64(Int32.max) else { throw .tooManyObjects }
    return cells.count
  }

  /// Adds a value with its contents.
  /// - Parameters:
  ///   - value: The value.
  ///   - depth: The number of containers around it.
  ///   - stack: The guard of the recursion.
  /// - Returns: The value in the arrays.
  /// - Throws: ``PropertyListError`` if containers nest too deeply, or a limit on their number is reached.
  mutating func add(
    _ value: PropertyListValue, depth: Int = 0, _ stack: inout StackGuard
  ) throws(PropertyListError) -> Cell {
    switch value {
    case .boolean(let flag): return Cell(flag)
    case .integer(let number): return Cell(number)
    case .wideInteger(let high, let low): return add(WideInteger(high: high, low: low))
    case .float(let number): return Cell(number)
    case .double(let number): return Cell(number)
    case .date(let date): return Cell(date)
    case .data(let data): return add(data)
    case .string(let text): return add(text)
    case .uid(let number):
      try PropertyListError.check(uid: number)
      return Cell(.uid, bits: number)
    case .array(let elements):
      try stack.check(depth: depth)
      let start = try reserve(elements.count)
      for _ in elements.indices { cells.append(Cell(false)) }
      for index in elements.indices { cells[start &+ index] = try add(elements[index], depth: depth &+ 1, &stack) }
      return Cell(.array, count: elements.count, bits: UInt64(start))
    case .dictionary(let entries):
      try stack.check(depth: depth)
      let start = try reserve(entries.count)
      for _ in entries.indices { cells.append(Cell(false)) }
      let firstKey = try addKeys(entries.lazy.map(\.key))
      for index in entries.indices { cells[start &+ index] = try add(entries[index].value, depth: depth &+ 1, &stack) }
      return Cell(.dictionary, count: entries.count, bits: UInt64(firstKey) << 32 | UInt64(start))
    }
  }

  // MARK: Contents

  @inline(__always)
  mutating func add(_ text: String) -> Cell { Cell(.content, bits: UInt64(addContent(text))) }

  @inline(__always)
  mutating func add(_ data: Data) -> Cell { Cell(.content, bits: UInt64(addContent(data))) }

  /// Adds an integer that does not fit into `Int64`.
  mutating func add(_ number: WideInteger) -> Cell {
    let value = PropertyListValue.wideInteger(high: number.high, low: number.low)
    var search = index.search(hash.of(number.low ^ UInt64(bitPattern: number.high), kind: 0))
    while let found = index.next(&search) {
      if contents[Int(found)] == value { return Cell(.content, bits: UInt64(found)) }
    }
    index.add(UInt32(truncatingIfNeeded: contents.count), at: search)
    contents.append(value)
    return Cell(.content, bits: UInt64(contents.count &- 1))
  }

  @inline(__always)
  private mutating func addContent<Content: StoredContent>(_ content: Content) -> Int {
    guard sharesContents else { return append(content) }
    if content.byteCount > Self.shortByteCount { return addLong(content) }
    return add(content, content.withSpan { hash.of($0) })
  }

  private mutating func add<Content: StoredContent>(_ content: Content, _ hash: UInt64) -> Int {
    var search = index.search(hash)
    while let found = index.next(&search) {
      if let other = Content(contents[Int(found)]), other.hasSameBytes(as: content) { return Int(found) }
    }
    let number = append(content)
    index.add(UInt32(truncatingIfNeeded: number), at: search)
    return number
  }

  private mutating func append<Content: StoredContent>(_ content: Content) -> Int {
    contentByteCount &+= content.byteCount
    contents.append(content.value)
    return contents.count &- 1
  }

  /// Adds a long string or data. Reads all of its bytes only if another one has the same sample in other memory.
  private mutating func addLong<Content: StoredContent>(_ content: Content) -> Int {
    let range = content.memory
    if let range, let found = contentsInMemory[range], Content(contents[Int(found)]) != nil { return Int(found) }
    var search = samples.search(content.withSpan { hash.ofSample($0) })
    let next = contents.count
    let number: Int
    if let first = samples.next(&search) {
      if indexedSamples.insert(first).inserted {
        var search = index.search(contents[Int(first)].contentHash(hash))
        while index.next(&search) != nil {}
        index.add(first, at: search)
      }
      number = add(content, content.withSpan { hash.of($0) })
    } else {
      number = append(content)
      samples.add(UInt32(truncatingIfNeeded: number), at: search)
    }
    if let range {
      if number != next { copies.append(content.value) }
      contentsInMemory[range] = UInt32(truncatingIfNeeded: number)
    }
    return number
  }
}

/// A string or data of ``EncodedValues``.
private protocol StoredContent {
  init?(_ value: PropertyListValue)
  var value: PropertyListValue { get }
  var byteCount: Int { get }
  /// The memory of the bytes, which is nil for a few bytes.
  var memory: MemoryRange? { get }
  func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result
  func hasSameBytes(as other: Self) -> Bool
}

extension String: StoredContent {
  fileprivate init?(_ value: PropertyListValue) {
    guard case .string(let text) = value else { return nil }
    self = text
  }

  fileprivate var value: PropertyListValue { .string(self) }
  fileprivate var byteCount: Int { utf8.count }
  fileprivate var memory: MemoryRange? { MemoryRange(self) }

  @inline(__always)
  fileprivate func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result { withBytes { body($0) } }
}

extension Data: StoredContent {
  fileprivate init?(_ value: PropertyListValue) {
    guard case .data(let data) = value else { return nil }
    self = data
  }

  fileprivate var value: PropertyListValue { .data(self) }
  fileprivate var byteCount: Int { count }
  fileprivate var memory: MemoryRange? { MemoryRange(self) }

  @inline(__always)
  fileprivate func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(span) }
}

extension PropertyListValue {
  /// The hash of the bytes of a string or data.
  fileprivate func contentHash(_ hash: ByteHash) -> UInt64 {
    switch self {
    case .string(let text): text.withSpan { hash.of($0) }
    case .data(let data): data.withSpan { hash.of($0) }
    default: 0
    }
  }
}
