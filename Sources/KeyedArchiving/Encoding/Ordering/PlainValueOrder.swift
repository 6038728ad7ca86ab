// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The archived order of strings and numbers that are the elements of a Swift set or the keys of a dictionary.
///
/// Swift's order differs between processes. Strings are sorted by their UTF-8 bytes, and numbers by their values.
/// Elements of other types are ordered by ``ArchiverState/orderSets()``, when all objects they refer to are known.
enum PlainValueOrder {
  /// Returns the positions of `keys` in ascending order, or nil if the type is neither `String` nor a number. Fewer
  /// than two keys are in order, whatever their type. The result is also nil if two keys are NaN with the same bits, which
  /// Swift distinguishes but an order of keys does not.
  static func places<Key>(_ keys: [Key]) -> [Int]? {
    if keys.count < 2 { return Array(keys.indices) }
    // A cast of the array checks its type once, instead of once per element.
    return switch Key.self {
    case is String.Type: (keys as Any as? [String]).map(places(ofTexts:))
    case is Double.Type: (keys as Any as? [Double]).flatMap { places(ofReals: $0.map(\.bitPattern), width: 64) }
    case is Float.Type:
      (keys as Any as? [Float]).flatMap { places(ofReals: $0.map { UInt64($0.bitPattern) }, width: 32) }
    case let type as any RecordedInteger.Type: places(keys, ofIntegers: type)
    default: nil
    }
  }

  private static func places<Key, Integer: RecordedInteger>(_ keys: [Key], ofIntegers type: Integer.Type) -> [Int]? {
    (keys as Any as? [Integer]).map { places($0) { $0 } }
  }

  private static func places(ofReals bits: [UInt64], width: Int) -> [Int]? {
    let places = places(bits) { $0.inOrderOfReals(width: width) }
    return zip(places, places.dropFirst()).contains { bits[$0] == bits[$1] } ? nil : places
  }

  private static func places<Key, Value: Comparable>(_ keys: [Key], _ value: (Key) -> Value) -> [Int] {
    keys.enumerated().map { (value: value($0.element), index: $0.offset) }.sorted { $0.value < $1.value }.map(\.index)
  }

  private static func places(ofTexts texts: [String]) -> [Int] {
    // The first eight bytes of two strings are compared as a number. They nearly always differ.
    texts.enumerated()
      .map { (start: $0.element.withBytes { $0.firstBytes }, index: $0.offset) }
      .sorted { a, b in
        if a.start != b.start { return a.start < b.start }
        return texts[a.index].bytesPrecede(texts[b.index])
      }
      .map(\.index)
  }
}

/// An integer type whose values an archiver records as boxed numbers.
protocol RecordedInteger: FixedWidthInteger {
  /// The kind that CoreFoundation stores for numbers of this type.
  static var recordedKind: RecordedValue.Kind { get }
}

extension UInt64 {
  /// Returns the bits of a real as an integer with the same order. NaNs have a position too.
  func inOrderOfReals(width: Int) -> UInt64 {
    let sign: UInt64 = 1 << UInt64(width - 1)
    return self & sign == 0 ? self | sign : ~self & (sign | sign - 1)
  }
}

extension Span<UInt8> {
  /// The first eight bytes as a big-endian number, padded with zeros.
  var firstBytes: UInt64 {
    if count >= 8 { return bigEndian(at: 0, width: 8) }
    var bytes: UInt64 = 0
    for index in 0..<count { bytes = bytes << 8 | UInt64(self[index]) }
    return count == 0 ? 0 : bytes << UInt64(8 * (8 - count))
  }
}
