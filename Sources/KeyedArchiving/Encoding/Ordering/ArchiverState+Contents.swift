// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

// Comparison of objects by their archived contents: negative if the first precedes the second, 0 if they do not differ.
// The result does not depend on the current numbers of objects, key layouts or texts.
extension ArchiverState {
  /// Returns the fields of an object; none for other entries.
  func fields(of uid: UInt32) -> Range<Int> {
    let entry = entries[Int(uid)]
    guard entry.kind == .object else { return 0..<0 }
    return entry.payload..<entry.payload + Int(trie.keyLayouts[entry.keyLayout].fieldCount)
  }

  /// Returns the positions in ``arrayElements`` of an array's elements.
  func elements(ofArray field: Int) -> Range<Int> {
    let start = Int(truncatingIfNeeded: fields[field] >> 32)
    return start..<start + Int(truncatingIfNeeded: fields[field] & 0xFFFF_FFFF)
  }

  /// Compares two objects' own contents: their values and the number of their references, but not the objects they
  /// refer to.
  func compareContents(_ a: UInt32, _ b: UInt32, _ ranks: KeyLayoutRanks) -> Int {
    let (first, second) = (entries[Int(a)], entries[Int(b)])
    if first.kind != second.kind { return first.kind.rawValue < second.kind.rawValue ? -1 : 1 }
    switch first.kind {
    case .null, .classRecord: return 0
    case .boolean: return first.payload - second.payload
    case .string, .data: return compare(UInt64(first.payload), UInt64(second.payload), first.kind)
    case .int8, .int16, .int32, .int64, .uint64, .float, .double:
      return compare(numberBits[first.payload], numberBits[second.payload], first.kind)
    case .decoded: return compareDecoded(first.payload, second.payload)
    case .object: break
    }
    let (rank, other) = (ranks[first.keyLayout], ranks[second.keyLayout])
    if rank != other { return rank < other ? -1 : 1 }
    for (field, counterpart) in zip(fields(of: a), fields(of: b)) {
      let order = compareFields(field, counterpart)
      if order != 0 { return order }
    }
    return 0
  }

  /// Sorts objects by their contents, with those without keys first.
  ///
  /// Objects are grouped by key layout before any are compared, which takes linear time. Where many objects are equal,
  /// so are those they refer to, and few are then out of order.
  /// - Returns: The ranges of equal objects.
  func sortByContents(_ uids: inout [UInt32], _ ranks: KeyLayoutRanks) -> [Range<Int>] {
    func group(_ uid: UInt32) -> Int {
      let entry = entries[Int(uid)]
      return entry.kind == .object ? Int(UInt8.max) + 1 + Int(ranks[entry.keyLayout]) : Int(entry.kind.rawValue)
    }
    var ends: [Int] = []
    for uid in uids {
      let group = group(uid)
      while ends.count <= group { ends.append(0) }
      ends[group] += 1
    }
    for group in ends.indices.dropFirst() { ends[group] += ends[group - 1] }
    var sorted = [UInt32](repeating: 0, count: uids.count)
    var positions = [0] + ends.dropLast()
    for uid in uids {
      let group = group(uid)
      sorted[positions[group]] = uid
      positions[group] += 1
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

  private func compareFields(_ a: Int, _ b: Int) -> Int {
    let kind = fieldKinds[a]
    if kind != fieldKinds[b] { return kind.rawValue < fieldKinds[b].rawValue ? -1 : 1 }
    let (first, second) = (fields[a], fields[b])
    switch kind {
    case .uid, .conditionalUID: return (first == 0 ? 0 : 1) - (second == 0 ? 0 : 1)
    case .array, .set, .keys, .values: return elements(ofArray: a).count - elements(ofArray: b).count
    case .text: return compare(first, second, .string)
    case .bytes: return compare(first, second, .data)
    case .decoded: return compareDecoded(Int(first), Int(second))
    case .float: return compare(first, second, .float)
    case .double: return compare(first, second, .double)
    case .uint64: return compare(first, second, .uint64)
    default: return compare(first, second, .int64)
    }
  }

  /// Compares decoded primitives: by value, then by row, which their file determines.
  private func compareDecoded(_ a: Int, _ b: Int) -> Int {
    let (first, second) = (decodedPrimitives[a], decodedPrimitives[b])
    if first.kind != second.kind {
      // Numbers come first. The raw values of strings and data are below those of numbers, and the subtraction wraps them
      // to above.
      let numbers = Entry.Kind.int8.rawValue
      return first.kind.rawValue &- numbers < second.kind.rawValue &- numbers ? -1 : 1
    }
    let order = compare(first.payload, second.payload, first.kind)
    if order != 0 { return order }
    let (row, other) = (first.identity & 0xFFFF_FFFF, second.identity & 0xFFFF_FFFF)
    return row == other ? 0 : row < other ? -1 : 1
  }

  /// Compares the bits of two numbers, or the texts or data with two indexes.
  private func compare(_ a: UInt64, _ b: UInt64, _ kind: Entry.Kind) -> Int {
    if a == b { return 0 }
    switch kind {
    case .string: return strings[Int(a)].compareBytes(to: strings[Int(b)])
    case .data: return data[Int(a)].span.compare(to: data[Int(b)].span)
    case .uint64: return a < b ? -1 : 1
    case .float: return a.inOrderOfReals(width: 32) < b.inOrderOfReals(width: 32) ? -1 : 1
    case .double: return a.inOrderOfReals(width: 64) < b.inOrderOfReals(width: 64) ? -1 : 1
    default: return Int64(bitPattern: a) < Int64(bitPattern: b) ? -1 : 1
    }
  }

  /// Compares two objects by their contents and those of nearby objects.
  ///
  /// References are followed in order, up to the depth ``nearness`` and the number ``allowance``. Each object is thus
  /// compared by a sequence of contents that only depends on it.
  func compareNearby(_ a: UInt32, _ b: UInt32, _ ranks: KeyLayoutRanks) -> Int {
    var allowance = Self.allowance
    return compareNearby(a, b, ranks, depth: Self.nearness, &allowance)
  }

  private static var nearness: Int { 2 }
  private static var allowance: Int { 64 }

  private func compareNearby(
    _ a: UInt32, _ b: UInt32, _ ranks: KeyLayoutRanks, depth: Int, _ allowance: inout Int
  ) -> Int {
    // An object that both refer to counts too, because it counts in comparisons with other objects.
    allowance -= 1
    let order = a == b ? 0 : compareContents(a, b, ranks)
    guard order == 0, depth > 0 else { return order }
    for (field, counterpart) in zip(fields(of: a), fields(of: b)) {
      switch fieldKinds[field] {
      case .uid:
        guard allowance > 0 else { return 0 }
        let order = compareNearby(
          UInt32(truncatingIfNeeded: fields[field]), UInt32(truncatingIfNeeded: fields[counterpart]), ranks,
          depth: depth - 1, &allowance)
        if order != 0 { return order }
      case .array:
        for (element, other) in zip(elements(ofArray: field), elements(ofArray: counterpart)) {
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
