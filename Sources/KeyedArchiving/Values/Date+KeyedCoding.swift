// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Date: SecureKeyedCoding {
  /// `NSDate`.
  public static var archiveClassName: String { "NSDate" }

  /// Stores the seconds since 2001 under `NS.time`.
  public func encode(with coder: KeyedArchiver) { coder.encode(timeIntervalSinceReferenceDate, forKey: "NS.time") }

  /// Reads the seconds since 2001 from `NS.time`.
  public init?(coder: KeyedUnarchiver) throws {
    let seconds = try coder.needed(Double.self, "NS.time")
    guard seconds.isFinite else {
      throw coder.malformed("'NS.time' of a date must be a finite number, it is \(seconds)")
    }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}
