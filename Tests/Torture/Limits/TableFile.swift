// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A binary property list written down row by row, by a writer that shares nothing with the library's: rows may be
/// referred to, and share their bytes, in ways that no program writes.
struct TableFile {
  enum Row {
    case string(String)
    case data(Int)
    case integer(Int)
    case uid(Int)
    case array([Int])
    case dictionary([(key: Int, value: Int)])
    /// The bytes of another row.
    case same(Int)
  }

  private(set) var rows: [Row] = []

  /// Adds a row and returns its number.
  mutating func add(_ row: Row) -> Int {
    rows.append(row)
    return rows.count - 1
  }

  mutating func set(_ number: Int, to row: Row) { rows[number] = row }

  /// The file, with the row of a number on top.
  func data(top: Int) -> Data {
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
      case .string(let text): Self.head(0x50, text.utf8.count, &bytes); bytes += Array(text.utf8)
      case .data(let count): Self.head(0x40, count, &bytes); bytes += [UInt8](repeating: 7, count: count)
      case .integer(let value): bytes.append(0x13); Self.put(value, 8, &bytes)
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

  private static func width(_ value: Int) -> Int { value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : 4 }

  private static func head(_ marker: UInt8, _ count: Int, _ bytes: inout [UInt8]) {
    guard count >= 15 else { return bytes.append(marker | UInt8(count)) }
    bytes += [marker | 15, 0x12]
    put(count, 4, &bytes)
  }

  private static func put(_ value: Int, _ width: Int, _ bytes: inout [UInt8]) {
    for place in (0..<width).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
  }
}

/// A keyed archive written down object by object.
struct ArchiveFile {
  private(set) var table = TableFile()
  private var objects: [Int] = []
  private var texts: [String: Int] = [:]
  private var uids: [Int: Int] = [:]
  private var classes: [String: Int] = [:]

  init() { objects = [text("$null")] }

  /// The row of a string, one for each text.
  mutating func text(_ text: String) -> Int {
    if let row = texts[text] { return row }
    let row = table.add(.string(text))
    texts[text] = row
    return row
  }

  /// The row of a reference to an object.
  mutating func reference(_ uid: Int) -> Int {
    if let row = uids[uid] { return row }
    let row = table.add(.uid(uid))
    uids[uid] = row
    return row
  }

  /// A row that is no object.
  mutating func row(_ row: TableFile.Row) -> Int { table.add(row) }

  /// Adds an object in a row and returns its number.
  mutating func object(row: Int) -> Int {
    objects.append(row)
    return objects.count - 1
  }

  /// The number of the next object that is added.
  var nextUID: Int { objects.count }

  mutating func classUID(_ names: String...) -> Int {
    if let uid = classes[names[0]] { return uid }
    let list = row(.array(names.map { text($0) }))
    let uid = object(row: row(.dictionary([(text("$classname"), text(names[0])), (text("$classes"), list)])))
    classes[names[0]] = uid
    return uid
  }

  /// A dictionary of an object's keys and values, with its class.
  mutating func fields(_ classUID: Int, _ values: [(String, Int)]) -> Int {
    var pairs = values.map { (key: text($0.0), value: $0.1) }
    pairs.append((text("$class"), reference(classUID)))
    return row(.dictionary(pairs))
  }

  /// The file, with the object of a number under `root`.
  func data(root: Int) -> Data {
    var file = self
    let top = file.row(.dictionary([(file.text("root"), file.reference(root))]))
    let list = file.row(.array(file.objects))
    let whole = file.row(
      .dictionary([
        (file.text("$version"), file.row(.integer(100_000))), (file.text("$archiver"), file.text("NSKeyedArchiver")),
        (file.text("$top"), top), (file.text("$objects"), list),
      ]))
    return file.table.data(top: whole)
  }
}
