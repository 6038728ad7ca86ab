// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// The smallest color type and depth that store an image without loss.
struct PNGStorage {
  let colorType: PNGColorType
  let bitDepth: Int
  /// The palette, transparent colors first, which shortens the transparency chunk.
  let palette: [UInt32]
  private let indices: ColorIndex

  /// Inspects the pixels of `image`.
  init(for image: PNGImage) {
    var isOpaque = true
    var isGray = true
    var index = ColorIndex()
    image.pixels.withBytes { bytes in
      var last: UInt32?
      var i = 0
      while i < bytes.byteCount {
        let pixel = bytes.halfWord(at: i)
        i &+= 4
        if pixel == last { continue }
        last = pixel
        isOpaque = isOpaque && pixel >> 24 == 255
        isGray = isGray && (pixel ^ pixel >> 8) & 0xFFFF == 0
        if !index.isOverfull { index.insert(pixel) }
        if !isOpaque, !isGray, index.isOverfull { break }
      }
    }
    let direct: PNGColorType = isGray ? (isOpaque ? .gray : .grayAlpha) : (isOpaque ? .rgb : .rgba)
    let count = index.colors.count
    let depth = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8
    // A palette must save more than it takes. With eight bits, a palette of grays saves nothing.
    let pixelCount = image.width * image.height
    let saved = pixelCount / 8 * (8 * direct.samplesPerPixel - depth)
    let overhead = 12 + 3 * count + (isOpaque ? 0 : 12 + count)
    if !index.isOverfull, saved > overhead {
      // Sort the colors, so that the palette does not depend on the order of the pixels.
      palette = index.colors.sorted { ($0 >> 24, $0 & 0xFF_FFFF) < ($1 >> 24, $1 & 0xFF_FFFF) }
      index.renumber(palette)
      colorType = .palette
      bitDepth = depth
    } else {
      palette = []
      colorType = direct
      bitDepth = 8
    }
    indices = index
  }

  /// Returns the size of a row of `width` pixels.
  func byteCount(ofRowOf width: Int) -> Int {
    // No overflow: a width is below 2^31, and a pixel has at most 32 bits. Where Int has 32 bits, no memory has more.
    let bits = UInt64(width) * UInt64(bitDepth * colorType.samplesPerPixel)
    return Int(clamping: (bits + 7) / 8)
  }

  /// Writes the samples of the pixels at the byte range `range` of the image to `target`.
  func pack(_ image: RawSpan, _ range: Range<Int>, into row: inout MutableRawSpan, at target: Int) {
    var to = target
    var from = range.lowerBound
    switch colorType {
    case .rgba: row.copy(image.extracting(range), to: target)
    case .rgb:
      while from < range.upperBound {
        row.set(image.byte(at: from), at: to)
        row.set(image.byte(at: from &+ 1), at: to &+ 1)
        row.set(image.byte(at: from &+ 2), at: to &+ 2)
        from &+= 4
        to &+= 3
      }
    case .gray:
      while from < range.upperBound {
        row.set(image.byte(at: from), at: to)
        from &+= 4
        to &+= 1
      }
    case .grayAlpha:
      while from < range.upperBound {
        row.set(image.byte(at: from), at: to)
        row.set(image.byte(at: from &+ 3), at: to &+ 1)
        from &+= 4
        to &+= 2
      }
    case .palette:
      var packed = 0
      var room = 8
      while from < range.upperBound {
        room &-= bitDepth
        packed |= indices.number(of: image.halfWord(at: from)) &<< room
        from &+= 4
        if room == 0 || from == range.upperBound {
          row.set(UInt8(truncatingIfNeeded: packed), at: to)
          to &+= 1
          packed = 0
          room = 8
        }
      }
    }
  }
}

/// An index of up to 256 colors, a hash table with open addressing.
struct ColorIndex {
  private static let slotBits = 10

  /// The odd factor of the hash. It is random, because an image could otherwise have 256 colors with the same slot, and each
  /// pixel would take 128 comparisons. The order of the slots affects no result.
  private let factor: UInt32

  private(set) var colors: [UInt32] = []
  /// Colors and their indexes plus one; 0 marks a free slot.
  private var slots = [(color: UInt32, number: UInt16)](repeating: (0, 0), count: 1 << slotBits)
  /// Whether more than 256 colors were inserted.
  private(set) var isOverfull = false

  init(factor: UInt32 = .random(in: 0 ... .max)) { self.factor = factor | 1 }

  /// Returns the first slot for `color`.
  @inline(__always)
  func firstSlot(of color: UInt32) -> Int {
    Int(truncatingIfNeeded: (color &* factor) >> UInt32(32 - Self.slotBits))
  }

  /// Returns the slot of `color`, or the free slot for it.
  @inline(__always)
  private func slot(of color: UInt32) -> Int {
    var i = firstSlot(of: color)
    while slots[i].number != 0, slots[i].color != color { i = (i &+ 1) & (slots.count &- 1) }
    return i
  }

  mutating func insert(_ color: UInt32) {
    let i = slot(of: color)
    guard slots[i].number == 0 else { return }
    guard colors.count < 256 else {
      isOverfull = true
      return
    }
    colors.append(color)
    slots[i] = (color, UInt16(colors.count))
  }

  /// Changes the indexes of the colors to their positions in `sorted`.
  mutating func renumber(_ sorted: [UInt32]) {
    for (number, color) in sorted.enumerated() { slots[slot(of: color)].number = UInt16(number + 1) }
  }

  /// Returns the index of an inserted color.
  @inline(__always)
  func number(of color: UInt32) -> Int { Int(slots[slot(of: color)].number) &- 1 }
}
