// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// One pass of the Adam7 interlace: a smaller image, spread over a grid of the whole one.
///
/// The seven grids are those of the PNG specification, 8.2. An image that is not interlaced is one pass with a grid of 1.
struct Adam7Pass {
  let firstX: Int
  let firstY: Int
  let stepX: Int
  let stepY: Int
  let width: Int
  let height: Int

  /// The single pass of an image that is not interlaced.
  static func whole(width: Int, height: Int) -> Self {
    Self(firstX: 0, firstY: 0, stepX: 1, stepY: 1, width: width, height: height)
  }

  /// The passes of an interlaced image. Small images have none in some of the seven grids; those are left out, as
  /// they are in the file.
  static func interlaced(width: Int, height: Int) -> [Self] {
    let grids = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]
    return grids.compactMap { x, y, stepX, stepY in
      guard x < width, y < height else { return nil }
      return Self(
        firstX: x, firstY: y, stepX: stepX, stepY: stepY, width: (width - x - 1) / stepX + 1,
        height: (height - y - 1) / stepY + 1)
    }
  }
}
