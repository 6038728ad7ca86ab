// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Which equal strings are one object in an Apple process, and so stand in an archive once.
enum SharedStrings {
  /// Names of classes that Foundation puts in place of others when it archives; they are constants of its binary.
  private static let constantClassNames: Set<String> = [
    "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSString",
    "NSMutableString", "NSData", "NSMutableData", "NSResponder", "NSObject",
  ]

  /// Whether a class name is one object however often it is asked for, long as it may be.
  static func isConstantClassName(_ name: String) -> Bool { constantClassNames.contains(name) }

  /// The characters that a pointer holds in six bits each; the first 32 of them in five.
  private static let alphabet = Array("eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX".utf8)

  /// For each byte its place in ``alphabet``, or 255.
  private static let places: [UInt8] = {
    var table = [UInt8](repeating: 255, count: 256)
    for (place, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(place) }
    return table
  }()

  /// A short string that the system keeps in a pointer instead of an object, so that equal ones are identical: up to 7
  /// ASCII characters, 8 or 9 of a 64-letter alphabet, 10 or 11 of its first half. Nil for any other string.
  static func tagged(_ text: String) -> TaggedString? {
    let bytes = text.utf8.span
    let count = bytes.count
    guard count <= 11 else { return nil }
    var low: UInt64 = 0
    var high = UInt32(truncatingIfNeeded: count) << 24
    let largest: UInt8 = count <= 7 ? 255 : count <= 9 ? 63 : 31
    for i in 0..<count {
      let byte = bytes[i]
      guard byte < 0x80, count <= 7 || places[Int(byte)] <= largest else { return nil }
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
