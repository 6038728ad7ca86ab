// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A dictionary of a property list, in the order of its keys' bytes.
///
/// Keys are equal if their bytes are equal. A precomposed letter and a letter followed by a combining accent are two
/// keys, as they are in the file. A lookup takes logarithmic time. Inserting a key takes linear time, so create a large
/// dictionary at once with ``init(_:)``.
public struct PropertyListDictionary: Hashable, Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
  /// A key with its value.
  public struct Element: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The value.
    public var value: PropertyListValue

    /// Creates an element.
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value.
    @inline(__always)
    public init(key: String, value: PropertyListValue) {
      self.key = key
      self.value = value
    }

    /// Returns whether two elements have the same bytes in their keys, and equal values.
    /// - Parameters:
    ///   - a: An element.
    ///   - b: Another element.
    /// - Returns: Whether the elements are equal.
    public static func == (a: Self, b: Self) -> Bool { a.key.hasSameBytes(as: b.key) && a.value == b.value }

    /// Hashes the key's bytes and the value.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(BytewiseString(key))
      hasher.combine(value)
    }
  }

  private var entries: [Element]

  /// Creates an empty dictionary.
  public init() { entries = [] }

  /// Creates a dictionary from keys and values in any order.
  /// - Parameter pairs: The keys and values. If keys are equal, the last one counts.
  public init(_ pairs: some Sequence<(String, PropertyListValue)>) {
    self.init(sorting: pairs.map { Element(key: $0.0, value: $0.1) })
  }

  /// Creates a dictionary from a literal.
  /// - Parameter elements: The keys and values. If keys are equal, the last one counts.
  public init(dictionaryLiteral elements: (String, PropertyListValue)...) { self.init(elements) }

  /// Creates a dictionary from elements in any order. If keys are equal, the last one counts.
  package init(sorting unsorted: [Element]) {
    entries = unsorted
    sort()
  }

  /// Creates an empty dictionary for elements that ``append(_:)`` adds.
  init(capacity: Int) {
    entries = []
    entries.reserveCapacity(capacity)
  }

  /// Adds an element after the others, whatever its key is. Only ``sort()`` may be called next, or another `append(_:)`.
  @inline(__always)
  mutating func append(_ element: Element) { entries.append(element) }

  /// Sorts the elements by the bytes of their keys, after ``append(_:)``. If keys are equal, the last one counts.
  mutating func sort() {
    guard !isSorted else { return }
    // The sorts are stable, so the last of equal keys stays the last. The standard library's allocates memory.
    if entries.count <= 12 {
      for end in 1..<entries.count {
        var index = end
        while index > 0, entries[index].key.bytesPrecede(entries[index &- 1].key) {
          entries.swapAt(index, index &- 1)
          index &-= 1
        }
      }
    } else {
      entries.sort { $0.key.bytesPrecede($1.key) }
    }
    guard !isSorted else { return }
    var unique: [Element] = []
    unique.reserveCapacity(entries.count)
    for entry in entries {
      if let last = unique.last, last.key.hasSameBytes(as: entry.key) { unique.removeLast() }
      unique.append(entry)
    }
    entries = unique
  }

  /// Returns whether two dictionaries share their memory, so that they are equal.
  func isCopy(of other: Self) -> Bool { entries.isCopy(of: other.entries) }

  private var isSorted: Bool {
    for index in entries.indices.dropFirst() where !entries[index &- 1].key.bytesPrecede(entries[index].key) {
      return false
    }
    return true
  }

  /// A key with too many combining marks in a row to be hashed by Swift's rules.
  var unhashableKey: String? {
    for index in entries.indices where !MarkRun.isBounded(entries[index].key) { return entries[index].key }
    return nil
  }

  /// The position of the first element.
  public var startIndex: Int { 0 }
  /// The position after the last element.
  public var endIndex: Int { entries.count }
  /// The element at a position.
  /// - Parameter position: The position.
  /// - Returns: The element.
  public subscript(position: Int) -> Element { entries[position] }
  /// The keys, in the order of their bytes.
  public var keys: some RandomAccessCollection<String> { entries.lazy.map(\.key) }

  /// The value for a key. Setting nil removes the key.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if the dictionary does not contain the key.
  public subscript(key: String) -> PropertyListValue? {
    get {
      // For a few keys a linear search is faster, because most keys differ in their first bytes.
      if entries.count <= 12 {
        for index in entries.indices where entries[index].key.hasSameBytes(as: key) { return entries[index].value }
        return nil
      }
      let (index, isPresent) = position(of: key)
      return isPresent ? entries[index].value : nil
    }
    set {
      switch (newValue, position(of: key)) {
      case (let value?, (let index, true)): entries[index].value = value
      case (let value?, (let index, false)): entries.insert(Element(key: key, value: value), at: index)
      case (nil, (let index, true)): entries.remove(at: index)
      case (nil, (_, false)): break
      }
    }
  }

  /// Returns the position of a key, or the position at which to insert it.
  private func position(of key: String) -> (index: Int, isPresent: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.bytesPrecede(key) { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && entries[low].key.hasSameBytes(as: key))
  }
}
