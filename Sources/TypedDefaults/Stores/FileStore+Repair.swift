// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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

    /// A text with the number of values, the time of lost changes, and the path of the damaged file.
    public var description: String {
      let kept = "\(keys.count) value\(keys.count == 1 ? "" : "s") kept"
      let lost = written.map { "changes after \($0.formatted(Date.ISO8601FormatStyle())) lost" } ?? "nothing lost"
      return "\(kept), \(lost); the damaged file is \(damagedFile.path)"
    }
  }
}
