// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// A primitive of an archive: a string, number, Boolean or data, which has no class record.
public enum ArchivePrimitive: Hashable, Sendable {
  /// A string.
  case string(String)
  /// A number or Boolean.
  case number(ArchiveNumber)
  /// Bytes.
  case data(Data)

  /// Returns whether two values have the same kind and value. Strings are compared by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether the values are equal.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.string(let a), .string(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.data(let a), .data(let b)): a.hasSameBytes(as: b)
    default: false
    }
  }

  /// Hashes the value.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .string(let text): hasher.combine(text)
    case .number(let number): hasher.combine(number)
    case .data(let bytes): hasher.combine(FullyHashedData(bytes))
    }
  }
}
