// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The recorded values that the writer has not read yet.
///
/// It reads each value once, approximately in the order of recording: an object precedes its children in the file, and follows
/// them among the fields. The memory of a part is discarded as soon as all of the part is read. So the recorded values
/// shrink while the output grows.
struct UnreadValues: ~Copyable {
  private var entries: UnreadParts
  private var fields: UnreadParts
  private var elements: UnreadParts
  private var numbers: UnreadParts

  init(_ state: borrowing ArchiverState) {
    entries = UnreadParts(state.entries.count)
    fields = UnreadParts(state.fields.count)
    elements = UnreadParts(state.arrayElements.count)
    numbers = UnreadParts(state.numberBits.count)
  }

  /// Removes entries that are written, and their values.
  mutating func remove(_ range: Range<Int>, of state: borrowing ArchiverState) {
    for index in range {
      let entry = state.entries[index]
      switch entry.kind {
      case .object:
        let first = entry.payload
        let count = Int(state.trie.keyLayouts[entry.keyLayout].fieldCount)
        for field in first..<first &+ count where state.fieldKinds[field] == .array {
          let payload = state.fields[field]
          elements.remove(Int(truncatingIfNeeded: payload >> 32), Int(truncatingIfNeeded: payload & 0xFFFF_FFFF))
        }
        fields.remove(first, count)
      case .int8, .int16, .int32, .int64, .uint64, .float, .double: numbers.remove(entry.payload, 1)
      case .null, .string, .boolean, .data, .decoded, .classRecord: break
      }
    }
    entries.remove(range.lowerBound, range.count)
  }

  /// Discards the parts that were read.
  mutating func discardRead(in state: inout ArchiverState) {
    while let part = entries.popRead(of: state.entries.count) { state.entries.discard(part) }
    while let part = elements.popRead(of: state.arrayElements.count) { state.arrayElements.discard(part) }
    while let part = numbers.popRead(of: state.numberBits.count) { state.numberBits.discard(part) }
    while let part = fields.popRead(of: state.fields.count) {
      state.fields.discard(part)
      state.fieldKinds.discard(part)
    }
  }
}

/// The parts of an array, each of which is read once, with the number of their unread elements.
struct UnreadParts: ~Copyable {
  /// The number of elements of a part, except for the last one.
  static let size = 1 << shift
  private static let shift = 13

  private var counts = TrivialArray<Int32>()
  /// The parts that are read, and were not returned by ``popRead(of:)``.
  private var read = TrivialArray<Int32>()

  init(_ count: Int) {
    for start in stride(from: 0, to: count, by: Self.size) {
      counts.append(Int32(truncatingIfNeeded: min(Self.size, count - start)))
    }
  }

  /// Removes elements that were read.
  @inline(__always)
  mutating func remove(_ start: Int, _ count: Int) {
    var first = start
    let end = start &+ count
    while first < end {
      let part = first >> Self.shift
      let next = min(end, (part &+ 1) << Self.shift)
      counts[part] &-= Int32(truncatingIfNeeded: next &- first)
      if counts[part] == 0 { read.append(Int32(truncatingIfNeeded: part)) }
      first = next
    }
  }

  /// Removes a part that was read, and returns the range of its elements in an array of `count` elements.
  mutating func popRead(of count: Int) -> Range<Int>? {
    guard let part = read.popLast() else { return nil }
    let first = Int(part) << Self.shift
    return first..<min(count, first &+ Self.size)
  }
}
