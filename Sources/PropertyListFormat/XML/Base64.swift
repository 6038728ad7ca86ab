// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Base64 as XML property lists hold it: with white space anywhere in it.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each byte; 64 for `=`, 65 for white space, 66 for what may not stand here.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 66, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    values[Int(UInt8(ascii: "="))] = 64
    for blank in [0x20, 0x09, 0x0A, 0x0D] { values[blank] = 65 }
    return values
  }()

  /// Appends the bytes that `text` stands for; false if it is malformed.
  static func decode(_ text: [UInt8], into bytes: inout [UInt8]) -> Bool {
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

  /// Appends the text for some bytes, without breaks.
  static func encode(_ bytes: Span<UInt8>, into sink: inout ByteSink) {
    var i = 0
    sink.reserve(4 * ((bytes.count + 2) / 3))
    while i < bytes.count {
      let left = min(3, bytes.count - i)
      var group = UInt32(bytes[i]) << 16
      if left > 1 { group |= UInt32(bytes[i + 1]) << 8 }
      if left > 2 { group |= UInt32(bytes[i + 2]) }
      for k in 0..<4 {
        sink.put(k <= left ? alphabet[Int(group >> UInt32(18 - 6 * k) & 63)] : UInt8(ascii: "="))
      }
      i += 3
    }
  }
}
