// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension IndexSet: SecureKeyedCoding {
  /// `NSIndexSet`.
  public static var archiveClassName: String { ArchivedIndexSet.archiveClassName }

  /// `NSMutableIndexSet`.
  public static var archiveClassAliases: [String] { ArchivedIndexSet.archiveClassAliases }

  /// Stores the indexes as ranges.
  public func encode(with coder: KeyedArchiver) throws {
    try ArchivedIndexSet(rangeView.map { $0 }).encode(with: coder)
  }

  /// Reads the indexes.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedIndexSet(coder: coder) else { return nil }
    self.init()
    for range in archived.ranges { insert(integersIn: range) }
  }
}
