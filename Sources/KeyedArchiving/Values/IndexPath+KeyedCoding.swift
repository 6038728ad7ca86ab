// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension IndexPath: SecureKeyedCoding {
  /// The archived class name, `NSIndexPath`.
  public static var archiveClassName: String { "NSIndexPath" }

  /// Encodes the number of indexes, then a single index for the key `NSIndexPathValue`, or several as varints for the
  /// key `NSIndexPathData`.
  /// - Parameter coder: The archiver.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/notEncodable`` if an index is negative.
  public func encode(with coder: KeyedArchiver) throws {
    var bytes: [UInt8] = []
    for index in self {
      guard index >= 0 else {
        throw KeyedArchiveError(
          .notEncodable, "invalid index path: found the index \(index); expected indexes of 0 or more")
      }
      Varint.append(UInt64(index), to: &bytes)
    }
    coder.encode(count, forKey: "NSIndexPathLength")
    switch count {
    case 0: break
    case 1: coder.encode(self[0], forKey: "NSIndexPathValue")
    default: coder.encode(ArchivedMutableData(bytes), forKey: "NSIndexPathData")
    }
  }

  /// Decodes the indexes. Their number must match the stored one.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if a value is missing or malformed, or if an index does not fit `Int`.
  public init?(coder: KeyedUnarchiver) throws {
    let count = try coder.count("NSIndexPathLength")
    switch count {
    case 0: self.init()
    case 1:
      let index = try coder.needed(Int.self, "NSIndexPathValue")
      guard index >= 0 else {
        throw coder.malformed("invalid 'NSIndexPathValue' of an index path: found \(index); expected 0 or more")
      }
      self.init(index: index)
    default:
      let numbers = try coder.varints("NSIndexPathData")
      guard numbers.count == count else {
        throw coder.malformed(
          "invalid 'NSIndexPathData' of an index path: found \(numbers.count) indexes; expected \(count)")
      }
      self.init(
        indexes: try numbers.map {
          guard let index = Int(exactly: $0) else {
            throw KeyedArchiveError(
              .outOfRange, "index \($0) of an index path does not fit Int", at: coder.storage.state.place())
          }
          return index
        })
    }
  }
}

/// Variable-length unsigned integers (varints): seven bits per byte, the lowest first, with the high bit set in all
/// bytes except the last. Index paths, index sets and attributed strings are sequences of these.
package enum Varint {
  /// Reads a sequence of varints.
  /// - Returns: The numbers; nil if the last number does not end, or if one has more than 64 bits.
  static func read(_ bytes: [UInt8]) -> [UInt64]? {
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      let bits = UInt64(byte & 0x7F)
      guard shift < 63 || (shift == 63 && bits <= 1) else { return nil }
      number |= bits << shift
      if byte & 0x80 == 0 {
        numbers.append(number)
        number = 0
        shift = 0
      } else {
        shift += 7
      }
    }
    return shift == 0 ? numbers : nil
  }

  package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

extension KeyedUnarchiver {
  /// Decodes a sequence of varints.
  package func varints(_ key: String) throws -> [UInt64] {
    guard let bytes = try object(Data.self, key) else { throw absent(key, Data.self) }
    // Many objects can share the bytes.
    try storage.state.charge(converting: 16 * Int64(bytes.count))
    guard let numbers = Varint.read([UInt8](bytes)) else {
      throw malformed("invalid '\(key)': expected varints, each of which ends and has at most 64 bits")
    }
    return numbers
  }
}
