// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

// Objects compared by what is archived of them: negative if the first comes first, 0 if nothing tells them apart. Nothing
// here depends on the numbers that objects, shapes or texts have so far.
extension ArchiverState {
  /// The slots of an object; none for anything else.
  func slots(of uid: UInt32) -> Range<Int> {
    let entry = entries[Int(uid)]
    guard entry.kind == .object else { return 0..<0 }
    return entry.payload..<entry.payload + Int(tree.shapes[entry.shape].slotCount)
  }

  /// The places of the elements of an array among ``arrayElements``.
  func elements(ofArray slot: Int) -> Range<Int> {
    let start = Int(truncatingIfNeeded: slots[slot] >> 32)
    return start..<start + Int(truncatingIfNeeded: slots[slot] & 0xFFFF_FFFF)
  }

  /// Compares what two objects hold themselves: values and how many references, but not what these lead to.
  func compareContents(_ a: UInt32, _ b: UInt32, _ ranks: ShapeRanks) -> Int {
    let (first, second) = (entries[Int(a)], entries[Int(b)])
    if first.kind != second.kind { return first.kind.rawValue < second.kind.rawValue ? -1 : 1 }
    switch first.kind {
    case .null, .classRecord: return 0
    case .boolean: return first.payload - second.payload
    case .string: return compareTexts(first.payload, second.payload)
    case .data: return compareData(first.payload, second.payload)
    case .int8, .int16, .int32, .int64, .uint64, .float, .double:
      return Self.compare(numberBits[first.payload], numberBits[second.payload], first.kind)
    case .readValue: return compareReadValues(first.payload, second.payload)
    case .object: break
    }
    let (rank, other) = (ranks[first.shape], ranks[second.shape])
    if rank != other { return rank < other ? -1 : 1 }
    for (slot, counterpart) in zip(slots(of: a), slots(of: b)) {
      let order = compareSlots(slot, counterpart)
      if order != 0 { return order }
    }
    return 0
  }

  /// Puts objects in ascending order of their contents, those without keys first, and returns the ranges of those that
  /// are alike.
  ///
  /// Objects of one shape are put together before any are compared, which is linear. Where many objects are alike so are
  /// those that they refer to, so that few are then out of order.
  func sortByContents(_ uids: inout [UInt32], _ ranks: ShapeRanks) -> [Range<Int>] {
    func group(_ uid: UInt32) -> Int {
      let entry = entries[Int(uid)]
      return entry.kind == .object ? Int(UInt8.max) + 1 + Int(ranks[entry.shape]) : Int(entry.kind.rawValue)
    }
    var ends: [Int] = []
    for uid in uids {
      let group = group(uid)
      while ends.count <= group { ends.append(0) }
      ends[group] += 1
    }
    for group in ends.indices.dropFirst() { ends[group] += ends[group - 1] }
    var sorted = [UInt32](repeating: 0, count: uids.count)
    var places = [0] + ends.dropLast()
    for uid in uids {
      let group = group(uid)
      sorted[places[group]] = uid
      places[group] += 1
    }
    uids = sorted
    var runs: [Range<Int>] = []
    var start = 0
    for end in ends where end > start {
      runs += uids[start..<end].sortIntoRuns { compareContents($0, $1, ranks) }
      start = end
    }
    return runs
  }

  private func compareSlots(_ a: Int, _ b: Int) -> Int {
    let kind = slotKinds[a]
    if kind != slotKinds[b] { return kind.rawValue < slotKinds[b].rawValue ? -1 : 1 }
    let (first, second) = (slots[a], slots[b])
    switch kind {
    case .uid, .conditionalUID: return (first == 0 ? 0 : 1) - (second == 0 ? 0 : 1)
    case .array, .set, .keys, .values: return elements(ofArray: a).count - elements(ofArray: b).count
    case .text: return compareTexts(Int(first), Int(second))
    case .bytes: return compareData(Int(first), Int(second))
    case .readValue: return compareReadValues(Int(first), Int(second))
    case .float: return Self.compare(first, second, .float)
    case .double: return Self.compare(first, second, .double)
    case .uint64: return Self.compare(first, second, .uint64)
    default: return Self.compare(first, second, .int64)
    }
  }

  private func compareTexts(_ a: Int, _ b: Int) -> Int { strings[a].utf8.span.compare(strings[b].utf8.span) }

  private func compareData(_ a: Int, _ b: Int) -> Int { data[a].span.compare(data[b].span) }

  /// Compares values that were read, last by the rows they came from: the file that they were read from decides these.
  private func compareReadValues(_ a: Int, _ b: Int) -> Int {
    let (first, second) = (readValues[a], readValues[b])
    if first.kind != second.kind { return first.kind.rawValue < second.kind.rawValue ? -1 : 1 }
    let order =
      switch first.kind {
      case .string: compareTexts(Int(first.payload), Int(second.payload))
      case .data: compareData(Int(first.payload), Int(second.payload))
      case .integer: Self.compare(first.payload, second.payload, .int64)
      case .wideInteger: Self.compare(first.payload, second.payload, .uint64)
      case .float: Self.compare(first.payload, second.payload, .float)
      case .double: Self.compare(first.payload, second.payload, .double)
      }
    if order != 0 { return order }
    let (row, other) = (first.identity & 0xFFFF_FFFF, second.identity & 0xFFFF_FFFF)
    return row == other ? 0 : row < other ? -1 : 1
  }

  private static func compare(_ a: UInt64, _ b: UInt64, _ kind: Entry.Kind) -> Int {
    if a == b { return 0 }
    let isBefore =
      switch kind {
      case .uint64: a < b
      case .float: a.inOrderOfReals(width: 32) < b.inOrderOfReals(width: 32)
      case .double: a.inOrderOfReals(width: 64) < b.inOrderOfReals(width: 64)
      default: Int64(bitPattern: a) < Int64(bitPattern: b)
      }
    return isBefore ? -1 : 1
  }

  /// Compares two objects by what they and the objects near them hold. It follows references in their order as deep as
  /// ``nearness`` and as many as ``allowance``, so each object is compared by a sequence of contents that only depends on it.
  func compareNearby(_ a: UInt32, _ b: UInt32, _ ranks: ShapeRanks) -> Int {
    var allowance = Self.allowance
    return compareNearby(a, b, ranks, depth: Self.nearness, &allowance)
  }

  private static var nearness: Int { 2 }
  private static var allowance: Int { 64 }

  private func compareNearby(
    _ a: UInt32, _ b: UInt32, _ ranks: ShapeRanks, depth: Int, _ allowance: inout Int
  ) -> Int {
    // What both refer to is the same; it still counts, for it counts where it is compared with another.
    allowance -= 1
    let order = a == b ? 0 : compareContents(a, b, ranks)
    guard order == 0, depth > 0 else { return order }
    for (slot, counterpart) in zip(slots(of: a), slots(of: b)) {
      switch slotKinds[slot] {
      case .uid:
        guard allowance > 0 else { return 0 }
        let order = compareNearby(
          UInt32(truncatingIfNeeded: slots[slot]), UInt32(truncatingIfNeeded: slots[counterpart]), ranks,
          depth: depth - 1, &allowance)
        if order != 0 { return order }
      case .array:
        for (element, other) in zip(elements(ofArray: slot), elements(ofArray: counterpart)) {
          guard allowance > 0 else { return 0 }
          let order = compareNearby(
            arrayElements[element], arrayElements[other], ranks, depth: depth - 1, &allowance)
          if order != 0 { return order }
        }
      default: break
      }
    }
    return 0
  }
}
