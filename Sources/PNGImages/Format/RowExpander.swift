// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// Converts the samples of a row to pixels of four bytes: red, green, blue, alpha.
///
/// Gray samples of fewer than 8 bits are scaled to the full range (PNG specification, 13.12), and samples of 16 bits
/// keep their high byte. The color in the transparency chunk becomes transparent.
struct RowExpander {
  private enum Source {
    /// Samples of 1, 2, 4 or 8 bits with a lookup table: palette images and gray ones.
    case indexed(bits: Int, colors: ContiguousArray<UInt32>)
    case gray16(transparent: UInt32?)
    case rgb(sampleBytes: Int, transparent: UInt64?)
    case grayAlpha(sampleBytes: Int)
    case rgba(sampleBytes: Int)
  }

  private let source: Source

  /// Creates an expander for a validated file.
  init(_ layout: PNGLayout, in file: RawSpan) {
    let depth = layout.header.bitDepth
    let sampleBytes = depth / 8
    let key = layout.transparency.map { file.extracting($0).array() }
    switch layout.header.colorType {
    case .gray where depth == 16:
      source = .gray16(transparent: key.map { UInt32($0[0]) << 8 | UInt32($0[1]) })
    case .gray:
      source = .indexed(bits: depth, colors: Self.grays(depth: depth, transparent: key))
    case .palette:
      source = .indexed(bits: depth, colors: Self.colors(layout.palette, alphas: key, in: file))
    case .rgb:
      source = .rgb(sampleBytes: sampleBytes, transparent: key.map { Self.rgbKey($0, sampleBytes: sampleBytes) })
    case .grayAlpha:
      source = .grayAlpha(sampleBytes: sampleBytes)
    case .rgba:
      source = .rgba(sampleBytes: sampleBytes)
    }
  }

  /// Returns the pixels for all values of a gray sample. Of the 16 bits of the transparent value, only the sample's
  /// bits count (PNG specification, 11.3.1.1).
  private static func grays(depth: Int, transparent key: [UInt8]?) -> ContiguousArray<UInt32> {
    let count = 1 << depth
    let transparent = key.map { (Int($0[0]) << 8 | Int($0[1])) & (count - 1) }
    return ContiguousArray(
      (0..<count).map { sample in
        let value = UInt32(sample * 255 / (count - 1))
        return value &* 0x01_0101 | (sample == transparent ? 0 : 0xFF00_0000)
      })
  }

  private static func colors(
    _ palette: Range<Int>?, alphas: [UInt8]?, in file: RawSpan
  ) -> ContiguousArray<UInt32> {
    guard let palette else { return [] }
    return ContiguousArray(
      (0..<palette.count / 3).map { i in
        let at = palette.lowerBound + 3 * i
        let alpha = alphas.flatMap { i < $0.count ? $0[i] : nil } ?? 255
        return rgba(file.byte(at: at), file.byte(at: at + 1), file.byte(at: at + 2), alpha)
      })
  }

  /// Returns the transparent color as in a row: three samples of one or two bytes.
  private static func rgbKey(_ key: [UInt8], sampleBytes: Int) -> UInt64 {
    let bytes = sampleBytes == 2 ? key : [key[1], key[3], key[5]]
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  @inline(__always)
  private static func rgba(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) -> UInt32 {
    UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24
  }

  /// Writes the pixels of a row.
  /// - Parameters:
  ///   - rows: The unfiltered rows.
  ///   - row: The offset of the row, after its filter byte.
  ///   - count: The number of pixels.
  ///   - pixels: The image.
  ///   - first: The offset of the first pixel in the image.
  ///   - step: The number of bytes between pixels, 4 unless the image is interlaced.
  /// - Returns: `false` if a pixel has a color outside the palette.
  func expand(
    _ rows: RawSpan, at row: Int, count: Int, into pixels: inout MutableRawSpan, at first: Int, step: Int
  ) -> Bool {
    var to = first
    var from = row
    switch source {
    case .indexed(let bits, let colors):
      return Self.expandIndexed(rows, row, count, bits, colors.span, &pixels, first, step)
    case .gray16(let transparent):
      for _ in 0..<count {
        let high = rows.byte(at: from)
        let sample = UInt32(high) << 8 | UInt32(rows.byte(at: from &+ 1))
        pixels.set(Self.rgba(high, high, high, sample == transparent ? 0 : 255), at: to)
        from &+= 2
        to &+= step
      }
    case .rgb(let size, let transparent):
      for _ in 0..<count {
        let alpha: UInt8 = transparent != nil && Self.key(rows, from, 3 &* size) == transparent ? 0 : 255
        let red = rows.byte(at: from)
        let green = rows.byte(at: from &+ size)
        let blue = rows.byte(at: from &+ 2 &* size)
        pixels.set(Self.rgba(red, green, blue, alpha), at: to)
        from &+= 3 &* size
        to &+= step
      }
    case .grayAlpha(let size):
      for _ in 0..<count {
        let gray = rows.byte(at: from)
        pixels.set(Self.rgba(gray, gray, gray, rows.byte(at: from &+ size)), at: to)
        from &+= 2 &* size
        to &+= step
      }
    case .rgba(1) where step == 4:
      pixels.copy(rows.extracting(row..<row + 4 * count), to: first)
    case .rgba(let size):
      for _ in 0..<count {
        let red = rows.byte(at: from)
        let green = rows.byte(at: from &+ size)
        let blue = rows.byte(at: from &+ 2 &* size)
        pixels.set(Self.rgba(red, green, blue, rows.byte(at: from &+ 3 &* size)), at: to)
        from &+= 4 &* size
        to &+= step
      }
    }
    return true
  }

  @inline(__always)
  private static func key(_ rows: RawSpan, _ at: Int, _ count: Int) -> UInt64 {
    var value: UInt64 = 0
    for i in 0..<count { value = value << 8 | UInt64(rows.byte(at: at &+ i)) }
    return value
  }

  private static func expandIndexed(
    _ rows: RawSpan, _ row: Int, _ count: Int, _ bits: Int, _ colors: Span<UInt32>, _ pixels: inout MutableRawSpan,
    _ first: Int, _ step: Int
  ) -> Bool {
    var to = first
    let mask = 1 << bits - 1
    let perByte = 8 / bits
    var from = row
    var x = 0
    while x < count {
      // The leftmost pixel has the highest bits.
      var shift = 8 &- bits
      let packed = Int(rows.byte(at: from))
      let end = min(x &+ perByte, count)
      from &+= 1
      while x < end {
        let index = packed &>> shift & mask
        guard index < colors.count else { return false }
        pixels.set(colors[index], at: to)
        to &+= step
        shift &-= bits
        x &+= 1
      }
    }
    return true
  }
}
