// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// SHA-256 (FIPS 180-4), which identifies the style sheet and the script in a page's security policy.
package enum SHA256 {
  private static let constants: [UInt32] = primes(64).map { fraction(of: $0, root: 3) }
  private static let start: [UInt32] = primes(8).map { fraction(of: $0, root: 2) }

  /// Returns the 32-byte digest of a message.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var message = bytes + [0x80]
    message += [UInt8](repeating: 0, count: (120 - message.count % 64) % 64)
    let bitCount = UInt64(bytes.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) { message.append(UInt8(bitCount >> UInt64(shift) & 0xFF)) }
    var hash = start
    var w = [UInt32](repeating: 0, count: 64)
    for block in stride(from: 0, to: message.count, by: 64) {
      for i in 0..<16 {
        let at = block + 4 * i
        w[i] =
          UInt32(message[at]) << 24 | UInt32(message[at + 1]) << 16 | UInt32(message[at + 2]) << 8
          | UInt32(message[at + 3])
      }
      for i in 16..<64 {
        let s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3
        let s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10
        w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
      }
      var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
      var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
      for i in 0..<64 {
        let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
        let t1 = h &+ s1 &+ (e & f ^ ~e & g) &+ constants[i] &+ w[i]
        let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
        let t2 = s0 &+ (a & b ^ a & c ^ b & c)
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
      }
      for (i, value) in [a, b, c, d, e, f, g, h].enumerated() { hash[i] &+= value }
    }
    return hash.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private static func rotated(_ x: UInt32, _ by: UInt32) -> UInt32 { x >> by | x << (32 - by) }

  private static func primes(_ count: Int) -> [UInt64] {
    var found: [UInt64] = []
    var candidate: UInt64 = 2
    while found.count < count {
      if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
      candidate += 1
    }
    return found
  }

  /// Returns the first 32 fractional bits of a square or cube root, found by bisection.
  private static func fraction(of prime: UInt64, root: Int) -> UInt32 {
    var low: UInt64 = 0
    var high: UInt64 = 1 << 37
    while high - low > 1 {
      let middle = (low + high) / 2
      // middle^root <= prime * 2^(32 * root), in two words of 64 bits. The lower word of the right side is zero.
      var power: (high: UInt64, low: UInt64) = (0, 1)
      for _ in 0..<root {
        let product = middle.multipliedFullWidth(by: power.low)
        power = (middle * power.high + product.high, product.low)
      }
      if power <= (prime << UInt64(32 * root - 64), 0) { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }
}
