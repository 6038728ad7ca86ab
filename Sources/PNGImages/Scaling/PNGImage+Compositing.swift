// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// An opaque colour.
public struct PNGColor: Hashable, Sendable {
  /// Red, 0 to 255.
  public var red: UInt8
  /// Green, 0 to 255.
  public var green: UInt8
  /// Blue, 0 to 255.
  public var blue: UInt8

  /// Makes a colour.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Black, what an opaque drawing surface starts with.
  public static let black = PNGColor(red: 0, green: 0, blue: 0)
  /// White.
  public static let white = PNGColor(red: 255, green: 255, blue: 255)
}

extension PNGImage {
  /// The image on a background that shows where it is transparent; the result is opaque.
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

  /// The weighted mean, rounded to the nearest.
  private static func blend(_ sample: UInt8, _ alpha: UInt8, _ below: UInt8) -> UInt8 {
    let a = UInt32(alpha)
    return UInt8(truncatingIfNeeded: (UInt32(sample) &* a &+ UInt32(below) &* (255 &- a) &+ 127) / 255)
  }
}
