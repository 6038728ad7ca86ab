// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Numbers for the contents of rows. Equal contents have the same number, within an archive and across archives.
///
/// Each row is read once, however many objects share it, so comparing whole archives takes linear time. Rows may share bytes
/// of the file, so the archive's budget is charged for each.
struct RowContents {
  /// The criteria for equality.
  enum Comparison {
    /// Equal in everything that is stored.
    case exact
    /// Equal except for the order of keys.
    case anyKeyOrder
    /// Equal except for the order of keys and the UIDs of references.
    case anyKeyOrderAndReferences
  }

  private enum Content: Hashable {
    /// A value of up to 8 bytes, by its bits, because NaN is not equal to itself.
    case bits(BinaryItem.Kind, UInt64)
    /// An integer of 16 bytes, which differs from an equal shorter one.
    case wideInteger(WideInteger)
    case data(FullyHashedData)
    case string(BytewiseString)
    /// The numbers of a container's elements, or of a dictionary's keys and values alternately.
    case container(BinaryItem.Kind, [Int])
  }

  private let comparison: Comparison
  private var numbers: [Content: Int] = [:]

  init(comparing comparison: Comparison) { self.comparison = comparison }

  /// Returns the numbers of an archive's objects and of its `$top`.
  mutating func numbers(of archive: KeyedArchive) throws(KeyedArchiveError) -> (objects: [Int], top: Int) {
    var known = Known(budget: archive.budget)
    var objects: [Int] = []
    objects.reserveCapacity(archive.objectCount)
    for number in 0..<UInt32(archive.objectCount) {
      objects.append(try self.number(of: archive.row(of: ArchiveUID(rawValue: number)), in: archive, &known))
    }
    return (objects, try number(of: archive.topRow, in: archive, &known))
  }

  /// The numbers of an archive's rows that were read, and the budget for the others.
  private struct Known {
    var numbers: [ObjectRef: Int] = [:]
    var budget: ExpansionBudget
  }

  private mutating func number(
    of row: ObjectRef, in archive: KeyedArchive, nesting: Int = 0, _ known: inout Known
  ) throws(KeyedArchiveError) -> Int {
    if let number = known.numbers[row] { return number }
    guard nesting <= KeyedArchive.maximumNesting else { throw KeyedArchive.tooDeep() }
    let stored = try archive.stored(row)
    try archive.spend(stored.weight, &known.budget)
    let kind = stored.itemKind
    let content: Content
    switch stored {
    case .null, .boolean: content = .bits(kind, 0)
    case .integer(let value): content = .bits(kind, UInt64(bitPattern: value))
    case .wideInteger(let high, let low): content = .wideInteger(WideInteger(high: high, low: low))
    case .float(let value): content = .bits(kind, UInt64(value.bitPattern))
    case .double(let value), .date(let value): content = .bits(kind, value.bitPattern)
    case .uid(let number): content = .bits(kind, comparison == .anyKeyOrderAndReferences ? 0 : number)
    case .data(let value): content = .data(FullyHashedData(value))
    case .string(let value): content = .string(BytewiseString(value))
    case .array(let rows), .set(let rows):
      content = .container(kind, try numbers(of: rows, in: archive, nesting, &known))
    case .dictionary(let keys, let values):
      let keys = try numbers(of: keys, in: archive, nesting, &known)
      let values = try numbers(of: values, in: archive, nesting, &known)
      var entries = Array(zip(keys, values))
      if comparison != .exact { entries.sort { $0 < $1 } }
      content = .container(kind, entries.flatMap { [$0.0, $0.1] })
    }
    // Long contents are hashed once.
    let next = numbers.count
    let number = Self.value(of: &numbers[content, default: next])
    known.numbers[row] = number
    return number
  }

  /// Returns the value of an entry, which is added by the access if it is absent.
  private static func value(of entry: inout Int) -> Int { entry }

  private mutating func numbers(
    of rows: [ObjectRef], in archive: KeyedArchive, _ nesting: Int, _ known: inout Known
  ) throws(KeyedArchiveError) -> [Int] {
    var numbers: [Int] = []
    numbers.reserveCapacity(rows.count)
    for row in rows { numbers.append(try number(of: row, in: archive, nesting: nesting + 1, &known)) }
    return numbers
  }
}
