// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import PropertyListFormat
import Testing

/// Records an issue if a condition is false. An expectation for each of many thousand values would take too long.
private func check(
  _ condition: Bool, _ description: @autoclosure () -> String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
  if !condition { Issue.record(Comment(rawValue: description()), sourceLocation: sourceLocation) }
}

/// The standard library's integers of 128 bits are the oracle.
@Suite("Integers of 128 bits")
struct WideIntegerTests {
  /// Integers near the limits of 0, 24, 53, 63, 64, 127 and 128 bits, and random ones of each width.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private static let samples: [UInt128] = {
    var samples: [UInt128] = []
    for bit in 0..<128 {
      let power = UInt128(1) << UInt128(bit)
      for distance in 0..<3 as Range<UInt128> { samples += [power &+ distance, power &- distance] }
      // Halfway between two reals, and near it.
      for bits in [24, 25, 53, 54] where bits < bit {
        let half = UInt128(1) << UInt128(bit - bits)
        samples += [power | half, power | half - 1, power | half + 1, power | half << 1 | half]
      }
    }
    var power: UInt128 = 1
    for _ in 0..<39 {
      samples += [power, power - 1, power &* 9]
      power = power &* 10
    }
    var random = SeededRandom(seed: 128)
    for _ in 0..<1000 {
      let bits = UInt128(random.next()) << 64 | UInt128(random.next())
      samples.append(bits >> UInt128(random.next() % 128))
    }
    return samples + samples.map { ~$0 }
  }()

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private static func wide(_ value: Int128) -> WideInteger {
    WideInteger(high: Int64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private static func wide(_ value: UInt128) -> WideMagnitude {
    WideMagnitude(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("convert to and from other integers like Int128")
  func integers() {
    func compare<Other: FixedWidthInteger>(_ value: Int128, _ type: Other.Type) {
      check(Other(exactly: Self.wide(value)) == Other(exactly: value), "\(value) as \(type)")
    }
    for bits in Self.samples {
      let value = Int128(bitPattern: bits)
      check(WideInteger(value) == Self.wide(value) && Self.wide(value).int128 == value)
      check(Self.wide(value).magnitude == Self.wide(value.magnitude), "\(value)")
      check(Self.wide(value).fits64Bits == (Int64(exactly: value) != nil || UInt64(exactly: value) != nil))
      compare(value, Int8.self)
      compare(value, UInt8.self)
      compare(value, Int32.self)
      compare(value, UInt32.self)
      compare(value, Int64.self)
      compare(value, UInt64.self)
      compare(value, Int.self)
      compare(value, UInt.self)
      compare(value, Int128.self)
      compare(value, UInt128.self)
      let (small, word) = (Int64(truncatingIfNeeded: value), UInt64(truncatingIfNeeded: value))
      check(WideInteger(small) == Self.wide(Int128(small)) && WideInteger(word) == Self.wide(Int128(word)))
      check(WideInteger(exactly: value) == Self.wide(value))
      check(WideInteger(exactly: bits) == Int128(exactly: bits).map { Self.wide($0) })
      let short = Int16(truncatingIfNeeded: value)
      check(WideInteger(exactly: short) == WideInteger(Int64(short)))
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("convert to reals like Int128, rounded once")
  func reals() {
    for bits in Self.samples {
      let value = Int128(bitPattern: bits)
      check(Double(Self.wide(value)) == Double(value), "\(value)")
      check(Float(Self.wide(value)) == Float(value), "\(value)")
      check(Double(exactly: Self.wide(value)) == Double(exactly: value), "\(value)")
      check(Float(exactly: Self.wide(value)) == Float(exactly: value), "\(value)")
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("are ordered and equal like Int128")
  func order() {
    let values = Self.samples.map { Int128(bitPattern: $0) }
    var random = SeededRandom(seed: 129)
    for (a, b) in Array(zip(values, values.shuffled(using: &random))) + Array(zip(values, values.dropFirst())) {
      check((Self.wide(a) < Self.wide(b)) == (a < b) && (Self.wide(a) == Self.wide(b)) == (a == b), "\(a) \(b)")
    }
    check(values.sorted().map { Self.wide($0) } == values.map { Self.wide($0) }.sorted())
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("print and parse decimal digits like Int128")
  func digits() {
    for bits in Self.samples {
      let value = Int128(bitPattern: bits)
      check(Self.wide(value).description == value.description)
      check(Self.wide(bits).description == bits.description)
      check(WideMagnitude(bits.description) == Self.wide(bits))
      for text in ["\(value)", "+\(value)", "\(bits)", "-\(bits)", "+00\(bits)", "\(bits)0", "-\(bits)7"] {
        check(WideInteger(text) == Int128(text).map { Self.wide($0) }, "\(text)")
        // A magnitude has no sign, not even zero.
        let magnitude = text.utf8.first.map { $0 < UInt8(ascii: "0") } == true ? nil : UInt128(text)
        check(WideMagnitude(text) == magnitude.map { Self.wide($0) }, "\(text)")
      }
    }
    for text in ["", "-", "+", "-0", "+0", "--1", "+-1", " 1", "1 ", "1_0", "0x1", "٣", "1e3", "9/", "9:", "\0"] {
      check(WideInteger(text) == Int128(text).map { Self.wide($0) }, "\(text)")
    }
    let long = String(repeating: "0", count: 100_000)
    check(WideInteger(long + "7") == WideInteger(7 as Int64) && WideInteger("1" + long) == nil)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("take a sign and a magnitude, and divide, shift and count bits like UInt128")
  func magnitudes() {
    for (place, bits) in Self.samples.enumerated() {
      let value = Self.wide(bits)
      check(WideInteger(isNegative: false, magnitude: value) == Int128(exactly: bits).map { Self.wide($0) })
      let negative = bits <= Int128.min.magnitude ? Self.wide(Int128(truncatingIfNeeded: 0 &- bits)) : nil
      check(WideInteger(isNegative: true, magnitude: value) == negative, "\(bits)")
      check(value.isZero == (bits == 0) && value.significantBitCount == 128 - bits.leadingZeroBitCount)
      check(value.littleEndianBytes == (0..<16).map { UInt8(truncatingIfNeeded: bits >> UInt128(8 * $0)) })
      let divisor = UInt64(truncatingIfNeeded: Self.samples[Self.samples.count - 1 - place])
      for divisor in [10, divisor] where divisor != 0 {
        let (quotient, remainder) = bits.quotientAndRemainder(dividingBy: UInt128(divisor))
        let result = value.quotientAndRemainder(dividingBy: divisor)
        check(result.quotient == Self.wide(quotient) && result.remainder == UInt64(remainder), "\(bits) \(divisor)")
      }
      var shifted = value
      shifted.append(0xABCD)
      check(shifted == Self.wide(bits << 16 | 0xABCD))
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("objects and values convert from and to Int128")
  func objects() {
    for bits in Self.samples {
      let value = Int128(bitPattern: bits)
      check(PropertyListObject.wideInteger(value).int128 == value)
      check(PropertyListValue(value).int128 == value && PropertyListValue(exactly: value) == PropertyListValue(value))
      check(PropertyListValue(value).description == value.description)
      let isShort = if case .integer = PropertyListValue(value) { true } else { false }
      check(isShort == (Int64(exactly: value) != nil))
      let word = UInt64(truncatingIfNeeded: bits)
      check(PropertyListValue(word).int128 == Int128(word))
    }
  }
}
