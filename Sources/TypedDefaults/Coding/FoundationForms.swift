// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
import PropertyListFormat

/// The forms of URLs.
enum URLCoding {
  static func encode(_ url: URL, _ form: DefaultsCodingOptions.URLForm) throws -> PropertyListValue {
    switch form {
    case .string where url.baseURL == nil: return .string(url.relativeString)
    case .string, .dictionary:
      var entries: PropertyListDictionary = ["relative": .string(url.relativeString)]
      if let base = url.baseURL { entries["base"] = try encode(base, .dictionary) }
      return .dictionary(entries)
    case .archive:
      return .data(try KeyedArchiver.archivedData(withRootObject: url, requiringSecureCoding: true))
    }
  }

  /// The URL in any of the forms; nil if it is none.
  static func decode(_ value: PropertyListValue) throws -> URL? {
    switch value {
    case .string(let text): return URL(string: text)
    case .data(let data): return try KeyedUnarchiver.unarchivedObject(ofClass: URL.self, from: data)
    case .dictionary(var entries):
      // Bases of bases, as deep as somebody wrote them; each is resolved against the next.
      var texts: [String] = []
      while case .string(let text)? = entries["relative"] {
        texts.append(text)
        guard let base = entries["base"] else { break }
        guard case .dictionary(let next) = base else { return nil }
        entries = next
      }
      guard case .string? = entries["relative"] else { return nil }
      var url: URL?
      for text in texts.reversed() {
        url = URL(string: text, relativeTo: url)
        if url == nil { return nil }
      }
      return url
    default: return nil
    }
  }
}

/// The forms of UUIDs.
enum UUIDCoding {
  static func data(_ id: UUID) -> Data {
    let u = id.uuid
    return Data([
      u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
    ])
  }

  static func decode(_ value: PropertyListValue) -> UUID? {
    switch value {
    case .string(let text): return UUID(uuidString: text)
    case .data(let data) where data.count == 16:
      let b = Array(data)
      return UUID(
        uuid: (
          b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
        ))
    default: return nil
    }
  }
}

/// Dates as texts.
enum ISODate {
  /// The years that four digits hold; outside of them a calendar may not even be able to tell the year.
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

/// Decimal numbers as texts.
enum DecimalText {
  /// The number that the whole of a text is; Foundation takes one at its beginning, whatever follows.
  static func number(_ text: String) -> Decimal? {
    if text == "NaN" { return .nan }
    guard text.wholeMatch(of: /[+\-]?([0-9]++(\.[0-9]*+)?|\.[0-9]++)([eE][+\-]?[0-9]++)?/) != nil else { return nil }
    return Decimal(string: text)
  }
}
