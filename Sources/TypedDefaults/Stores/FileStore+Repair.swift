// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

extension FileStore {
  /// The result of ``FileStore/repair()``.
  public struct Repair: Sendable, CustomStringConvertible {
    /// The damaged file, under its new name.
    public let damagedFile: URL
    /// The keys that have values in the repaired file.
    public let keys: [String]
    /// When the values were written, if changes after that are lost. It is nil if no change is lost, because the store
    /// had read the file after its last write and before it was damaged.
    public let written: Date?

    /// The keys whose last changes are lost, in order. It is nil if they are not known, for example because another program has
    /// written the file, and empty if no change is lost.
    ///
    /// If a process was killed while it wrote, the keys of that unfinished change can be among them.
    public let lostKeys: [String]?

    /// A text with the number of values, the lost changes, and the path of the damaged file.
    public var description: String {
      "\(Self.summary(count: keys.count, written: written, lostKeys: lostKeys)); the damaged file is \(damagedFile.path)"
    }

    /// Returns a text with the number of values and the lost changes.
    static func summary(count: Int, written: Date?, lostKeys: [String]?) -> String {
      let kept = "\(count) value\(count == 1 ? "" : "s") kept"
      let time = written.map { " after \($0.formatted(Date.ISO8601FormatStyle()))" } ?? ""
      guard let lostKeys else { return "\(kept), changes\(time) lost" }
      guard !lostKeys.isEmpty else { return "\(kept), nothing lost" }
      let named = lostKeys.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
      let others = lostKeys.count > 10 ? " and \(lostKeys.count - 10) more" : ""
      return "\(kept), changes\(time) lost: \(named)\(others)"
    }
  }
}
