// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The forms of URLs.
enum URLCoding {
  static func dictionary(_ url: URL) -> PropertyListValue {
    var entries: PropertyListDictionary = ["relative": .string(url.relativeString)]
    if let base = url.baseURL { entries["base"] = dictionary(base) }
    return .dictionary(entries)
  }

  /// Decodes a URL in any form. Returns nil if the value is not a URL.
  static func decode(_ value: PropertyListValue, _ options: PropertyListCodingOptions) throws -> URL? {
    switch value {
    case .string(let text): return URL(string: text)
    case .data(let data): return try options.urlFromData?(data)
    case .dictionary(var entries):
      // A loop, because a file can nest bases to any depth.
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
package enum UUIDCoding {
  package static func data(_ id: UUID) -> Data {
    let u = id.uuid
    return Data([u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15])
  }

  static func decode(_ value: PropertyListValue) -> UUID? {
    switch value {
    case .string(let text): return UUID(uuidString: text)
    case .data(let data): return uuid(data)
    default: return nil
    }
  }

  /// Returns the UUID of 16 bytes, or nil for another number of bytes, which are not copied.
  package static func uuid(_ bytes: Data) -> UUID? { bytes.count == 16 ? uuid([UInt8](bytes)) : nil }

  /// Returns the UUID of 16 bytes, or nil for another number of bytes.
  package static func uuid(_ b: [UInt8]) -> UUID? {
    guard b.count == 16 else { return nil }
    return UUID(
      uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]))
  }
}

/// Decimal numbers as strings.
enum DecimalText {
  /// Parses a decimal number. Unlike `Decimal(string:)`, it rejects text after the number.
  static func number(_ text: String) -> Decimal? {
    if text == "NaN" { return .nan }
    var rest = Substring(text).utf8
    // At most the number's own length: an offset of `Int.max` overflows.
    func skip(_ limit: Int? = nil, while matches: (UInt8) -> Bool) -> Int {
      let count = rest.prefix(limit ?? rest.count).prefix(while: matches).count
      rest = rest.dropFirst(count)
      return count
    }
    let isSign = { (byte: UInt8) in byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
    let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    _ = skip(1, while: isSign)
    let whole = skip(while: isDigit)
    let fraction = skip(1) { $0 == UInt8(ascii: ".") } == 1 ? skip(while: isDigit) : 0
    guard whole + fraction > 0 else { return nil }
    if skip(1, while: { $0 | 0x20 == UInt8(ascii: "e") }) == 1 {
      _ = skip(1, while: isSign)
      guard skip(while: isDigit) > 0 else { return nil }
    }
    return rest.isEmpty ? Decimal(string: text) : nil
  }
}
