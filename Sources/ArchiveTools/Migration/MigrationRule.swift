// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
import KeyedArchiving

/// One step of a migration: what becomes of a top-level key, a class, or a key of a class's objects.
///
/// A rule that finds nothing to do does nothing, so that one list of rules serves archives of all ages. A rule that finds
/// something else than it speaks of stops the migration of the archive.
public struct MigrationRule: Sendable {
  /// Where numbers are stored.
  public enum NumberForm: String, Sendable, Hashable, CaseIterable {
    /// As objects of their own, where `decodeObject(of:)` finds them: the secure layout.
    case objects
    /// Inside their objects, where `decodeInteger` and its like of old programs find them.
    case inline
  }

  /// How a number is stored.
  public enum NumberKind: String, Sendable, Hashable, CaseIterable {
    /// As a boolean.
    case boolean
    /// As an integer.
    case integer
    /// As a real of 4 bytes.
    case float
    /// As a real of 8 bytes.
    case double
  }

  /// What happens if the new name of a key is there already.
  public enum KeyConflict: String, Sendable, Hashable, CaseIterable {
    /// The archive is not migrated.
    case refuse
    /// Both keys stay as they are.
    case keep
  }

  /// Makes another plain value of one. Must be free of side effects, for it is called more than once with a value.
  public typealias Transform = @Sendable (KeyedArchive.StoredValue) throws -> KeyedArchive.StoredValue

  enum Action: Sendable {
    case className(to: String, superclasses: [String]?)
    case key(String, to: String, KeyConflict)
    case numbers([String]?, NumberForm)
    case kind(String, NumberKind)
    case standard(String, KeyedArchive.StoredValue, NumberForm)
    case drop(String)
    case transform(String, Transform)
  }

  /// The objects that it is about.
  public let selector: ClassSelector
  let action: Action

  /// Gives a top-level key another name, such as `Data` the name `root`.
  public static func topKey(_ old: String, to new: String, ifPresent conflict: KeyConflict = .refuse) -> Self {
    key(old, to: new, of: .top, ifPresent: conflict)
  }

  /// Gives classes another name, wherever an archive has it: as a class's own, as a superclass's, and among hints.
  /// - Parameters:
  ///   - old: the classes.
  ///   - new: the name.
  ///   - superclasses: what the class descends from now, up to `NSObject`; what the archive says if not given.
  /// - Returns: the rule.
  public static func className(_ old: ClassSelector, to new: String, superclasses: [String]? = nil) -> Self {
    Self(selector: old, action: .className(to: new, superclasses: superclasses))
  }

  /// Gives a key of objects another name.
  public static func key(
    _ old: String, to new: String, of classes: ClassSelector, ifPresent conflict: KeyConflict = .refuse
  ) -> Self {
    Self(selector: classes, action: .key(old, to: new, conflict))
  }

  /// Stores numbers and booleans as objects of their own, or inside their objects. Their bits stay.
  /// - Parameters:
  ///   - keys: the keys, under which nothing but numbers may be; all keys with numbers if not given.
  ///   - form: where numbers are to be stored.
  ///   - classes: the objects.
  /// - Returns: the rule.
  public static func numbers(_ keys: [String]? = nil, as form: NumberForm, of classes: ClassSelector) -> Self {
    Self(selector: classes, action: .numbers(keys, form))
  }

  /// Stores a number as another kind of number, if it has exactly that value.
  public static func kind(_ key: String, to kind: NumberKind, of classes: ClassSelector) -> Self {
    Self(selector: classes, action: .kind(key, kind))
  }

  /// Adds a value where a key is missing.
  /// - Parameters:
  ///   - value: a plain value, or a reference to `ArchiveUID.null` for nil.
  ///   - key: the key.
  ///   - classes: the objects.
  ///   - form: whether the value becomes an object of its own.
  /// - Returns: the rule.
  public static func standard(
    _ value: KeyedArchive.StoredValue, forKey key: String, of classes: ClassSelector, as form: NumberForm = .objects
  ) -> Self {
    Self(selector: classes, action: .standard(key, value, form))
  }

  /// Removes a key, and of what only it led to everything.
  public static func drop(_ key: String, of classes: ClassSelector) -> Self {
    Self(selector: classes, action: .drop(key))
  }

  /// Makes another value of the string, number, boolean or data under a key; it is stored where the old one is.
  ///
  /// What the function makes of its own result must be the same again, for a migration that is run twice changes nothing
  /// the second time.
  public static func transform(_ key: String, of classes: ClassSelector, _ body: @escaping Transform) -> Self {
    Self(selector: classes, action: .transform(key, body))
  }

  /// What kind of change it makes.
  var change: MigrationChange.Kind {
    switch action {
    case .className: .className
    case .key: selector.isTop ? .topKey : .key
    case .numbers: .numberForm
    case .kind: .numberKind
    case .standard: .added
    case .drop: .dropped
    case .transform: .transformed
    }
  }
}

extension MigrationRule: CustomStringConvertible {
  /// The rule in a few words.
  public var description: String {
    switch action {
    case .className(let new, let superclasses):
      "class \(selector) becomes \(([new] + (superclasses ?? [])).joined(separator: " < "))"
    case .key(let old, let new, _): "key \(old) of \(selector) becomes \(new)"
    case .numbers(let keys, .objects): "\(keys?.joined(separator: ", ") ?? "numbers") of \(selector) become objects"
    case .numbers(let keys, .inline): "\(keys?.joined(separator: ", ") ?? "numbers") of \(selector) become inline"
    case .kind(let key, let kind): "\(key) of \(selector) becomes \(kind.rawValue)"
    case .standard(let key, _, _): "\(key) of \(selector) is added"
    case .drop(let key): "\(key) of \(selector) is dropped"
    case .transform(let key, _): "\(key) of \(selector) is transformed"
    }
  }
}
