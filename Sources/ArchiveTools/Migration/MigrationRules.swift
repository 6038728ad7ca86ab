// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
public import PropertyListFormat

/// What separates archives of old programs from those that new ones read: rules that are applied one after the other, each
/// to what the ones before it made.
///
/// ```swift
/// let rules: MigrationRules = [
///   .topKey("Data", to: "root"),
///   .className("ScaryBugData", to: "ScaryCreatures.ScaryCreatureData", superclasses: ["NSObject"]),
///   .numbers(["Rating"], as: .objects, of: "ScaryCreatures.ScaryCreatureData"),
/// ]
/// let new = try archive.migrated(by: rules).archive.data()
/// ```
public struct MigrationRules: Sendable, ExpressibleByArrayLiteral {
  /// The rules in their order.
  public var rules: [MigrationRule]
  /// The format of migrated archives; the one they have if nil.
  public var format: PropertyList.Format?

  /// Makes a list of rules.
  public init(_ rules: [MigrationRule], format: PropertyList.Format? = nil) {
    self.rules = rules
    self.format = format
  }

  /// A list of rules.
  public init(arrayLiteral rules: MigrationRule...) { self.init(rules) }

  /// Throws what is wrong with the rules, whatever they are applied to.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.invalidRules`; its key path is that of the rule, such
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
  /// What is wrong with the rule, if anything is.
  fileprivate var problem: (detail: String, remedy: String?)? {
    if !selector.isTop {
      if selector.names.isEmpty { return ("the rule names no class", "Name the class as '$classname' has it") }
      if selector.names.contains(where: { $0.isEmpty || $0 == "*." || $0 == "*" }) {
        return (
          "a class has no name; there is no way to select all classes",
          "Name the class as '$classname' has it, or '*.Name' for one of any module"
        )
      }
    }
    switch action {
    case .className(let new, let superclasses):
      if selector.isTop { return ("what is on top has no class", nil) }
      if selector.includesSubclasses {
        return ("a class is renamed by its own name, subclasses say so by themselves", "Leave subclasses out")
      }
      if ([new] + (superclasses ?? [])).contains(where: \.isEmpty) { return ("a class's new name is empty", nil) }
    case .key(let old, let new, _):
      if old.hasSameBytes(as: new) { return ("'\(old)' is renamed to itself", nil) }
      return Self.problem(ofKeys: [old, new])
    case .numbers(let keys, _):
      if keys?.isEmpty == true { return ("the list of keys is empty", "Leave it out to speak of all numbers") }
      return Self.problem(ofKeys: keys ?? [])
    case .standard(let key, let value, let form):
      switch value {
      case .reference(.null), .boolean, .integer, .wideInteger, .float, .double, .string, .data: break
      default: return ("the value for '\(key)' is no plain value", "Give a string, number, boolean, data or nil")
      }
      if case .string("$null") = value, form == .objects {
        return ("the text '$null' as an object stands for nil", "Give nil")
      }
      return Self.problem(ofKeys: [key])
    case .kind(let key, _), .drop(let key), .transform(let key, _): return Self.problem(ofKeys: [key])
    }
    return nil
  }

  private static func problem(ofKeys keys: [String]) -> (detail: String, remedy: String?)? {
    let reserved = keys.first { ["$class", "$classname", "$classes", "$classhints"].contains($0) }
    return reserved.map { ("'\($0)' is the archiver's own key", "Rename a class with a rule for classes") }
  }
}
