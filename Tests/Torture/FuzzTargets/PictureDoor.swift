// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import PNGImages

/// Pictures.
enum PictureDoor {
  /// Small enough that a picture takes little time; a file that claims more ends in an error.
  private static let limits = PNGLimits(maximumPixelCount: 1 << 20)

  static func enter(_ bytes: Data) throws {
    let header = try? PNGImage.check(bytes, limits: limits)
    guard let image = try? PNGImage(bytes, limits: limits) else { return }
    guard let header, header.width == image.width, header.height == image.height else {
      throw Breach("a picture that can be read does not pass the check")
    }
    guard try PNGImage(image.pngData(), limits: limits) == image else {
      throw Breach("a picture that is written and read has other pixels")
    }
  }
}
