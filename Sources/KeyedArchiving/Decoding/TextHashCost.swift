// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The work of hashing strings by Swift's rules, in the unit of `ExpansionBudget`: a byte that is compared.
///
/// `String` hashes a normalized copy. Measured with Swift 6.3 on x86-64, a byte of an ASCII string takes 0.25 ns. A UTF-16 unit
/// of another string takes 6 to 16 ns. A combining mark takes about 60 ns, and a letter that normalization always replaces up
/// to 190 ns. Strings that are equal in different spellings are compared in twice that time. One of them has marks or such
/// letters.
package struct TextHashCost {
  /// The cost of a letter in a string that is not ASCII. It rises once a string with marks was found, because equal strings in
  /// another spelling are possible then.
  private var letter: Int64 = 20
  /// The cost of a byte of an ASCII string. It rises once a letter was found that equals an ASCII letter.
  private var ascii: Int64 = 2

  private static let markedLetter: Int64 = 64
  private static let mark: Int64 = 160
  private static let replacedLetter: Int64 = 256

  package init() {}

  /// Returns the cost of hashing a string, and of comparing it with one that equals it.
  package mutating func cost(of text: String) -> Int64 {
    guard !text.isASCII else { return cost(ofASCII: text.utf8.count) }
    var (letters, others): (Int64, Int64) = (0, 0)
    for scalar in text.unicodeScalars {
      if Self.isUsual(scalar.value) { letters &+= 1 } else { add(scalar.value, &letters, &others) }
    }
    return cost(letters, others)
  }

  /// Returns the cost of a string of UTF-16 units in a file.
  mutating func cost(of text: BinaryItem, in bytes: Span<UInt8>) -> Int64 {
    var (letters, others): (Int64, Int64) = (0, 0)
    var at = text.content
    let end = at &+ 2 &* text.count
    while at < end {
      let unit = UInt32(bytes[at]) << 8 | UInt32(bytes[at &+ 1])
      at &+= 2
      guard !Self.isUsual(unit) else {
        letters &+= 1
        continue
      }
      guard 0xD800..<0xDC00 ~= unit, at < end else {
        add(unit, &letters, &others)
        continue
      }
      let low = UInt32(bytes[at]) << 8 | UInt32(bytes[at &+ 1])
      at &+= 2
      add(0x1_0000 &+ (unit & 0x3FF) << 10 &+ low & 0x3FF, &letters, &others)
    }
    return cost(letters, others)
  }

  /// Returns the cost of an ASCII string of some bytes.
  func cost(ofASCII count: Int) -> Int64 { ExpansionBudget.element &+ ascii &* Int64(count) }

  private func cost(_ letters: Int64, _ others: Int64) -> Int64 {
    ExpansionBudget.element &+ (others > 0 ? Self.markedLetter : letter) &* letters &+ others
  }

  /// Whether a letter is in a range where nearly all text is, without marks and without letters that normalization replaces.
  @inline(__always)
  private static func isUsual(_ scalar: UInt32) -> Bool {
    switch scalar {
    case ..<0x300, 0x400..<0x483, 0x3400..<0xA000, 0xAC00..<0xD7A4: true
    default: false
    }
  }

  /// Counts a letter or a mark.
  @inline(never)
  private mutating func add(_ value: UInt32, _ letters: inout Int64, _ others: inout Int64) {
    guard let scalar = Unicode.Scalar(value) else { return }
    if scalar.properties.isFullCompositionExclusion {
      others &+= Self.replacedLetter
      // The Greek question mark, the Kelvin sign and the Greek varia are replaced by ASCII.
      if value == 0x37E || value == 0x212A || value == 0x1FEF { ascii = Self.markedLetter }
    } else if scalar.properties.canonicalCombiningClass != .notReordered || Self.combines(value) {
      others &+= Self.mark
    } else {
      letters &+= 1
      return
    }
    letter = Self.markedLetter
  }

  /// Whether a letter can combine with the one before it, as marks do. Vowel signs of some scripts and the parts of Hangul
  /// syllables can. See the property `NFC_Quick_Check` in Unicode's DerivedNormalizationProps.txt.
  private static func combines(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x9BE, 0x9D7, 0xB3E, 0xB56, 0xB57, 0xBBE, 0xBD7, 0xCC2, 0xCD5, 0xCD6, 0xD3E, 0xD57, 0xDCF, 0xDDF, 0x102E,
      0x1161...0x1175, 0x11A8...0x11C2, 0x1B35:
      true
    // The other planes have some more, and few letters that are in use.
    case 0x1_1000..<0x1_7000: true
    default: false
    }
  }
}
