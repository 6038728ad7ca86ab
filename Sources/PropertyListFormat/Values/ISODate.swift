// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Dates in ISO 8601 format.
enum ISODate {
  /// The years 1 to 9999. Foundation's calendar can trap on dates outside of them.
  private static let range = -62_135_596_800.0..<253_402_300_800.0

  static func text(_ date: Date) -> String? {
    guard range.contains(date.timeIntervalSince1970) else { return nil }
    return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  static func date(_ text: String) -> Date? {
    let found = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).consuming(
      text, startingAt: text.startIndex, in: text.startIndex..<text.endIndex)
    guard let found, found.upperBound == text.endIndex else { return nil }
    return found.output
  }
}
