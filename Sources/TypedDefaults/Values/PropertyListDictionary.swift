// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A dictionary of a property list, in the order of its keys' bytes.
///
/// Keys are the same when their bytes are: a letter with an accent and the letter followed by an accent are two keys, as
/// they are in the file. To look a key up takes time in proportion to the logarithm of the count; to put in a new one, to
/// the count, so many are best put in at once by ``init(_:)``.
public struct PropertyListDictionary: Hashable, Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
  /// A key with its value.
  public struct Element: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The value.
    public var value: PropertyListValue

    /// A key with its value.
    @inline(__always)
    public init(key: String, value: PropertyListValue) {
      self.key = key
      self.value = value
    }

    /// Equal when the key's bytes and the value are.
    public static func == (a: Self, b: Self) -> Bool { a.key.hasSameBytes(as: b.key) && a.value == b.value }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(BytewiseString(key))
      hasher.combine(value)
    }
  }

  private var entries: [Element]

  /// An empty dictionary.
  public init() { entries = [] }

  /// A dictionary of keys and values in any order; of equal keys the last counts.
  public init(_ pairs: some Sequence<(String, PropertyListValue)>) {
    self.init(sorting: pairs.map { Element(key: $0.0, value: $0.1) })
  }

  /// A dictionary literal; of equal keys the last counts.
  public init(dictionaryLiteral elements: (String, PropertyListValue)...) { self.init(elements) }

  /// A dictionary of entries in any order; of equal keys the last counts.
  init(sorting unsorted: [Element]) {
    entries = unsorted
    guard !isSorted else { return }
    // Swift's sort keeps equal ones in their order.
    entries.sort { $0.key.bytesPrecede($1.key) }
    guard !isSorted else { return }
    var unique: [Element] = []
    unique.reserveCapacity(entries.count)
    for entry in entries {
      if let last = unique.last, last.key.hasSameBytes(as: entry.key) { unique.removeLast() }
      unique.append(entry)
    }
    entries = unique
  }

  private var isSorted: Bool {
    guard var previous = entries.first?.key else { return true }
    for index in 1..<entries.count {
      let key = entries[index].key
      guard previous.bytesPrecede(key) else { return false }
      previous = key
    }
    return true
  }

  /// The first position.
  public var startIndex: Int { 0 }
  /// The position behind the last one.
  public var endIndex: Int { entries.count }
  /// The entry at a position.
  public subscript(position: Int) -> Element { entries[position] }
  /// The keys.
  public var keys: some RandomAccessCollection<String> { entries.lazy.map(\.key) }

  /// The value for a key; nil if there is none.
  public subscript(key: String) -> PropertyListValue? {
    get {
      // With few keys it takes less time to look at each, as most differ in their first bytes.
      if entries.count <= 12 {
        for entry in entries where entry.key == key && entry.key.hasSameBytes(as: key) { return entry.value }
        return nil
      }
      let place = position(of: key)
      return place < entries.count && entries[place].key.hasSameBytes(as: key) ? entries[place].value : nil
    }
    set {
      let place = position(of: key)
      let isThere = place < entries.count && entries[place].key.hasSameBytes(as: key)
      switch (newValue, isThere) {
      case (let value?, true): entries[place].value = value
      case (let value?, false): entries.insert(Element(key: key, value: value), at: place)
      case (nil, true): entries.remove(at: place)
      case (nil, false): break
      }
    }
  }

  /// Where a key is, or would be.
  private func position(of key: String) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.bytesPrecede(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
