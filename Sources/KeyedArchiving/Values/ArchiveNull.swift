// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What stands for nothing inside collections: `NSNull` on Apple's systems.
public struct ArchiveNull: SecureKeyedCoding, SharedByValue, Hashable, Sendable {
  /// Makes one; all are equal.
  public init() {}

  /// `NSNull`.
  public static var archiveClassName: String { "NSNull" }

  /// There is nothing to store.
  public func encode(with coder: KeyedArchiver) {}

  /// There is nothing to read.
  public init?(coder: KeyedUnarchiver) throws {}

  /// One object in the whole archive.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { _RecordedValue(.nullObject) }
}
