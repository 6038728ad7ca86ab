// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// A change that a migration made.
public struct MigrationChange: Sendable {
  /// The kind of a change.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A top-level key was renamed.
    case topKey
    /// The name, superclasses or hints of a class changed.
    case className = "class"
    /// A key was renamed.
    case key
    /// A number was boxed or became inline.
    case numberForm = "numbers"
    /// A number was converted to another kind.
    case numberKind = "kind"
    /// A value was added.
    case added
    /// A value was removed.
    case dropped
    /// A value was transformed.
    case transformed
    /// The file format changed.
    case format
  }

  /// The kind of the change.
  public let kind: Kind
  /// The index of the rule; nil for a change of the file format.
  public let rule: Int?
  /// The UID of the object or class record; nil for the top level.
  public let uid: ArchiveUID?
  /// The old key; nil for an added value or a class.
  public let oldKey: String?
  /// The new key; nil for a removed value or a class.
  public let newKey: String?
  /// The old value.
  let old: KeyedArchive.StoredValue?
  /// The new value.
  let new: KeyedArchive.StoredValue?
  /// With rules about primitives, the primitives that the values are or refer to.
  let primitive: (old: KeyedArchive.StoredValue, new: KeyedArchive.StoredValue)?

  init(
    _ kind: Kind, _ rule: Int?, _ uid: ArchiveUID?, key oldKey: String? = nil, to newKey: String? = nil,
    from old: KeyedArchive.StoredValue? = nil, to new: KeyedArchive.StoredValue? = nil,
    primitive: (old: KeyedArchive.StoredValue, new: KeyedArchive.StoredValue)? = nil
  ) {
    self.kind = kind
    self.rule = rule
    self.uid = uid
    self.oldKey = oldKey
    self.newKey = newKey
    self.old = old
    self.new = new
    self.primitive = primitive
  }
}

extension MigrationChange: CustomStringConvertible {
  /// The kind, the keys, the object, and the number of the rule from 1 on, such as `key 'Title' to 'name' of #12 by rule 3`.
  public var description: String {
    func quoted(_ key: String) -> String { "'\(MessageText.plain(MessageText.shortened(key, to: 60)))'" }
    var text = kind.rawValue
    switch (oldKey, newKey) {
    case (let old?, let new?):
      text += old.hasSameBytes(as: new) ? " \(quoted(old))" : " \(quoted(old)) to \(quoted(new))"
    case (let key?, nil), (nil, let key?): text += " \(quoted(key))"
    case (nil, nil): break
    }
    if let uid { text += " of \(uid)" }
    if let rule { text += " by rule \(rule + 1)" }
    return text
  }
}
