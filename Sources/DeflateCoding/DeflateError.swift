// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Why bytes could not be inflated. The modules above turn it into errors of their own.
///
/// Two errors are equal when their codes and places are; ``detail`` is for people and is not compared.
package struct DeflateError: Error, Sendable {
  /// What went wrong.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code.
    package let name: String

    /// The stable name of the code.
    package var description: String { name }

    /// The bytes end in the middle of a block, or before the checksum.
    package static let truncated = Code(name: "truncated")
    /// The bytes break the rules of zlib or deflate.
    package static let badData = Code(name: "badData")
    /// The Adler-32 is not that of the bytes.
    package static let checksumMismatch = Code(name: "checksumMismatch")
    /// The stream is sound, but gives more or fewer bytes than were expected.
    package static let wrongSize = Code(name: "wrongSize")
  }

  /// What went wrong.
  package var code: Code
  /// Where in the input, counted from 0.
  package var byteOffset: Int
  /// What was expected and what was found, for people.
  package var detail: String

  init(_ code: Code, at byteOffset: Int, _ detail: String) {
    self.code = code
    self.byteOffset = byteOffset
    self.detail = detail
  }
}

extension DeflateError: Equatable {
  /// Equal when code and place are; the detail is not compared.
  package static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.byteOffset == b.byteOffset }
}

extension DeflateError: CustomStringConvertible {
  /// The detail, with the place.
  package var description: String { "\(detail) (byte \(byteOffset))" }
}
