// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// The components of a color as AppKit archives them: decimal numbers with blanks between, as text.
public struct ColorComponents: Hashable, Sendable {
  /// The text, with the zero byte at its end where there is one.
  public let text: String
  /// The numbers.
  public let values: [Double]

  /// Makes components; the numbers are written with as few digits as tell them apart.
  public init(_ values: [Double], endsWithZero: Bool = true) {
    self.values = values
    text = values.map { ColorComponents.text($0) }.joined(separator: " ") + (endsWithZero ? "\0" : "")
  }

  private static func text(_ value: Double) -> String {
    let text = value.description
    return text.rest(before: ".0").map { String($0) } ?? text
  }

  init?(_ bytes: [UInt8], counts: ClosedRange<Int>) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let digits = text.rest(before: "\0") ?? text[...]
    var values: [Double] = []
    for part in digits.split(separator: " ") {
      guard values.count < counts.upperBound, let value = Double(part), value.isFinite else { return nil }
      values.append(value)
    }
    guard counts.contains(values.count) else { return nil }
    self.text = text
    self.values = values
  }
}

extension KeyedUnarchiver {
  /// The components of a color; nil if there are none.
  func components(_ key: String, counts: ClosedRange<Int>) throws -> ColorComponents? {
    guard let kind = try kind(forKey: key) else { return nil }
    guard kind == .data, let components = ColorComponents(try needed([UInt8].self, key), counts: counts) else {
      throw malformed(
        "'\(key)' of a color must be \(counts.lowerBound) to \(counts.upperBound) numbers as text, with blanks between")
    }
    return components
  }
}

extension KeyedArchiver {
  /// Stores the components of a color, if there are any.
  func encode(_ components: ColorComponents?, forKey key: String) {
    if let components { encodeBytes(Data(components.text.utf8), forKey: key) }
  }
}
