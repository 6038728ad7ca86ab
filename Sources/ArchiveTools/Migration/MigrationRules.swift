// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
public import PropertyListFormat

/// The rules that convert archives of old programs for new ones. Each rule applies to the result of the rules before
/// it.
///
/// ```swift
/// let rules: MigrationRules = [
///   .renameTopLevelKey("Data", to: "root"),
///   .renameClass("ScaryBugData", to: "ScaryCreatures.ScaryCreatureData", superclasses: ["NSObject"]),
///   .storeNumbers(["Rating"], as: .objects, of: "ScaryCreatures.ScaryCreatureData"),
/// ]
/// let new = try archive.migrated(by: rules).archive.data()
/// ```
public struct MigrationRules: Sendable, ExpressibleByArrayLiteral {
  /// The rules, in the order of their application.
  public var rules: [MigrationRule]
  /// The format of migrated archives; nil keeps the format.
  public var format: PropertyList.Format?

  /// Creates a list of rules.
  /// - Parameters:
  ///   - rules: The rules.
  ///   - format: The format of migrated archives; nil keeps the format.
  public init(_ rules: [MigrationRule], format: PropertyList.Format? = nil) {
    self.rules = rules
    self.format = format
  }

  /// Creates a list of rules.
  /// - Parameter rules: The rules.
  public init(arrayLiteral rules: MigrationRule...) { self.init(rules) }

  /// Throws an error if the rules are invalid for all archives.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.invalidRules`. Its key path names the rule, such
  ///   as `rules[2]`.
  public func validate() throws(KeyedArchiveError) {
    for (place, rule) in rules.enumerated() {
      guard let problem = rule.problem else { continue }
      throw KeyedArchiveError(
        .invalidRules, problem.detail, keyPath: "rules[\(place)]", remedy: problem.remedy)
    }
  }
}

extension MigrationRule {
  /// The reason why the rule is invalid.
  var problem: (detail: String, remedy: String?)? {
    if !selector.isTop {
      if selector.names.isEmpty { return ("the rule has no class name", "Pass the name in '$classname'") }
      if selector.names.contains(where: { $0.isEmpty || $0 == "*." || $0 == "*" }) {
        return (
          "invalid class name: empty or without a name after '*'; a rule cannot select all classes",
          "Pass the name in '$classname', or '*.Name' for a class of any module"
        )
      }
    }
    switch action {
    case .renameClass(let new, let superclasses, _):
      if selector.isTop { return ("'$top' has no class", "Select classes by name") }
      if selector.includesSubclasses {
        return ("a rule that renames classes cannot include subclasses", "Name each class to rename")
      }
      if ([new] + (superclasses ?? [])).contains(where: \.isEmpty) {
        return ("the new name of the class is empty", nil)
      }
      if let twice = ([new] + (superclasses ?? [])).firstRepetition {
        return ("the class '\(twice)' would be among its own superclasses", "List the classes above the new one")
      }
    case .renameKey(let old, let new, _):
      if old.hasSameBytes(as: new) { return ("the old and the new key are both '\(old)'", nil) }
      return Self.problem(ofKeys: [old, new])
    case .storeNumbers(let keys, _):
      if keys?.isEmpty == true { return ("the list of keys is empty", "Omit the list to select all numbers") }
      return Self.problem(ofKeys: keys ?? [])
    case .defaultValue(let key, let value, let form):
      guard value.isPrimitive || value.uid == .null else {
        return ("the default value for '\(key)' is not a primitive", "Pass a string, number, Boolean, data or nil")
      }
      if case .string("$null") = value, form == .objects {
        return ("the boxed string '$null' represents nil", "Pass nil")
      }
      return Self.problem(ofKeys: [key])
    case .convertNumber(let key, _), .removeKey(let key), .transform(let key, _): return Self.problem(ofKeys: [key])
    }
    return nil
  }

  private static func problem(ofKeys keys: [String]) -> (detail: String, remedy: String?)? {
    let reserved = keys.first { $0 == "$class" || ClassRecordKey(exactly: $0) != nil }
    return reserved.map {
      ("the key '\($0)' is reserved for the archiver", "To rename a class, use a rule for classes")
    }
  }
}

extension KeyedArchiveError.Code {
  /// Migration rules that are inconsistent, or that change reserved keys.
  public static let invalidRules = KeyedArchiveError.Code("invalidRules")
  /// An archive to which rules cannot be applied without loss.
  public static let notMigratable = KeyedArchiveError.Code("notMigratable")
  /// A migrated archive whose verification against the original failed.
  public static let notProved = KeyedArchiveError.Code("notProved")
  /// A file that could not be written, or that another program changed during the migration.
  public static let fileNotWritten = KeyedArchiveError.Code("fileNotWritten")
}
