// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation

/// A property list written down value by value, and turned into bytes by a writer that shares nothing with the library's:
/// each value is an object of its own, references have four bytes and offsets eight.
public indirect enum HandmadeList: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, Sendable
{
  /// A string.
  case string(String)
  /// An integer of 8 bytes.
  case integer(Int64)
  /// A real of 8 bytes.
  case real(Double)
  /// A boolean.
  case boolean(Bool)
  /// Bytes.
  case data([UInt8])
  /// A UID of 8 bytes.
  case uid(UInt64)
  /// An array.
  case array([HandmadeList])
  /// A dictionary, which may hold a key twice.
  case dictionary([(String, HandmadeList)])
  /// The bytes of an object, marker included.
  case raw([UInt8])

  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A real.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// An array.
  public init(arrayLiteral elements: HandmadeList...) { self = .array(elements) }
  /// A dictionary.
  public init(dictionaryLiteral elements: (String, HandmadeList)...) { self = .dictionary(elements) }

  /// The list as a binary file.
  public var binary: Data {
    var objects: [[UInt8]] = []
    add(to: &objects)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += Self.bigEndian(UInt64(offset), 8) }
    bytes += [0, 0, 0, 0, 0, 0, 8, 4]
    bytes += Self.bigEndian(UInt64(objects.count), 8) + Self.bigEndian(0, 8) + Self.bigEndian(UInt64(table), 8)
    return Data(bytes)
  }

  /// A keyed archive of these objects, with `root` on top. The first object is number 1.
  public static func archive(_ objects: [HandmadeList], top: [(String, HandmadeList)] = [("root", .uid(1))]) -> Data {
    HandmadeList.dictionary([
      ("$version", 100_000), ("$archiver", "NSKeyedArchiver"), ("$top", .dictionary(top)),
      ("$objects", .array(["$null"] + objects)),
    ]).binary
  }

  /// A class record.
  public static func classRecord(_ names: String...) -> HandmadeList {
    ["$classname": .string(names[0]), "$classes": .array(names.map { .string($0) })]
  }

  @discardableResult
  private func add(to objects: inout [[UInt8]]) -> Int {
    let number = objects.count
    objects.append([])
    switch self {
    case .string(let text):
      let units = Array(text.utf16)
      let isASCII = units.allSatisfy { $0 < 0x80 }
      let content = isASCII ? units.map { UInt8($0) } : units.flatMap { Self.bigEndian(UInt64($0), 2) }
      objects[number] = Self.head(isASCII ? 0x50 : 0x60, units.count) + content
    case .integer(let value): objects[number] = [0x13] + Self.bigEndian(UInt64(bitPattern: value), 8)
    case .real(let value): objects[number] = [0x23] + Self.bigEndian(value.bitPattern, 8)
    case .boolean(let value): objects[number] = [value ? 9 : 8]
    case .data(let bytes): objects[number] = Self.head(0x40, bytes.count) + bytes
    case .uid(let value): objects[number] = [0x87] + Self.bigEndian(value, 8)
    case .raw(let bytes): objects[number] = bytes
    case .array(let elements):
      let refs = elements.map { $0.add(to: &objects) }
      objects[number] = Self.head(0xA0, refs.count) + refs.flatMap { Self.bigEndian(UInt64($0), 4) }
    case .dictionary(let pairs):
      let keys = pairs.map { HandmadeList.string($0.0).add(to: &objects) }
      let values = pairs.map { $0.1.add(to: &objects) }
      objects[number] = Self.head(0xD0, pairs.count) + (keys + values).flatMap { Self.bigEndian(UInt64($0), 4) }
    }
    return number
  }

  private static func head(_ marker: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [marker | UInt8(count)] : [marker | 15, 0x12] + bigEndian(UInt64(count), 4)
  }

  private static func bigEndian(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - $0))) }
  }
}
