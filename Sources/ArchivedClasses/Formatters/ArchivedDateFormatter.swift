// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving

/// The settings of an `NSDateFormatter`.
public struct ArchivedDateFormatter: SecureKeyedCoding {
  /// The format, of the kind that `strftime` of C takes.
  public var format: String?
  /// Whether words such as "tomorrow" are understood.
  public var allowsNaturalLanguage: Bool
  /// Newer settings by their names. Values of classes that were not asked for are `ArchivedObject`s.
  public var attributes: ArchivedDictionary?

  /// Makes settings.
  public init(format: String?, allowsNaturalLanguage: Bool = false, attributes: ArchivedDictionary? = nil) {
    self.format = format
    self.allowsNaturalLanguage = allowsNaturalLanguage
    self.attributes = attributes
  }

  /// `NSDateFormatter`.
  public static var archiveClassName: String { "NSDateFormatter" }

  /// Down to `NSFormatter`.
  public static var archiveClassChain: [String] { ["NSDateFormatter", "NSFormatter", "NSObject"] }

  /// Stores newer settings, format and whether words are understood.
  public func encode(with coder: KeyedArchiver) {
    if let attributes { coder.encode(attributes, forKey: "NS.attributes") }
    coder.encode(format, forKey: "NS.format")
    coder.encode(allowsNaturalLanguage, forKey: "NS.natural")
  }

  /// Reads format, whether words are understood, and newer settings.
  public init?(coder: KeyedUnarchiver) throws {
    format = try coder.decodeIfPresent(String.self, forKey: "NS.format")
    allowsNaturalLanguage = try coder.bare(Bool.self, "NS.natural") ?? false
    attributes = try coder.content(ArchivedDictionary.self, forKey: "NS.attributes")
  }
}
