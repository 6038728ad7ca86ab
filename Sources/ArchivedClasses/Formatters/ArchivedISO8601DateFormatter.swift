// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// The settings of an `NSISO8601DateFormatter`.
public struct ArchivedISO8601DateFormatter: SecureKeyedCoding, Hashable, Sendable {
  /// The bits of `ISO8601DateFormatter.Options`.
  public var formatOptions: Int
  /// The time zone.
  public var timeZone: ArchivedTimeZone?

  /// Makes settings; those that are usual if nothing is given.
  public init(formatOptions: Int = 1907, timeZone: ArchivedTimeZone? = ArchivedTimeZone(name: "GMT")) {
    self.formatOptions = formatOptions
    self.timeZone = timeZone
  }

  /// `NSISO8601DateFormatter`.
  public static var archiveClassName: String { "NSISO8601DateFormatter" }

  /// Down to `NSFormatter`.
  public static var archiveClassChain: [String] { ["NSISO8601DateFormatter", "NSFormatter", "NSObject"] }

  /// Stores options and time zone.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(formatOptions, forKey: "NS.formatOptions")
    coder.encode(timeZone, forKey: "NS.timeZone")
  }

  /// Reads options and time zone.
  public init?(coder: KeyedUnarchiver) throws {
    formatOptions = try coder.needed(Int.self, "NS.formatOptions")
    timeZone = try coder.decodeIfPresent(ArchivedTimeZone.self, forKey: "NS.timeZone")
  }
}
