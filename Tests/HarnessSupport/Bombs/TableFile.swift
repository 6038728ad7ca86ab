// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A binary property list written down row by row, by a writer that shares nothing with the library's: rows may be
/// referred to, and share their bytes, in ways that no program writes.
package struct TableFile {
  /// What a row holds; rows are named by their numbers.
  package enum Row {
    /// A string, in ASCII if it can be.
    case string(String)
    /// A number of bytes ``TableFile/fill``.
    case data(Int)
    case bytes([UInt8])
    case integer(Int)
    case boolean(Bool)
    case real(Double)
    case date(Double)
    case uid(Int)
    case array([Int])
    case dictionary([(key: Int, value: Int)])
    /// The bytes of another row.
    case same(Int)
  }

  /// The byte with which data is filled.
  package static let fill: UInt8 = 7

  private var rows: [Row] = []

  /// Makes an empty file.
  package init() {}

  /// Adds a row and returns its number.
  package mutating func add(_ row: Row) -> Int {
    rows.append(row)
    return rows.count - 1
  }

  /// The file, with the row of a number on top. Mutating, so that rows may be added in the argument.
  package mutating func data(top: Int) -> Data {
    let width = Self.width(rows.count)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for row in rows {
      if case .same(let other) = row {
        offsets.append(offsets[other])
        continue
      }
      offsets.append(bytes.count)
      switch row {
      case .string(let text): Self.put(text, &bytes)
      case .data(let count): Self.head(0x40, count, &bytes); bytes += [UInt8](repeating: Self.fill, count: count)
      case .bytes(let content): Self.head(0x40, content.count, &bytes); bytes += content
      case .integer(let value): bytes.append(0x13); Self.put(value, 8, &bytes)
      case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
      case .real(let value): bytes.append(0x23); Self.put(value.bitPattern, &bytes)
      case .date(let value): bytes.append(0x33); Self.put(value.bitPattern, &bytes)
      case .uid(let value): bytes.append(0x83); Self.put(value, 4, &bytes)
      case .array(let elements):
        Self.head(0xA0, elements.count, &bytes)
        for element in elements { Self.put(element, width, &bytes) }
      case .dictionary(let pairs):
        Self.head(0xD0, pairs.count, &bytes)
        for pair in pairs { Self.put(pair.key, width, &bytes) }
        for pair in pairs { Self.put(pair.value, width, &bytes) }
      case .same: break
      }
    }
    let table = bytes.count
    let offsetWidth = Self.width(table)
    for offset in offsets { Self.put(offset, offsetWidth, &bytes) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(width)]
    Self.put(rows.count, 8, &bytes)
    Self.put(top, 8, &bytes)
    Self.put(table, 8, &bytes)
    return Data(bytes)
  }

  private static func put(_ text: String, _ bytes: inout [UInt8]) {
    let units = Array(text.utf16)
    let isASCII = units.allSatisfy { $0 < 0x80 }
    head(isASCII ? 0x50 : 0x60, units.count, &bytes)
    for unit in units { put(Int(unit), isASCII ? 1 : 2, &bytes) }
  }

  private static func width(_ value: Int) -> Int { value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : 4 }

  private static func head(_ marker: UInt8, _ count: Int, _ bytes: inout [UInt8]) {
    guard count >= 15 else { return bytes.append(marker | UInt8(count)) }
    bytes += [marker | 15, 0x12]
    put(count, 4, &bytes)
  }

  private static func put(_ bits: UInt64, _ bytes: inout [UInt8]) { put(Int(truncatingIfNeeded: bits), 8, &bytes) }

  private static func put(_ value: Int, _ width: Int, _ bytes: inout [UInt8]) {
    // A loop over a range takes much longer without optimization.
    var shift = 8 * (width - 1)
    while shift >= 0 {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      shift -= 8
    }
  }
}
