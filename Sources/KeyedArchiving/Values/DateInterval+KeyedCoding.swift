// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension DateInterval: SecureKeyedCoding {
  /// `NSDateInterval`.
  public static var archiveClassName: String { "NSDateInterval" }

  /// Stores the two dates under `NS.startDate` and `NS.endDate`.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(start, forKey: "NS.startDate")
    coder.encode(end, forKey: "NS.endDate")
  }

  /// Reads the two dates, of which the later must be the end.
  public init?(coder: KeyedUnarchiver) throws {
    let start = try coder.decode(Date.self, forKey: "NS.startDate")
    let end = try coder.decode(Date.self, forKey: "NS.endDate")
    guard start <= end else { throw coder.malformed("'NS.endDate' of a date interval is before its 'NS.startDate'") }
    self.init(start: start, end: end)
  }
}
