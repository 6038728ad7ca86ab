// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

extension PNGImage {
  /// The image at another size: each new pixel is the mean of the area it covers in the old one.
  ///
  /// Colours count by their alpha, so that what is transparent does not bleed in. Where the old size is a multiple of
  /// the new one, the mean is exact but for one rounding at the end; where the new one is a multiple of the old, pixels
  /// are repeated. Pixels that become fully transparent become transparent black.
  /// - Parameters:
  ///   - newWidth: pixels in a row, at least 1.
  ///   - newHeight: rows, at least 1.
  ///   - limits: how large the result may become; only the size limits count here.
  /// - Returns: the scaled image.
  /// - Throws: ``PNGError`` with code `badDimensions` for a size below 1, and `limitReached`.
  public func scaled(
    toWidth newWidth: Int, height newHeight: Int, limits: PNGLimits = .default
  ) throws(PNGError) -> PNGImage {
    guard newWidth >= 1, newHeight >= 1, newWidth <= 0x7FFF_FFFF, newHeight <= 0x7FFF_FFFF else {
      throw PNGError(
        .badDimensions, "An image cannot be scaled to \(newWidth) x \(newHeight) pixels; both must be 1 to 2^31 - 1")
    }
    if newWidth == width, newHeight == height { return self }
    let count = try limits.pixelCount(width: newWidth, height: newHeight)
    // Sums reach 255 * 255 times the number of pixels, and must stay below 2^64. No memory holds that many.
    guard pixels.count >> 48 == 0 else {
      throw PNGError(.limitReached, "An image of \(width) x \(height) pixels is too large to be scaled")
    }
    // Each old row is spread over a new width: a very wide new image from a very high old one would take forever.
    let (work, overflow) = newWidth.multipliedReportingOverflow(by: height)
    guard !overflow, work <= max(limits.maximumPixelCount, pixels.count / 4) else {
      throw PNGError(
        .limitReached,
        "Scaling \(width) x \(height) pixels to \(newWidth) x \(newHeight) takes more than the "
          + "\(limits.maximumPixelCount) steps that are allowed; scale the height first")
    }
    var result = [UInt8](repeating: 0, count: 4 * count)
    let scaler = AreaScaler(from: (width, height), to: (newWidth, newHeight))
    pixels.withBytes { source in
      result.withMutableBytes { target in scaler.scale(source, into: &target) }
    }
    return PNGImage(unchecked: result, width: newWidth, height: newHeight)
  }

  /// The size at which the shorter side becomes `shorterSide` and nothing is cropped.
  ///
  /// The longer side is rounded to the nearest pixel.
  /// - Parameters:
  ///   - shorterSide: pixels, at least 1.
  ///   - upscales: whether an image that is smaller already grows; if not, its own size is returned.
  /// - Returns: the new size, in pixels.
  /// - Throws: ``PNGError`` with code `badDimensions` where the longer side would not be countable, or the shorter one is
  ///   below 1.
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
        "An image of \(width) x \(height) pixels cannot be scaled to a shorter side of \(shorterSide) pixels")
    }
    return width <= height ? (shorterSide, long) : (long, shorterSide)
  }

  /// A small copy for a list: the shorter side becomes `points` times `scale` pixels, and nothing is cropped.
  ///
  /// With the defaults that is the row of the creature list, 107 points at two pixels a point: 214 pixels.
  /// - Parameters:
  ///   - points: the shorter side, in points.
  ///   - scale: pixels a point.
  ///   - background: what shows where the image is transparent; nil keeps it transparent.
  ///   - upscales: whether an image that is smaller already grows to that size, and never beyond.
  ///   - limits: how large the result may become: an image of 1 x 100,000 pixels would become 214 x 21,400,000.
  /// - Returns: the thumbnail.
  /// - Throws: ``PNGError`` with code `badDimensions` or `limitReached`.
  public func thumbnail(
    points: Int = 107, scale: Int = 2, background: PNGColor? = nil, upscales: Bool = true,
    limits: PNGLimits = .default
  ) throws(PNGError) -> PNGImage {
    let (shorterSide, overflow) = points.multipliedReportingOverflow(by: scale)
    guard points >= 1, scale >= 1, !overflow else {
      throw PNGError(
        .badDimensions, "A thumbnail of \(points) points at scale \(scale) has no size; both must be at least 1")
    }
    let size = try size(withShorterSide: shorterSide, upscales: upscales)
    let small = try scaled(toWidth: size.width, height: size.height, limits: limits)
    return background.map { small.composited(on: $0) } ?? small
  }
}
