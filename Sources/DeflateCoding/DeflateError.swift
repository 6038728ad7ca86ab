// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An error in decompression, which the modules above convert to their own errors.
///
/// Two errors are equal if their codes and offsets are equal; ``detail`` is not compared.
package struct DeflateError: Error, Sendable {
  /// The kind of error.
  package enum Code: Sendable {
    /// The data ends too early.
    case truncated
    /// The data is not valid zlib or deflate data.
    case badData
    /// The Adler-32 does not match.
    case checksumMismatch
    /// The data is valid, but has the wrong decompressed size.
    case wrongSize
  }

  /// The kind of error.
  package var code: Code
  /// The byte offset in the input.
  package var byteOffset: Int
  /// A description of the error.
  package var detail: String

  init(_ code: Code, at byteOffset: Int, _ detail: String) {
    self.code = code
    self.byteOffset = byteOffset
    self.detail = detail
  }
}

extension DeflateError: Equatable {
  package static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.byteOffset == b.byteOffset }
}

extension DeflateError: CustomStringConvertible {
  package var description: String { "\(detail) (byte \(byteOffset))" }
}
