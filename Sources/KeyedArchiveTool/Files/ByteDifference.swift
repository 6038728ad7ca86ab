// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// Where a file and the same file written anew part, in terms of the file.
struct ByteDifference {
  enum Part: String {
    case header, object
    case offsetTable = "offset table"
    case trailer
  }

  /// The first byte that differs.
  let byte: Int
  /// Its line, in an XML file.
  private(set) var line: Int?
  /// Its part of a binary file.
  private(set) var part: Part?
  /// The row of the object table whose bytes it is among.
  private(set) var row: ObjectRef?
  /// The kind of that row.
  private(set) var kind: String?
  /// That row's number in `$objects`, if it has one.
  private(set) var object: Int?

  /// Nil if there is no difference.
  init?(_ old: Data, _ new: Data, in list: PropertyList) {
    guard old != new else { return nil }
    byte = Self.firstDifference(old, new)
    guard list.format == .binary else {
      line = old.prefix(byte).count { $0 == UInt8(ascii: "\n") } + 1
      return
    }
    switch byte {
    case ..<BinaryLayout.headerLength: part = .header
    case ..<list.table.objectsEnd: locateObject(old, list)
    case ..<(old.count - BinaryLayout.trailerLength): part = .offsetTable
    default: part = .trailer
    }
  }

  private static func firstDifference(_ a: Data, _ b: Data) -> Int {
    let (a, b) = (a.span, b.span)
    let length = min(a.count, b.count)
    var at = 0
    while at < length, a[at] == b[at] { at += 1 }
    return at
  }

  private mutating func locateObject(_ bytes: Data, _ list: PropertyList) {
    part = .object
    let span = bytes.span
    var best = -1
    for index in 0..<UInt32(list.objectCount) {
      let ref = ObjectRef(rawValue: index)
      guard let offset = try? list.table.offset(of: ref, in: span), offset <= byte, offset > best else { continue }
      best = offset
      row = ref
    }
    guard let row else { return }
    kind = (try? list.object(row))?.kindName
    guard case .dictionary(let keys, let values)? = try? list.object(list.top) else { return }
    for (key, value) in zip(keys, values) {
      // Keys may be long, and one of them stand there a million times.
      guard let item = try? list.table.item(key, in: span), list.table.isString(item, "$objects", in: span),
        case .array(let refs)? = try? list.object(value)
      else { continue }
      object = refs.firstIndex(of: row)
      return
    }
  }

  /// The place in words.
  var text: String {
    var text = "the file and what was written part at byte \(byte)"
    if let line { text += ", line \(line)" }
    if let part, part != .object { text += ", in the \(part.rawValue)" }
    if let row, let kind { text += ", in row \(row.rawValue), of kind \(kind)" }
    if let object { text += ", which is object #\(object)" }
    return text
  }
}
