// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

extension PNGImage {
  /// Returns the image at another size; each new pixel is the mean of the area that it covers.
  ///
  /// Colors are weighted by alpha, so transparent pixels do not bleed. If the old size is a multiple of the new one,
  /// the mean is exact except for one rounding. If the new size is a multiple of the old one, pixels are repeated.
  /// Fully transparent pixels become transparent black, unless the size is the same: the result is then the same image.
  /// - Parameters:
  ///   - newWidth: The new width, at least 1.
  ///   - newHeight: The new height, at least 1.
  ///   - limits: The limits for the new size, also if it equals the old one.
  /// - Returns: The scaled image.
  /// - Throws: ``PNGError`` with code `badDimensions` for a size below 1, or `limitReached`.
  public func scaled(
    toWidth newWidth: Int, height newHeight: Int, limits: PNGLimits = .default
  ) throws(PNGError) -> PNGImage {
    guard newWidth >= 1, newHeight >= 1, newWidth <= 0x7FFF_FFFF, newHeight <= 0x7FFF_FFFF else {
      throw PNGError(
        .badDimensions, "Invalid size: found \(newWidth) x \(newHeight) pixels; expected 1 to 2^31 - 1 each")
    }
    let count = try limits.pixelCount(width: newWidth, height: newHeight)
    if newWidth == width, newHeight == height { return self }
    // Sums reach 255 * 255 times the number of pixels, and must stay below 2^64.
    guard UInt64(pixels.count) >> 48 == 0 else {
      throw PNGError(.limitReached, "Image too large to scale: found \(width) x \(height) pixels")
    }
    // Each old row is summed into a new row, so a very wide result of a very high image would take too long.
    let (work, overflow) = newWidth.multipliedReportingOverflow(by: height)
    guard !overflow, work <= max(limits.maximumPixelCount, pixels.count / 4) else {
      throw PNGError(
        .limitReached,
        "Scaling too expensive: \(width) x \(height) to \(newWidth) x \(newHeight) pixels needs more than "
          + "\(limits.maximumPixelCount) steps",
        remedy: "Scale the height first, or raise PNGLimits.maximumPixelCount")
    }
    var result = [UInt8](repeating: 0, count: 4 * count)
    let scaler = AreaScaler(from: (width, height), to: (newWidth, newHeight))
    pixels.withBytes { source in
      result.withMutableBytes { target in scaler.scale(source, into: &target) }
    }
    return PNGImage(unchecked: result, width: newWidth, height: newHeight)
  }

  /// Returns the size with a given shorter side, without cropping.
  ///
  /// The longer side is rounded to the nearest pixel.
  /// - Parameters:
  ///   - shorterSide: The shorter side in pixels, at least 1.
  ///   - upscales: Whether smaller images grow; if not, their own size is returned.
  /// - Returns: The new size in pixels.
  /// - Throws: ``PNGError`` with code `badDimensions` if the shorter side is below 1 or the longer one overflows.
  public func size(
    withShorterSide shorterSide: Int, upscales: Bool = true
  ) throws(PNGError) -> (width: Int, height: Int) {
    let short = min(width, height)
    if !upscales, short <= shorterSide, shorterSide >= 1 { return (width, height) }
    // The rounded quotient, without an intermediate that could overflow.
    let (product, overflow) = max(width, height).multipliedReportingOverflow(by: shorterSide)
    let (quotient, rest) = product.quotientAndRemainder(dividingBy: short)
    let long = quotient + (rest >= short - rest ? 1 : 0)
    guard shorterSide >= 1, !overflow, long <= 0x7FFF_FFFF else {
      throw PNGError(
        .badDimensions,
        "Invalid shorter side for \(width) x \(height) pixels: found \(shorterSide); expected 1 or more, without overflow"
      )
    }
    return width <= height ? (shorterSide, long) : (long, shorterSide)
  }

  /// Returns a small copy for lists, without cropping. Its shorter side is `points` times `scale` pixels.
  ///
  /// The default is the row of the creature list: 107 points at two pixels per point, 214 pixels.
  /// - Parameters:
  ///   - points: The shorter side in points.
  ///   - scale: The number of pixels per point.
  ///   - background: The color behind transparent pixels; nil keeps them transparent.
  ///   - upscales: Whether smaller images grow to that size.
  ///   - limits: The limits for the result: an image of 1 x 100,000 pixels would become 214 x 21,400,000.
  /// - Returns: The thumbnail.
  /// - Throws: ``PNGError`` with code `badDimensions` or `limitReached`.
  public func thumbnail(
    points: Int = 107, scale: Int = 2, background: PNGColor? = nil, upscales: Bool = true,
    limits: PNGLimits = .default
  ) throws(PNGError) -> PNGImage {
    let (shorterSide, overflow) = points.multipliedReportingOverflow(by: scale)
    guard points >= 1, scale >= 1, !overflow else {
      throw PNGError(
        .badDimensions, "Invalid thumbnail size: found \(points) points at scale \(scale); expected at least 1 each")
    }
    let size = try size(withShorterSide: shorterSide, upscales: upscales)
    let small = try scaled(toWidth: size.width, height: size.height, limits: limits)
    return background.map { small.composited(on: $0) } ?? small
  }
}

/// An opaque color.
public struct PNGColor: Hashable, Sendable {
  /// The red sample, 0 to 255.
  public var red: UInt8
  /// The green sample, 0 to 255.
  public var green: UInt8
  /// The blue sample, 0 to 255.
  public var blue: UInt8

  /// Creates a color from its samples.
  /// - Parameters:
  ///   - red: The red sample.
  ///   - green: The green sample.
  ///   - blue: The blue sample.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Black, the initial color of an opaque drawing surface.
  public static let black = PNGColor(red: 0, green: 0, blue: 0)
  /// White.
  public static let white = PNGColor(red: 255, green: 255, blue: 255)
}

extension PNGImage {
  /// Returns the image on an opaque background.
  /// - Parameter background: The color behind transparent pixels.
  /// - Returns: An opaque image.
  public func composited(on background: PNGColor) -> PNGImage {
    if isOpaque { return self }
    var result = pixels
    result.withMutableBytes { bytes in
      var i = 0
      while i < bytes.byteCount {
        let alpha = bytes.byte(at: i &+ 3)
        if alpha != 255 {
          bytes.set(Self.blend(bytes.byte(at: i), alpha, background.red), at: i)
          bytes.set(Self.blend(bytes.byte(at: i &+ 1), alpha, background.green), at: i &+ 1)
          bytes.set(Self.blend(bytes.byte(at: i &+ 2), alpha, background.blue), at: i &+ 2)
          bytes.set(255 as UInt8, at: i &+ 3)
        }
        i &+= 4
      }
    }
    return PNGImage(unchecked: result, width: width, height: height)
  }

  /// Returns the weighted mean, rounded to the nearest.
  private static func blend(_ sample: UInt8, _ alpha: UInt8, _ below: UInt8) -> UInt8 {
    let a = UInt32(alpha)
    return UInt8(truncatingIfNeeded: (UInt32(sample) &* a &+ UInt32(below) &* (255 &- a) &+ 127) / 255)
  }
}
