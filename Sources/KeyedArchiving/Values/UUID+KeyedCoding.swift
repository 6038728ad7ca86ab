// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

extension UUID: SecureKeyedCoding {
  /// The archived class name, `NSUUID`.
  public static var archiveClassName: String { "NSUUID" }

  /// Encodes the 16 bytes for the key `NS.uuidbytes`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encodeBytes(UUIDCoding.data(self), forKey: "NS.uuidbytes")
  }

  /// Decodes the 16 bytes for the key `NS.uuidbytes`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the bytes are missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let bytes = try coder.needed([UInt8].self, "NS.uuidbytes")
    guard let id = UUIDCoding.uuid(bytes) else {
      throw coder.malformed("invalid 'NS.uuidbytes' of a UUID: found \(bytes.count) bytes; expected 16")
    }
    self = id
  }
}

extension URL: SecureKeyedCoding {
  /// The archived class name, `NSURL`.
  public static var archiveClassName: String { "NSURL" }

  /// The keys that a URL encodes. Apple's encoder adds a bookmark to file references, which `URL` cannot keep.
  package static let archiveKeys = ["NS.base", "NS.relative"]

  /// Encodes the base URL for the key `NS.base`, and the relative part for `NS.relative`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(baseURL, forKey: "NS.base")
    coder.encode(relativeString, forKey: "NS.relative")
  }

  /// Decodes the base URL for the key `NS.base`, and the relative part for `NS.relative`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the relative part is missing, or if a value is malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let base = try coder.decodeIfPresent(URL.self, forKey: "NS.base")
    let text = try coder.decode(String.self, forKey: "NS.relative")
    // Each URL copies its text, which many objects can share. It also makes a text of its base, if that has a base.
    var byteCount = Int64(text.utf8.count)
    if let base, let outer = base.baseURL {
      byteCount += Int64(base.relativeString.utf8.count) + Int64(outer.relativeString.utf8.count)
    }
    try coder.storage.state.charge(converting: 4 * byteCount)
    guard let url = URL(string: text, relativeTo: base) else {
      let found = MessageText.shortened(text).debugDescription
      throw coder.malformed("invalid 'NS.relative' of a URL: found \(found); expected a URL")
    }
    self = url
  }
}
