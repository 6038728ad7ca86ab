// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Numbers for the contents of rows: equal contents have the same number, in one archive as well as in several.
///
/// Each row is read once, however many objects share it, so comparing whole archives takes time linear in their bytes.
struct RowContents {
  /// What counts as equal.
  enum Comparison {
    /// Everything that is stored.
    case exact
    /// The same, but for the order of keys.
    case anyKeyOrder
    /// The same, but for the order of keys and the numbers of objects that are referred to.
    case anyKeyOrderAndReferences
  }

  private enum Content: Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case wideInteger(Int128)
    /// The bits, because a number that is not a number is equal to nothing.
    case float(UInt32)
    case double(UInt64)
    case date(UInt64)
    case data(FullyHashedData)
    case string(BytewiseString)
    case reference(UInt64)
    case array([Int])
    case set([Int])
    /// Keys and values by turns.
    case dictionary([Int])
  }

  private let comparison: Comparison
  private var numbers: [Content: Int] = [:]

  init(comparing comparison: Comparison) { self.comparison = comparison }

  /// A number for each object of an archive, and a last one for what the top level holds.
  mutating func numbers(of archive: KeyedArchive) throws(KeyedArchiveError) -> (objects: [Int], top: Int) {
    var known: [ObjectRef: Int] = [:]
    var objects: [Int] = []
    objects.reserveCapacity(archive.objectCount)
    for number in 0..<UInt32(archive.objectCount) {
      objects.append(try self.number(of: archive.row(of: ArchiveUID(rawValue: number)), in: archive, &known))
    }
    return (objects, try number(of: archive.topRow, in: archive, &known))
  }

  private mutating func number(
    of row: ObjectRef, in archive: KeyedArchive, nesting: Int = 0, _ known: inout [ObjectRef: Int]
  ) throws(KeyedArchiveError) -> Int {
    if let number = known[row] { return number }
    guard nesting <= KeyedArchive.maximumNesting else { throw KeyedArchive.tooDeep() }
    let content: Content
    switch try archive.stored(row) {
    case .null: content = .null
    case .boolean(let value): content = .boolean(value)
    case .integer(let value): content = .integer(value)
    case .wideInteger(let value): content = .wideInteger(value)
    case .float(let value): content = .float(value.bitPattern)
    case .double(let value): content = .double(value.bitPattern)
    case .date(let value): content = .date(value.bitPattern)
    case .data(let value): content = .data(FullyHashedData(value))
    case .string(let value): content = .string(BytewiseString(value))
    case .uid(let number): content = .reference(comparison == .anyKeyOrderAndReferences ? 0 : number)
    case .array(let rows): content = .array(try numbers(of: rows, in: archive, nesting, &known))
    case .set(let rows): content = .set(try numbers(of: rows, in: archive, nesting, &known))
    case .dictionary(let keys, let values):
      let keys = try numbers(of: keys, in: archive, nesting, &known)
      let values = try numbers(of: values, in: archive, nesting, &known)
      var entries = Array(zip(keys, values))
      if comparison != .exact { entries.sort { $0 < $1 } }
      content = .dictionary(entries.flatMap { [$0.0, $0.1] })
    }
    let number = numbers[content] ?? numbers.count
    numbers[content] = number
    known[row] = number
    return number
  }

  private mutating func numbers(
    of rows: [ObjectRef], in archive: KeyedArchive, _ nesting: Int, _ known: inout [ObjectRef: Int]
  ) throws(KeyedArchiveError) -> [Int] {
    var numbers: [Int] = []
    numbers.reserveCapacity(rows.count)
    for row in rows { numbers.append(try number(of: row, in: archive, nesting: nesting + 1, &known)) }
    return numbers
  }
}
