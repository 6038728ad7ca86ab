// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The layout of the binary file that an archiver writes. All layouts are deterministic, and every decoder reads them.
public enum ArchiveLayout: String, Sendable, Hashable, CaseIterable {
  /// The layout of Apple's archiver since iOS 13 and macOS 10.15, byte for byte for the same object graph.
  case apple
  /// The layout of Apple's archiver from macOS 10.6 to 10.14.
  case appleLegacy
  /// The smallest file: each value is stored once, without unreferenced duplicates.
  case compact

  /// The order of the envelope's four keys. For Apple's layouts it is the order in a hash table of 13 or 7 buckets.
  package var envelopeOrder: [EnvelopeKey] { self == .appleLegacy ? Self.legacyOrder : Self.recentOrder }

  private static let recentOrder: [EnvelopeKey] = [.version, .archiver, .top, .objects]
  private static let legacyOrder: [EnvelopeKey] = [.version, .objects, .archiver, .top]
  /// The encoded keys in each of the two orders.
  static let recentKeys = EncodedObjects(recentOrder.map(\.rawValue))
  static let legacyKeys = EncodedObjects(legacyOrder.map(\.rawValue))
}

/// The keys of an archive's envelope.
package enum EnvelopeKey: String, CaseIterable {
  case version = "$version"
  case archiver = "$archiver"
  case top = "$top"
  case objects = "$objects"
}

/// The rules for equal strings that are one object in an Apple process, and are thus archived once.
enum SharedStrings {
  /// The class names that Foundation substitutes when it archives. They are constants in its binary.
  private static let constantClassNames: Set<BytewiseString> = [
    "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSString",
    "NSMutableString", "NSData", "NSMutableData", "NSResponder", "NSObject",
  ]

  /// Returns whether a class name is a constant, and thus one object regardless of its length.
  static func isConstantClassName(_ name: String) -> Bool {
    name.utf8.first == UInt8(ascii: "N") && constantClassNames.contains(name)
  }

  /// The characters that a tagged pointer stores in six bits, as a bit set of the ASCII codes below 64 and one of the
  /// others. The alphabet is `eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX`.
  private static let sixBits: (UInt64, UInt64) = (0x03FF_E001_0000_0000, 0x07FD_FFFE_83FD_FFFE)
  /// The first 32 characters of the alphabet, which a tagged pointer stores in five bits.
  private static let fiveBits: (UInt64, UInt64) = (0x001B_4001_0000_0000, 0x013D_FFFA_001C_2208)

  /// Packs a string that Foundation stores in a tagged pointer, so that equal ones are one object.
  ///
  /// These are strings of up to 7 ASCII characters, 8 or 9 characters of the alphabet, or 10 or 11 of its first half.
  /// For any other string, the result is nil.
  @inline(__always)
  static func tagged(_ text: String) -> TaggedString? { text.withBytes { tagged($0) } }

  private static func tagged(_ bytes: Span<UInt8>) -> TaggedString? {
    let count = bytes.count
    guard count <= 11 else { return nil }
    if count <= 7 {
      var low: UInt64 = 0
      if count >= 4 {
        // The first four bytes and the last four overlap.
        low = bytes.bigEndian(at: 0, width: 4) << UInt64(8 &* (count &- 4)) | bytes.bigEndian(at: count &- 4, width: 4)
      } else {
        for i in 0..<count { low = low << 8 | UInt64(bytes[i]) }
      }
      guard low & 0x8080_8080_8080_8080 == 0 else { return nil }
      return TaggedString(low: low, high: UInt32(truncatingIfNeeded: count) << 24)
    }
    let letters = count <= 9 ? sixBits : fiveBits
    var low: UInt64 = 0
    var high = UInt32(truncatingIfNeeded: count) << 24
    for i in 0..<count {
      let byte = bytes[i]
      guard byte < 0x80, (byte < 64 ? letters.0 : letters.1) >> UInt64(byte & 63) & 1 != 0 else { return nil }
      if i < 8 { low = low << 8 | UInt64(byte) } else { high |= UInt32(byte) << UInt32(8 &* (i &- 8)) }
    }
    return TaggedString(low: low, high: high)
  }
}

/// The text of a short string, packed in 12 bytes.
struct TaggedString: Hashable {
  let low: UInt64
  let high: UInt32

  /// The name of the root class.
  static var nsObject: TaggedString { TaggedString(low: 0x4E53_4F62_6A65_6374, high: 8 << 24) }
}
