// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UUID: SecureKeyedCoding {
  /// `NSUUID`.
  public static var archiveClassName: String { "NSUUID" }

  /// Stores the 16 bytes under `NS.uuidbytes`.
  public func encode(with coder: KeyedArchiver) {
    let b = uuid
    coder.encodeBytes(
      Data([b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]),
      forKey: "NS.uuidbytes")
  }

  /// Reads the 16 bytes from `NS.uuidbytes`.
  public init?(coder: KeyedUnarchiver) throws {
    let b = try coder.needed([UInt8].self, "NS.uuidbytes")
    guard b.count == 16 else { throw coder.malformed("'NS.uuidbytes' of a UUID has \(b.count) bytes, not 16") }
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      ))
  }
}
