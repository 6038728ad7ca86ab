// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Base64 in XML property lists. What is decoded can contain white space.
enum Base64 {
  /// The value of each byte; 64 for `=`, 65 for white space, 66 for invalid bytes.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 66, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, byte) in alphabet.utf8.enumerated() { values[Int(byte)] = UInt8(value) }
    values[Int(UInt8(ascii: "="))] = 64
    for blank in [0x20, 0x09, 0x0A, 0x0D] { values[blank] = 65 }
    return values
  }()

  /// Decodes `text` and appends the bytes. Returns `false` if it is malformed.
  static func decode(_ text: ContiguousArray<UInt8>, into bytes: inout ContiguousArray<UInt8>) -> Bool {
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text {
      let value = values[Int(byte)]
      switch value {
      case 65: continue
      case 64:
        padding += 1
        guard count >= 2, count + padding <= 4 else { return false }
      case 66: return false
      default:
        guard padding == 0 else { return false }
        group = group << 6 | UInt32(value)
        count += 1
        if count == 4 {
          bytes.append(UInt8(truncatingIfNeeded: group >> 16))
          bytes.append(UInt8(truncatingIfNeeded: group >> 8))
          bytes.append(UInt8(truncatingIfNeeded: group))
          (group, count) = (0, 0)
        }
      }
    }
    guard count == 0 ? padding == 0 : count + padding == 4 else { return false }
    if count >= 2 { bytes.append(UInt8(truncatingIfNeeded: group >> (count == 2 ? 4 : 10))) }
    if count == 3 { bytes.append(UInt8(truncatingIfNeeded: group >> 2)) }
    return true
  }

  /// The characters of two digits of Base64, the first one in the upper byte.
  private static let pairs: ContiguousArray<UInt16> = {
    let digits = ContiguousArray("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    return ContiguousArray(digits.flatMap { high in digits.map { low in UInt16(high) << 8 | UInt16(low) } })
  }()

  /// Appends the Base64 of bytes.
  static func encode(_ bytes: Span<UInt8>, to sink: inout ByteSink) {
    let pairs = pairs
    sink.reserve((bytes.count &+ 2) / 3 &* 4)
    var index = 0
    while index &+ 3 <= bytes.count {
      let group = Int(bytes[index]) << 16 | Int(bytes[index &+ 1]) << 8 | Int(bytes[index &+ 2])
      sink.putBigEndian(UInt64(pairs[group >> 12]) << 16 | UInt64(pairs[group & 0xFFF]), width: 4)
      index &+= 3
    }
    let rest = bytes.count &- index
    guard rest > 0 else { return }
    let group = Int(bytes[index]) << 16 | (rest == 2 ? Int(bytes[index &+ 1]) << 8 : 0)
    sink.putBigEndian(UInt64(pairs[group >> 12]), width: 2)
    sink.put(rest == 2 ? UInt8(truncatingIfNeeded: pairs[group & 0xFFF] >> 8) : UInt8(ascii: "="))
    sink.put(UInt8(ascii: "="))
  }
}
