// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension URL: SecureKeyedCoding {
  /// `NSURL`.
  public static var archiveClassName: String { "NSURL" }

  /// Stores the base under `NS.base` and what is relative to it under `NS.relative`.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(baseURL, forKey: "NS.base")
    coder.encode(relativeString, forKey: "NS.relative")
  }

  /// Reads the base from `NS.base` and what is relative to it from `NS.relative`.
  public init?(coder: KeyedUnarchiver) throws {
    let base = try coder.decodeIfPresent(URL.self, forKey: "NS.base")
    let text = try coder.decode(String.self, forKey: "NS.relative")
    guard let url = URL(string: text, relativeTo: base) else {
      throw coder.malformed("'NS.relative' of a URL is no URL: \(text.debugDescription)")
    }
    self = url
  }
}
