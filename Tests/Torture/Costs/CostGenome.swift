// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
@_spi(Archiving) import PropertyListFormat

/// A property list as rows that may be changed at random, and is still one that a reader comes far into.
struct CostGenome {
  var rows: [TableFile.Row]
  private(set) var top: Int
  /// The row of `$objects`, if the list is an archive.
  private(set) var objects: Int?

  /// The rows of a binary property list; nil for bytes that are none. What no archive holds becomes a number.
  init?(_ data: Data) {
    guard let list = try? PropertyList(data), list.format == .binary, list.objectCount < 1 << 20 else { return nil }
    rows = []
    top = list.top.index
    var rowOfContent: [Int: Int] = [:]
    for index in 0..<list.objectCount {
      let ref = ObjectRef(rawValue: UInt32(index))
      guard let item = try? list.storedItem(ref), let object = try? list.object(ref) else { return nil }
      // Numbers below 16 have their content in the marker; they take no more room than a reference to another.
      if item.count > 0, let same = rowOfContent[item.content] {
        rows.append(.same(same))
        continue
      }
      rowOfContent[item.content] = index
      switch object {
      case .string(let text): rows.append(.string(text))
      case .data(let bytes): rows.append(.data(bytes.count))
      case .integer(let value): rows.append(.integer(Int(value)))
      case .float(let value): rows.append(.real(Double(value)))
      case .double(let value): rows.append(.real(value))
      case .date(let value): rows.append(.date(value))
      case .boolean(let value): rows.append(.boolean(value))
      case .uid(let uid): rows.append(.uid(Int(clamping: uid)))
      case .array(let elements), .set(let elements): rows.append(.array(elements.map(\.index)))
      case .dictionary(let keys, let values):
        rows.append(.dictionary(zip(keys, values).map { ($0.index, $1.index) }))
      default: rows.append(.integer(index))
      }
    }
    if case .dictionary(let pairs) = rows[top] {
      for pair in pairs {
        if case .string("$objects") = rows[pair.key], case .array = rows[pair.value] { objects = pair.value }
      }
    }
  }

  /// The list as a file.
  var data: Data {
    var file = TableFile()
    for row in rows { _ = file.add(row) }
    return file.data(top: top)
  }

  /// Replaces the rows by others, which have new numbers.
  mutating func renumber(_ kept: [TableFile.Row], _ numbers: [Int]) {
    rows = kept.map { row in
      switch row {
      case .array(let elements): .array(elements.map { numbers[$0] })
      case .dictionary(let pairs): .dictionary(pairs.map { (numbers[$0.key], numbers[$0.value]) })
      case .same(let other): .same(numbers[other])
      default: row
      }
    }
    top = numbers[top]
    objects = objects.map { numbers[$0] }
  }
}
