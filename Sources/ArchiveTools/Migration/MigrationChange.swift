// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving

/// One thing that a migration changed.
public struct MigrationChange: Sendable {
  /// What kind of change it is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A top-level key has another name.
    case topKey
    /// A class has another name, or other superclasses or hints.
    case className = "class"
    /// A key has another name.
    case key
    /// A number became an object of its own, or the other way round.
    case numberForm = "numbers"
    /// A number is stored as another kind of number.
    case numberKind = "kind"
    /// A value was added.
    case added
    /// A value is gone.
    case dropped
    /// A value is another.
    case transformed
    /// The archive has another format.
    case format
  }

  /// What kind of change it is.
  public let kind: Kind
  /// The place of the rule among the rules; nil if no rule but the wanted format is the cause.
  public let rule: Int?
  /// The object, or the class record; nil for the top.
  public let uid: ArchiveUID?
  /// The key before; nil if there was none, and for classes.
  public let oldKey: String?
  /// The key after; nil if there is none.
  public let newKey: String?
  /// The value before.
  let old: KeyedArchive.StoredValue?
  /// The value after.
  let new: KeyedArchive.StoredValue?
  /// The plain values that these are, or lead to, where rules speak of plain values.
  let plain: (old: KeyedArchive.StoredValue, new: KeyedArchive.StoredValue)?

  init(
    _ kind: Kind, _ rule: Int?, _ uid: ArchiveUID?, key oldKey: String? = nil, to newKey: String? = nil,
    from old: KeyedArchive.StoredValue? = nil, to new: KeyedArchive.StoredValue? = nil,
    plain: (old: KeyedArchive.StoredValue, new: KeyedArchive.StoredValue)? = nil
  ) {
    self.kind = kind
    self.rule = rule
    self.uid = uid
    self.oldKey = oldKey
    self.newKey = newKey
    self.old = old
    self.new = new
    self.plain = plain
  }
}
