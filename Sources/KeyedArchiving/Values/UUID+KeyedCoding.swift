// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UUID: SecureKeyedCoding {
  /// The archived class name, `NSUUID`.
  public static var archiveClassName: String { "NSUUID" }

  /// Encodes the 16 bytes for the key `NS.uuidbytes`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    let b = uuid
    coder.encodeBytes(
      Data([b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]),
      forKey: "NS.uuidbytes")
  }

  /// Decodes the 16 bytes for the key `NS.uuidbytes`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the bytes are missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let b = try coder.needed([UInt8].self, "NS.uuidbytes")
    guard b.count == 16 else {
      throw coder.malformed("invalid 'NS.uuidbytes' of a UUID: found \(b.count) bytes; expected 16")
    }
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      ))
  }
}

extension URL: SecureKeyedCoding {
  /// The archived class name, `NSURL`.
  public static var archiveClassName: String { "NSURL" }

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
    guard let url = URL(string: text, relativeTo: base) else {
      throw coder.malformed("invalid 'NS.relative' of a URL: found \(text.debugDescription); expected a URL")
    }
    self = url
  }
}
