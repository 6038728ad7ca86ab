// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

extension Data: SecureKeyedCoding, PrimitiveValue {
  /// The archived class name, `NSData`.
  public static var archiveClassName: String { "NSData" }

  /// The archived class name of mutable data, `NSMutableData`, which is an object with the key `NS.data`.
  public static var archiveClassAliases: [String] { ["NSMutableData"] }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool { item.kind == .data }

  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Data {
    guard item.kind == .data else { throw .mismatch(item, Self.self, source) }
    return source.data(item)
  }

  /// Encodes the bytes for the key `NS.data`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encodeBytes(self, forKey: "NS.data") }

  /// Decodes the bytes for the key `NS.data` or `NS.bytes`.
  ///
  /// Data of 4 KiB and more shares the decoder's copy of the file if that is mostly such data. It keeps the whole copy in
  /// memory. Changes do not affect other values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the bytes are missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    if let data = try coder.primitive(Data.self, "NS.data") {
      self = data
    } else {
      self = try coder.needed(Data.self, "NS.bytes")
    }
  }

  /// Records boxed data.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    RecordedValue(.dataObject, coder.storage.state.add(data: self))
  }

  /// Decodes boxed data, or the object of mutable data.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver.
  /// - Returns: The bytes, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged or has another type.
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Data? {
    try coder.make(bare: Data.self, from: uid.rawValue)
  }
}

/// Data that is archived as an `NSMutableData`: an object with a key, while `Data` is a primitive.
///
/// A request for `Data` decodes either.
public struct ArchivedMutableData: SecureKeyedCoding, Hashable, Sendable {
  /// The bytes.
  public var bytes: Data
  /// The key of the bytes: `NS.data`, or `NS.bytes` as in some of Apple's archives.
  package var key = "NS.data"

  /// Creates mutable data.
  /// - Parameter bytes: The bytes.
  public init(_ bytes: Data) { self.bytes = bytes }

  package init(_ bytes: [UInt8]) { self.bytes = Data(bytes) }

  package init(_ bytes: Data, key: String) {
    self.bytes = bytes
    self.key = key
  }

  /// Returns whether the bytes and their keys are equal.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether the bytes and their keys are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.bytes.hasSameBytes(as: b.bytes) && a.key == b.key
  }

  /// Hashes the bytes.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(FullyHashedData(bytes)) }

  /// The archived class name, `NSMutableData`.
  public static var archiveClassName: String { "NSMutableData" }

  /// The superclass chain, which includes `NSData`.
  public static var archiveClassChain: [String] { ["NSMutableData", "NSData", "NSObject"] }

  /// Encodes the bytes for the key they were decoded from, by default `NS.data`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encodeBytes(bytes, forKey: key) }

  /// Decodes the bytes for the key `NS.data` or `NS.bytes`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the bytes are missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    bytes = try Data.made(by: coder)
    if !coder.containsValue(forKey: key) { key = "NS.bytes" }
  }
}
