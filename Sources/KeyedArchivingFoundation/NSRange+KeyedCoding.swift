// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension NSRange: SecureKeyedCoding {
  /// `NSValue`.
  public static var archiveClassName: String { ArchivedRange.archiveClassName }

  /// Stores location and length.
  public func encode(with coder: KeyedArchiver) throws {
    guard location >= 0, length >= 0 else {
      throw KeyedArchiveError(.notEncodable, "a range of \(length) places from \(location)")
    }
    ArchivedRange(location: location, length: length).encode(with: coder)
  }

  /// Reads a value that must be a range.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedRange(coder: coder) else { return nil }
    self.init(location: archived.location, length: archived.length)
  }
}
