// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// The members of a character set: one bit for each code point, in 17 planes of 65,536.
struct CharacterPlanes {
  /// The number of bytes in a plane.
  private static let size = 8192
  private static let count: UInt8 = 17

  /// The bytes of the planes that have members.
  private var planes: [UInt8: [UInt8]] = [:]

  /// Creates the planes of a bitmap: the first plane, and each further one after its number.
  init(bitmap: Data) {
    let bitmap = [UInt8](bitmap)
    guard bitmap.count >= Self.size else { return }
    planes[0] = [UInt8](bitmap[..<Self.size])
    var place = Self.size
    while bitmap.count - place > Self.size {
      planes[bitmap[place]] = [UInt8](bitmap[(place + 1)...(place + Self.size)])
      place += Self.size + 1
    }
  }

  /// Creates the planes of a range of code points.
  init(_ codePoints: Range<Int>) {
    for number in 0..<Self.count {
      let first = Int(number) << 16
      let range = codePoints.clamped(to: first..<first + 0x1_0000)
      guard !range.isEmpty else { continue }
      var bits = [UInt8](repeating: range.count == 0x1_0000 ? 0xFF : 0, count: Self.size)
      if range.count < 0x1_0000 { for point in range { bits[(point - first) / 8] |= 1 << (point % 8) } }
      planes[number] = bits
    }
  }

  /// Creates the planes of the characters in a text.
  init(_ text: String) {
    for scalar in text.unicodeScalars {
      let (number, point) = (UInt8(scalar.value >> 16), Int(scalar.value & 0xFFFF))
      planes[number, default: [UInt8](repeating: 0, count: Self.size)][point / 8] |= 1 << (point % 8)
    }
  }

  /// The planes of all other characters.
  var inverted: CharacterPlanes {
    var others = self
    for number in 0..<Self.count {
      others.planes[number] = planes[number]?.map { ~$0 } ?? [UInt8](repeating: 0xFF, count: Self.size)
    }
    return others
  }

  mutating func formUnion(_ other: CharacterPlanes) {
    planes.merge(other.planes) { known, bits in zip(known, bits).map { $0 | $1 } }
  }

  /// The character set of Foundation.
  var characterSet: CharacterSet {
    let first = planes[0] ?? [UInt8](repeating: 0, count: Self.size)
    var bitmap = Data(first)
    for number in 1..<Self.count {
      guard let bits = planes[number] else { continue }
      bitmap.append(number)
      bitmap.append(contentsOf: bits)
    }
    let mixedCount = stride(from: 0, to: Self.size, by: Self.blockSize).count { start in
      let block = first[start..<start + Self.blockSize]
      return block.contains { $0 != 0 } && block.contains { $0 != 0xFF }
    }
    guard mixedCount > Self.maximumMixedCount else { return CharacterSet(bitmapRepresentation: bitmap) }
    let half = Self.size / 2
    bitmap.replaceSubrange(half..<Self.size, with: Data(count: half))
    return CharacterSet(bitmapRepresentation: bitmap)
      .union(CharacterSet(bitmapRepresentation: Data(count: half) + first[half...]))
  }

  // Foundation on Linux compresses the first plane of a bitmap in blocks of 32 bytes. With more than 128 blocks that are
  // neither empty nor full, the set is invalid: a use of it ends the process. Measured with Swift 6.3.
  private static let blockSize = 32
  private static let maximumMixedCount = 128
}
