// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Array: KeyedCoding, SecureKeyedCoding where Element: KeyedCoding {
  /// `NSArray`.
  public static var archiveClassName: String { "NSArray" }

  /// `NSMutableArray`.
  public static var archiveClassAliases: [String] { ["NSMutableArray"] }

  /// Stores references to the elements under `NS.objects`.
  public func encode(with coder: KeyedArchiver) { coder.encodeReferences(to: self, forKey: "NS.objects") }

  /// The note of an array, with those of its elements.
  @inlinable
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { coder.note(array: self) }

  /// Reads the elements.
  @inlinable
  public init?(coder: KeyedUnarchiver) throws { self = try coder.typedElements() }
}
