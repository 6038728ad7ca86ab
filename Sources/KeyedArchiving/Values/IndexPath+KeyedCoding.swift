// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension IndexPath: SecureKeyedCoding {
  /// `NSIndexPath`.
  public static var archiveClassName: String { "NSIndexPath" }

  /// Stores the count; then one index under `NSIndexPathValue`, or several as a row of varints under `NSIndexPathData`.
  public func encode(with coder: KeyedArchiver) throws {
    var bytes: [UInt8] = []
    for index in self {
      guard index >= 0 else {
        throw KeyedArchiveError(
          .notEncodable, "an index path with the index \(index), where NSIndexPath has none below 0")
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

  /// Reads the indexes, of which there must be as many as the count says.
  public init?(coder: KeyedUnarchiver) throws {
    let count = try coder.count("NSIndexPathLength")
    switch count {
    case 0: self.init()
    case 1:
      let index = try coder.needed(Int.self, "NSIndexPathValue")
      guard index >= 0 else { throw coder.malformed("'NSIndexPathValue' of an index path is \(index)") }
      self.init(index: index)
    default:
      let numbers = try coder.varints("NSIndexPathData")
      guard numbers.count == count else {
        throw coder.malformed("'NSIndexPathData' of an index path of length \(count) holds \(numbers.count) indexes")
      }
      self.init(
        indexes: try numbers.map {
          guard let index = Int(exactly: $0) else {
            throw KeyedArchiveError(
              .outOfRange, "an index path with the index \($0)", keyPath: coder.storage.state.keyPath())
          }
          return index
        })
    }
  }
}
