// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// All files that follow from one by a rule.
struct Mutation {
  private let base: [UInt8]
  private let kind: Kind
  let count: Int

  /// The names of rules.
  static let names: Set = [
    "truncate", "bitflip", "setbyte", "deletebyte", "dupbyte", "swap-offset-entries", "set-offset-entry", "set-uid",
  ]

  private enum Kind {
    case truncate
    case flipBit
    case setByte([UInt8])
    case deleteByte
    case doubleByte
    case swapOffsets(BinaryShape)
    case setOffset(BinaryShape)
    case setUID(BinaryShape)
  }

  init(_ rule: Manifest.Rule, of data: Data) throws {
    let base = [UInt8](data)
    self.base = base
    switch rule.mutate {
    case "truncate":
      kind = .truncate
      count = try rule.upto.map { try Self.end(of: $0, in: base, rule) } ?? base.count
    case "bitflip":
      kind = .flipBit
      count = base.count * 8
    case "setbyte":
      let values = rule.values ?? [0, 0x7F, 0x80, 0xFF]
      kind = .setByte(values)
      count = base.count * values.count
    case "deletebyte":
      kind = .deleteByte
      count = base.count
    case "dupbyte":
      kind = .doubleByte
      count = base.count
    case "swap-offset-entries":
      let shape = try BinaryShape(base)
      kind = .swapOffsets(shape)
      count = shape.objectCount * (shape.objectCount - 1) / 2
    case "set-offset-entry":
      let shape = try BinaryShape(base)
      kind = .setOffset(shape)
      count = shape.objectCount * (shape.tableStart - BinaryShape.headerCount)
    case "set-uid":
      let shape = try BinaryShape(base)
      kind = .setUID(shape)
      count = shape.uids.count * shape.objectCount
    default: throw Breach("rule '\(rule.id)': no mutation is called '\(rule.mutate)'")
    }
  }

  /// Where a text ends: prefixes that are shorter do not have all of it.
  private static func end(of text: String, in bytes: [UInt8], _ rule: Manifest.Rule) throws -> Int {
    let text = Array(text.utf8)
    var start = bytes.count - text.count
    while start >= 0, !bytes[start...].starts(with: text) { start -= 1 }
    guard start >= 0 else { throw Breach("rule '\(rule.id)': the base has no '\(rule.upto ?? "")'") }
    return start + text.count
  }

  subscript(number: Int) -> Data {
    var bytes = base
    switch kind {
    case .truncate: bytes.removeLast(base.count - number)
    case .flipBit: bytes[number / 8] ^= 1 << UInt8(number % 8)
    case .setByte(let values): bytes[number / values.count] = values[number % values.count]
    case .deleteByte: bytes.remove(at: number)
    case .doubleByte: bytes.insert(bytes[number], at: number)
    case .swapOffsets(let shape):
      // Pairs (1,0), (2,0), (2,1), (3,0) and so on.
      var (second, rest) = (1, number)
      while rest >= second {
        rest -= second
        second += 1
      }
      let (a, b) = (shape.offset(rest, in: base), shape.offset(second, in: base))
      shape.setOffset(rest, to: b, in: &bytes)
      shape.setOffset(second, to: a, in: &bytes)
    case .setOffset(let shape):
      let places = shape.tableStart - BinaryShape.headerCount
      shape.setOffset(number / places, to: BinaryShape.headerCount + number % places, in: &bytes)
    case .setUID(let shape):
      let uid = shape.uids[number / shape.objectCount]
      BinaryShape.put(number % shape.objectCount, uid.lowerBound, uid.count, in: &bytes)
    }
    return Data(bytes)
  }
}

/// Where offsets and UIDs of a sound binary property list are, read independently of the library under test.
struct BinaryShape {
  static let headerCount = 8

  let offsetSize: Int
  let objectCount: Int
  let tableStart: Int
  /// Where the numbers of UIDs are.
  private(set) var uids: [Range<Int>] = []

  init(_ bytes: [UInt8]) throws {
    let trailer = bytes.count - 32
    guard trailer > Self.headerCount, bytes.starts(with: Array("bplist".utf8)) else {
      throw Breach("a rule's base is no binary property list")
    }
    offsetSize = Int(bytes[trailer + 6])
    objectCount = Self.number(bytes, trailer + 8, 8)
    tableStart = Self.number(bytes, trailer + 24, 8)
    guard (1...8).contains(offsetSize), tableStart + objectCount * offsetSize <= trailer else {
      throw Breach("a rule's base has a damaged trailer")
    }
    for object in 0..<objectCount {
      let start = offset(object, in: bytes)
      guard bytes[start] & 0xF0 == 0x80 else { continue }
      uids.append(start + 1..<start + 2 + Int(bytes[start] & 0x0F))
    }
  }

  func offset(_ object: Int, in bytes: [UInt8]) -> Int {
    Self.number(bytes, tableStart + object * offsetSize, offsetSize)
  }

  func setOffset(_ object: Int, to value: Int, in bytes: inout [UInt8]) {
    Self.put(value, tableStart + object * offsetSize, offsetSize, in: &bytes)
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
    bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
  }

  static func put(_ value: Int, _ start: Int, _ count: Int, in bytes: inout [UInt8]) {
    for place in 0..<count { bytes[start + place] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - place))) }
  }
}
