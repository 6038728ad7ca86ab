// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// Data that is archived as an `NSMutableData`: an object with a key, where `Data` is a bare value.
///
/// Asking for `Data` reads either.
public struct ArchivedMutableData: SecureKeyedCoding, Hashable, Sendable {
  /// The bytes.
  public var bytes: Data
  /// The key that the bytes are stored under: `NS.data`, or `NS.bytes` as some of Apple's programs have it.
  package var key = "NS.data"

  /// Makes mutable data.
  public init(_ bytes: Data) { self.bytes = bytes }

  package init(_ bytes: [UInt8]) { self.bytes = Data(bytes) }

  package init(_ bytes: Data, key: String) {
    self.bytes = bytes
    self.key = key
  }

  /// Equal if the bytes are, and the keys that they are stored under.
  public static func == (a: Self, b: Self) -> Bool { a.bytes == b.bytes && a.key == b.key }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// `NSMutableData`.
  public static var archiveClassName: String { "NSMutableData" }

  /// Down to `NSData`.
  public static var archiveClassChain: [String] { ["NSMutableData", "NSData", "NSObject"] }

  /// Stores the bytes under the key that they were read from, `NS.data` if they were not.
  public func encode(with coder: KeyedArchiver) { coder.encodeBytes(bytes, forKey: key) }

  /// Reads the bytes from `NS.data` or `NS.bytes`.
  public init?(coder: KeyedUnarchiver) throws {
    bytes = try Data.made(by: coder)
    if !coder.containsValue(forKey: key) { key = "NS.bytes" }
  }
}
