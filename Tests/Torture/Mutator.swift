// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// Makes a broken file of a sound one, at random but reproducibly, with some knowledge of what is where: blind changes
/// mostly end at the first check.
struct Mutator {
  private var random: SeededRandom
  private let seeds: [Seed]

  /// A sound file.
  struct Seed {
    let bytes: [UInt8]
    /// Where things are, if it is a binary property list.
    let shape: BinaryShape?

    init(_ data: Data) {
      bytes = [UInt8](data)
      shape = try? BinaryShape(bytes)
    }
  }

  /// The mutator of one number: the same seeds and number give the same file.
  init(_ seeds: [Seed], number: UInt64) {
    self.seeds = seeds
    random = SeededRandom(seed: number &* 0x9E37_79B9_7F4A_7C15 &+ 1)
  }

  mutating func next() -> Data {
    let seed = seeds[Int.random(in: 0..<seeds.count, using: &random)]
    var bytes = seed.bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if let shape = seed.shape, bytes.count == seed.bytes.count, Int.random(in: 0..<4, using: &random) > 0 {
        changeStructure(&bytes, shape)
      } else if seed.shape == nil, Bool.random(using: &random) {
        changeText(&bytes)
      } else {
        changeBytes(&bytes)
      }
    }
    return Data(bytes)
  }

  /// Numbers at which arithmetic goes wrong.
  private mutating func number() -> UInt64 {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: UInt64.random(in: 0..<16, using: &random)
    case 1: UInt64(1) << UInt64.random(in: 0..<64, using: &random)
    case 2: (UInt64(1) << UInt64.random(in: 0..<64, using: &random)) &- 1
    default: random.next()
    }
  }

  private mutating func changeStructure(_ bytes: inout [UInt8], _ shape: BinaryShape) {
    let object = Int.random(in: 0..<shape.objectCount, using: &random)
    let start = min(shape.offset(object, in: bytes), bytes.count - 1)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: bytes[start] = bytes[start] & 0x0F | UInt8.random(in: 0..<16, using: &random) << 4
    case 1: bytes[start] = bytes[start] & 0xF0 | UInt8.random(in: 0..<16, using: &random)
    case 2:
      // A reference, a count's byte, or the first bytes of a content.
      let place = min(start + Int.random(in: 1..<12, using: &random), bytes.count - 1)
      bytes[place] = UInt8(truncatingIfNeeded: Int.random(in: 0..<shape.objectCount + 2, using: &random))
    case 3:
      let other = Int.random(in: 0..<shape.objectCount, using: &random)
      shape.setOffset(object, to: shape.offset(other, in: bytes), in: &bytes)
    case 4:
      shape.setOffset(object, to: Int.random(in: 0..<bytes.count, using: &random), in: &bytes)
    case 5:
      guard let uid = shape.uids.randomElement(using: &random) else { return changeBytes(&bytes) }
      BinaryShape.put(Int.random(in: 0..<shape.objectCount + 2, using: &random), uid.lowerBound, uid.count, in: &bytes)
    case 6:
      let field = [(0, 6), (6, 1), (7, 1), (8, 8), (16, 8), (24, 8)].randomElement(using: &random) ?? (8, 8)
      let value = Int(truncatingIfNeeded: number())
      BinaryShape.put(value, bytes.count - 32 + field.0, field.1, in: &bytes)
    case 7:
      // An extended count of any width, over whatever is there.
      let width = Int.random(in: 0..<4, using: &random)
      guard start + 2 + 1 << width < bytes.count else { return }
      bytes[start] |= 0x0F
      bytes[start + 1] = 0x10 | UInt8(width)
      BinaryShape.put(Int(truncatingIfNeeded: number()), start + 2, 1 << width, in: &bytes)
    default:
      // One object over another.
      let other = min(shape.offset(Int.random(in: 0..<shape.objectCount, using: &random), in: bytes), bytes.count - 1)
      let count = min(Int.random(in: 1..<20, using: &random), bytes.count - max(start, other))
      for place in 0..<count { bytes[start + place] = bytes[other + place] }
    }
  }

  private static let words = [
    "<dict>", "</dict>", "<array>", "</array>", "<array/>", "<dict/>", "<key>$class</key>", "<key>CF$UID</key>",
    "<integer>0</integer>", "<integer>-1</integer>", "<integer>99999999999999999999</integer>", "<real>nan</real>",
    "<true/>", "<string>", "</string>", "<string/>", "<data>AAAA</data>", "<data>=</data>",
    "<date>2001-01-01T00:00:00Z</date>",
    "<date>", "&amp;", "&#0;", "&#x110000;", "&lt", "<!--", "-->", "<![CDATA[", "]]>", "<!ENTITY a \"b\">", "<?xml?>",
    "<!DOCTYPE plist [", "</plist>", "<plist>", "\u{FEFF}", "\0", "\"", ">",
  ].map { Array($0.utf8) }

  private mutating func changeText(_ bytes: inout [UInt8]) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let word = Self.words.randomElement(using: &random) ?? []
    if Bool.random(using: &random) {
      bytes.insert(contentsOf: word, at: place)
    } else {
      // From tag to tag: what is between two angle brackets goes, or comes twice.
      guard let start = bytes[min(place, bytes.count)...].firstIndex(of: 0x3C),
        let end = bytes[start...].firstIndex(of: 0x3E)
      else { return changeBytes(&bytes) }
      let tag = Array(bytes[start...end])
      bytes.replaceSubrange(start...end, with: Bool.random(using: &random) ? word : tag + tag)
    }
  }

  private mutating func changeBytes(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 4: bytes.removeLast(Int.random(in: 0...min(40, bytes.count), using: &random))
    default:
      let count = min(Int.random(in: 1...32, using: &random), bytes.count - place)
      let target = Int.random(in: 0...bytes.count - count, using: &random)
      for index in 0..<count { bytes[target + index] = bytes[place + index] }
    }
  }
}
