// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

extension Data: SecureKeyedCoding, PrimitiveValue {
  /// `NSData`.
  public static var archiveClassName: String { "NSData" }

  /// `NSMutableData`, which is stored as an object with the key `NS.data`.
  public static var archiveClassAliases: [String] { ["NSMutableData"] }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool { item.kind == .data }

  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Data {
    guard item.kind == .data else { throw mismatch(item) }
    return source.bytes.span.data(in: item.content..<item.content + item.count)
  }

  /// Stores the bytes under `NS.data`.
  public func encode(with coder: KeyedArchiver) { coder.encodeBytes(self, forKey: "NS.data") }

  /// Reads the bytes from `NS.data` or `NS.bytes`.
  public init?(coder: KeyedUnarchiver) throws {
    if let data = try coder.bare(Data.self, "NS.data") {
      self = data
    } else {
      self = try coder.needed(Data.self, "NS.bytes")
    }
  }

  /// Bare data.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    _RecordedValue(.dataObject, coder.storage.state.keep(self))
  }

  /// Bare data, or the object that mutable data is.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Data? {
    try coder.make(bare: Data.self, from: uid.rawValue)
  }
}
