// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The order in which strings and numbers are archived that are the elements of a Swift set or the keys of a dictionary.
///
/// Swift enumerates them differently in each process. Strings are put in the order of their UTF-8 bytes, numbers in that of
/// their values. Elements of any other type are put in order when all that they refer to is known, by
/// ``ArchiverState/orderSets()``.
enum PlainValueOrder {
  /// The places of `keys` in ascending order, or nil if the type is neither `String` nor a number. Fewer than two keys are
  /// in order, whatever their type.
  static func places<Key>(_ keys: [Key]) -> [Int]? {
    if keys.count < 2 { return Array(keys.indices) }
    // A cast of the array checks its type once, where a cast of each element would check it as often.
    return switch Key.self {
    case is String.Type: (keys as Any as? [String]).map(places(ofTexts:))
    case is Double.Type: (keys as Any as? [Double]).map { places($0) { $0.bitPattern.inOrderOfReals(width: 64) } }
    case is Float.Type:
      (keys as Any as? [Float]).map { places($0) { UInt64($0.bitPattern).inOrderOfReals(width: 32) } }
    case let type as any ArchivedInteger.Type: places(keys, ofIntegers: type)
    default: nil
    }
  }

  private static func places<Key, Integer: ArchivedInteger>(_ keys: [Key], ofIntegers type: Integer.Type) -> [Int]? {
    (keys as Any as? [Integer]).map { places($0) { $0 } }
  }

  private static func places<Key, Value: Comparable>(_ keys: [Key], _ value: (Key) -> Value) -> [Int] {
    keys.enumerated().map { (value: value($0.element), place: $0.offset) }.sorted { $0.value < $1.value }.map(\.place)
  }

  private static func places(ofTexts texts: [String]) -> [Int] {
    // The first bytes of two texts are compared as numbers; they nearly always differ.
    texts.enumerated()
      .map { (start: $0.element.utf8.span.firstBytes, place: $0.offset) }
      .sorted { a, b in
        if a.start != b.start { return a.start < b.start }
        return texts[a.place].utf8.span.isBefore(texts[b.place].utf8.span)
      }
      .map(\.place)
  }
}

extension UInt64 {
  /// The bits of a real number as an integer that grows with it. Those that are not numbers have places too.
  func inOrderOfReals(width: Int) -> UInt64 {
    let sign: UInt64 = 1 << UInt64(width - 1)
    return self & sign == 0 ? self | sign : ~self & (sign | sign - 1)
  }
}

extension Span<UInt8> {
  /// The first eight bytes as a big-endian number, filled up with zeros.
  var firstBytes: UInt64 {
    if count >= 8 { return bigEndian(at: 0, width: 8) }
    var bytes: UInt64 = 0
    for place in 0..<count { bytes = bytes << 8 | UInt64(self[place]) }
    return count == 0 ? 0 : bytes << UInt64(8 * (8 - count))
  }

  /// Whether these bytes come before others in lexicographical order.
  func isBefore(_ other: Span<UInt8>) -> Bool { compare(other) < 0 }

  /// Compares bytes in lexicographical order: negative if these come first, 0 if all are the same.
  func compare(_ other: Span<UInt8>) -> Int {
    let common = Swift.min(count, other.count)
    var place = 0
    while place &+ 8 <= common {
      let (a, b) = (bigEndian(at: place, width: 8), other.bigEndian(at: place, width: 8))
      if a != b { return a < b ? -1 : 1 }
      place &+= 8
    }
    while place < common {
      if self[place] != other[place] { return self[place] < other[place] ? -1 : 1 }
      place &+= 1
    }
    return count - other.count
  }
}
