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
    var offsets: [UInt8] = []
    for object in objects {
      Self.put(UInt64(bytes.count), 8, &offsets)
      bytes += object
    }
    let table = UInt64(bytes.count)
    bytes += offsets
    bytes += [0, 0, 0, 0, 0, 0, 8, 4]
    for value in [UInt64(objects.count), 0, table] { Self.put(value, 8, &bytes) }
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
    var bytes: [UInt8] = []
    switch self {
    case .string(let text):
      // Any other character has more bytes in UTF-8 than units in UTF-16.
      let isASCII = text.utf8.count == text.utf16.count
      Self.head(isASCII ? 0x50 : 0x60, text.utf16.count, &bytes)
      // Without optimization, a loop takes much longer than a conversion.
      bytes += isASCII ? Array(text.utf8) : [UInt8](text.data(using: .utf16BigEndian) ?? Data())
    case .integer(let value):
      bytes = [0x13]
      Self.put(UInt64(bitPattern: value), 8, &bytes)
    case .real(let value):
      bytes = [0x23]
      Self.put(value.bitPattern, 8, &bytes)
    case .boolean(let value): bytes = [value ? 9 : 8]
    case .data(let content):
      Self.head(0x40, content.count, &bytes)
      bytes += content
    case .uid(let value):
      bytes = [0x87]
      Self.put(value, 8, &bytes)
    case .raw(let content): bytes = content
    case .array(let elements):
      Self.head(0xA0, elements.count, &bytes)
      for element in elements { Self.put(UInt64(element.add(to: &objects)), 4, &bytes) }
    case .dictionary(let pairs):
      Self.head(0xD0, pairs.count, &bytes)
      for (key, _) in pairs { Self.put(UInt64(HandmadeList.string(key).add(to: &objects)), 4, &bytes) }
      for (_, value) in pairs { Self.put(UInt64(value.add(to: &objects)), 4, &bytes) }
    }
    objects[number] = bytes
    return number
  }

  private static func head(_ marker: UInt8, _ count: Int, _ bytes: inout [UInt8]) {
    guard count >= 15 else { return bytes.append(marker | UInt8(count)) }
    bytes += [marker | 15, 0x12]
    put(UInt64(count), 4, &bytes)
  }

  /// Appends the bytes of a number, the highest first. A loop over a range takes much longer without optimization.
  private static func put(_ value: UInt64, _ width: Int, _ bytes: inout [UInt8]) {
    var end = UInt64(8 * width)
    while end > 0 {
      end -= 8
      bytes.append(UInt8(value &>> end & 0xFF))
    }
  }
}
