// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Which equal strings are one object in an Apple process, and so stand in an archive once.
enum SharedStrings {
  /// Names of classes that Foundation puts in place of others when it archives; they are constants of its binary.
  private static let constantClassNames: Set<BytewiseString> = [
    "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSString",
    "NSMutableString", "NSData", "NSMutableData", "NSResponder", "NSObject",
  ]

  /// Whether a class name is one object however often it is asked for, long as it may be.
  static func isConstantClassName(_ name: String) -> Bool {
    name.utf8.first == UInt8(ascii: "N") && constantClassNames.contains(name)
  }

  /// The characters that a pointer holds in six bits each, as bits: those below 64, and the others. In this order they
  /// are `eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX`.
  private static let sixBits: (UInt64, UInt64) = (0x03FF_E001_0000_0000, 0x07FD_FFFE_83FD_FFFE)
  /// The first 32 of them, which it holds in five.
  private static let fiveBits: (UInt64, UInt64) = (0x001B_4001_0000_0000, 0x013D_FFFA_001C_2208)

  /// A short string that the system keeps in a pointer instead of an object, so that equal ones are identical: up to 7
  /// ASCII characters, 8 or 9 of a 64-letter alphabet, 10 or 11 of its first half. Nil for any other string.
  static func tagged(_ text: String) -> TaggedString? {
    let bytes = text.utf8.span
    let count = bytes.count
    guard count <= 11 else { return nil }
    let letters = count <= 7 ? (.max, .max) : count <= 9 ? sixBits : fiveBits
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

/// The text of a short string packed in 12 bytes.
struct TaggedString: Hashable {
  let low: UInt64
  let high: UInt32
}
