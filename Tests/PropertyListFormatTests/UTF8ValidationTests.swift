// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing

/// Decoding with repairs is the oracle.
@Suite("Text from bytes")
struct UTF8ValidationTests {
  /// The offset of the first sequence that decoding with repairs replaces.
  private func firstRepair(_ bytes: [UInt8]) -> Int? {
    let repaired = Array(String(decoding: bytes, as: UTF8.self).utf8)
    guard repaired != bytes else { return nil }
    var offset = zip(bytes, repaired).prefix { $0 == $1 }.count
    // The replacement character can begin like what it replaces.
    while repaired[offset] & 0xC0 == 0x80 { offset -= 1 }
    return offset
  }

  private func check(_ bytes: [UInt8]) {
    let expected = firstRepair(bytes)
    let contiguous = ContiguousArray(bytes)
    let scanned = contiguous.span.scanForInvalidUTF8()
    let text = String(validUTF8: bytes)
    // Expectations for each of many thousand sequences would take too long.
    if scanned != expected || contiguous.span.firstInvalidUTF8 != expected
      || text.map({ Array($0.utf8) }) != (expected == nil ? bytes : nil)
    {
      Issue.record("\(bytes)")
    }
  }

  @Test("short sequences are valid exactly if decoding repairs nothing")
  func shortSequences() {
    let limits: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
      0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    check([])
    // A fourth of the first bytes; with `WHOLE_TESTS`, all.
    for a in Sample.cases(UInt8.min...UInt8.max, each: 4) {
      check([a])
      for b in limits {
        check([a, b])
        if a < 0xC0 { continue }
        for c in limits {
          check([a, b, c])
          if a >= 0xF0, limits.contains(a) {
            for d in [0x7F, 0x80, 0xBF, 0xC0] as [UInt8] { check([0x41, a, b, c, d, 0x42]) }
          }
        }
      }
    }
  }

  @Test("random text is valid exactly if decoding repairs nothing")
  func randomText() {
    var random = SeededRandom(seed: 8)
    for _ in 0..<1000 {
      var text = ""
      for _ in 0..<random.next() % 24 {
        let limit: UInt32 = [0x80, 0x80, 0x800, 0x1_0000, 0x11_0000][Int(random.next() % 5)]
        text.unicodeScalars.append(Unicode.Scalar(UInt32(truncatingIfNeeded: random.next()) % limit) ?? "\u{FFFD}")
      }
      var bytes = Array(text.utf8)
      check(bytes)
      guard !bytes.isEmpty else { continue }
      bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      check(bytes)
      bytes.removeLast(Int(random.next() % UInt64(min(bytes.count, 4))))
      check(bytes)
    }
  }
}
