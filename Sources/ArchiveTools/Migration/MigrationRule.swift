// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
import KeyedArchiving

/// One step of a migration, which changes a top-level key, a class, or a key of a class's objects.
///
/// A rule without a matching object does nothing, so one list of rules can migrate archives of all versions. If a rule
/// finds a value of an unexpected kind, the migration of the archive fails.
public struct MigrationRule: Sendable {
  /// How numbers are stored.
  public enum NumberForm: String, Sendable, Hashable, CaseIterable {
    /// Boxed, as `decodeObject(of:)` expects: the form of secure coding.
    case objects
    /// Inline, as `decodeInteger(forKey:)` and similar methods of old programs expect.
    case inline
  }

  /// The kind of a number.
  public enum NumberKind: String, Sendable, Hashable, CaseIterable {
    /// A Boolean.
    case boolean
    /// An integer.
    case integer
    /// A 4-byte real.
    case float
    /// An 8-byte real.
    case double
  }

  /// The reaction to an object that already has the new key, or to an archive that already has the new class.
  public enum KeyConflict: String, Sendable, Hashable, CaseIterable {
    /// Reject the archive.
    case refuse
    /// Keep both keys, or merge the classes.
    case keep
  }

  /// A closure that transforms a primitive. It must have no side effects, because it is called repeatedly with a value.
  public typealias Transform = @Sendable (KeyedArchive.StoredValue) throws -> KeyedArchive.StoredValue

  package enum Action: Sendable {
    case renameClass(to: String, superclasses: [String]?, KeyConflict)
    case renameKey(String, to: String, KeyConflict)
    case storeNumbers([String]?, NumberForm)
    case convertNumber(String, NumberKind)
    case defaultValue(String, KeyedArchive.StoredValue, NumberForm)
    case removeKey(String)
    case transform(String, Transform)
  }

  /// The objects that the rule applies to.
  public let selector: ClassSelector
  package let action: Action

  /// Renames a top-level key, for example `Data` to `root`.
  /// - Parameters:
  ///   - old: The old key.
  ///   - new: The new key.
  ///   - conflict: The reaction to an archive that already has the new key.
  /// - Returns: The rule.
  public static func renameTopLevelKey(
    _ old: String, to new: String, ifPresent conflict: KeyConflict = .refuse
  ) -> Self {
    renameKey(old, to: new, of: .top, ifPresent: conflict)
  }

  /// Renames classes in class names, superclass chains and class hints.
  /// - Parameters:
  ///   - old: The classes.
  ///   - new: The new name.
  ///   - superclasses: The new superclasses, up to `NSObject`; nil keeps those in the archive.
  ///   - conflict: The reaction to an archive that has a class of the new name that the rule does not select. The objects of
  ///     merged classes cannot be told apart any more.
  /// - Returns: The rule.
  public static func renameClass(
    _ old: ClassSelector, to new: String, superclasses: [String]? = nil, ifPresent conflict: KeyConflict = .refuse
  ) -> Self {
    Self(selector: old, action: .renameClass(to: new, superclasses: superclasses, conflict))
  }

  /// Renames a key of objects.
  /// - Parameters:
  ///   - old: The old key.
  ///   - new: The new key.
  ///   - classes: The objects.
  ///   - conflict: The reaction to an object that already has the new key.
  /// - Returns: The rule.
  public static func renameKey(
    _ old: String, to new: String, of classes: ClassSelector, ifPresent conflict: KeyConflict = .refuse
  ) -> Self {
    Self(selector: classes, action: .renameKey(old, to: new, conflict))
  }

  /// Stores numbers and Booleans boxed or inline. Preserves their bits.
  /// - Parameters:
  ///   - keys: The keys, which must have only numbers as values; nil for all keys with numbers.
  ///   - form: The new form.
  ///   - classes: The objects.
  /// - Returns: The rule.
  public static func storeNumbers(_ keys: [String]? = nil, as form: NumberForm, of classes: ClassSelector) -> Self {
    Self(selector: classes, action: .storeNumbers(keys, form))
  }

  /// Converts a number to another kind, which must represent it exactly. A Boolean becomes only an integer, and only an
  /// integer becomes a Boolean.
  /// - Parameters:
  ///   - key: The key.
  ///   - kind: The new kind.
  ///   - classes: The objects.
  /// - Returns: The rule.
  public static func convertNumber(_ key: String, to kind: NumberKind, of classes: ClassSelector) -> Self {
    Self(selector: classes, action: .convertNumber(key, kind))
  }

  /// Adds a value to objects without a key.
  /// - Parameters:
  ///   - value: A primitive, or a reference to `ArchiveUID.null` for nil.
  ///   - key: The key.
  ///   - classes: The objects.
  ///   - form: Whether to store the value boxed or inline.
  /// - Returns: The rule.
  public static func defaultValue(
    _ value: KeyedArchive.StoredValue, forKey key: String, of classes: ClassSelector, as form: NumberForm = .objects
  ) -> Self {
    Self(selector: classes, action: .defaultValue(key, value, form))
  }

  /// Removes a key, and all objects that only its value refers to.
  ///
  /// Rules also apply to objects that were unreachable before. Objects to which only such an object refers stay in the file.
  /// To remove these, call `discardUnreachableObjects()` on the result.
  /// - Parameters:
  ///   - key: The key.
  ///   - classes: The objects.
  /// - Returns: The rule.
  public static func removeKey(_ key: String, of classes: ClassSelector) -> Self {
    Self(selector: classes, action: .removeKey(key))
  }

  /// Transforms the string, number, Boolean or data for a key. The result is stored in the form of the old value.
  ///
  /// The closure must be idempotent, because a second run of a migration must change nothing.
  /// - Parameters:
  ///   - key: The key.
  ///   - classes: The objects.
  ///   - body: The closure.
  /// - Returns: The rule.
  public static func transform(_ key: String, of classes: ClassSelector, _ body: @escaping Transform) -> Self {
    Self(selector: classes, action: .transform(key, body))
  }

  /// The kind of the rule's changes.
  var change: MigrationChange.Kind {
    switch action {
    case .renameClass: .className
    case .renameKey: selector.isTop ? .topKey : .key
    case .storeNumbers: .numberForm
    case .convertNumber: .numberKind
    case .defaultValue: .added
    case .removeKey: .dropped
    case .transform: .transformed
    }
  }
}

extension MigrationRule: CustomStringConvertible {
  /// A short description of the rule.
  public var description: String {
    switch action {
    case .renameClass(let new, let superclasses, _):
      "class \(selector) becomes \(([new] + (superclasses ?? [])).joined(separator: " < "))"
    case .renameKey(let old, let new, _): "key \(old) of \(selector) becomes \(new)"
    case .storeNumbers(let keys, .objects):
      "\(keys?.joined(separator: ", ") ?? "numbers") of \(selector) become objects"
    case .storeNumbers(let keys, .inline): "\(keys?.joined(separator: ", ") ?? "numbers") of \(selector) become inline"
    case .convertNumber(let key, let kind): "\(key) of \(selector) becomes \(kind.rawValue)"
    case .defaultValue(let key, _, _): "\(key) of \(selector) is added"
    case .removeKey(let key): "\(key) of \(selector) is removed"
    case .transform(let key, _): "\(key) of \(selector) is transformed"
    }
  }
}
