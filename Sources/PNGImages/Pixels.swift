// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

// The module's only file that uses `unsafe`. Every load is bounds-checked by the span, and every bit pattern is a valid
// vector of bytes.

extension MutableRawSpan {
  /// Returns the four samples of a pixel at `offset`.
  @inline(__always)
  func pixel(at offset: Int) -> SIMD4<UInt8> {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
  }

  /// Writes the four samples of a pixel.
  @inline(__always)
  mutating func set(_ pixel: SIMD4<UInt8>, at offset: Int) {
    storeBytes(of: pixel, toByteOffset: offset, as: SIMD4<UInt8>.self)
  }
}
