// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

// The only file of this module with `unsafe` in it. What it relies on: every load goes through the span's own bounds
// check, and every pattern of bits is a valid vector of bytes.

extension MutableRawSpan {
  /// Four samples at `offset`, for arithmetic on a whole pixel.
  @inline(__always)
  func pixel(at offset: Int) -> SIMD4<UInt8> {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
  }

  /// Writes four samples.
  @inline(__always)
  mutating func set(_ pixel: SIMD4<UInt8>, at offset: Int) {
    storeBytes(of: pixel, toByteOffset: offset, as: SIMD4<UInt8>.self)
  }
}
