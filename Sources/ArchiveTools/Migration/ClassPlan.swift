// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The effect of rules on a class: the new class record, and the steps for each of its objects.
struct ClassPlan {
  /// A rule with its index.
  struct Step {
    let index: Int
    let rule: MigrationRule
  }

  let old: ClassDescription
  private(set) var new: ClassDescription
  /// The rules that changed the record.
  private(set) var classRules: [Int] = []
  /// The record before each of these rules, and how many of its last superclasses were given by rules.
  private var stages: [(record: ClassDescription, given: Int)] = []
  /// How many of the last superclasses of ``new`` were given by rules.
  private var given = 0
  private(set) var steps: [Step] = []

  init(for description: ClassDescription, by rules: ClassRules) {
    old = description
    new = description
    var indexes = rules.indexes(for: description)[...]
    while let index = indexes.popFirst() {
      let rule = rules.rules[index]
      if case .renameClass(let name, let superclasses, _) = rule.action {
        let renamed = new.renamed(rule.selector, to: name, superclasses)
        guard !renamed.hasSameBytes(as: new) else { continue }
        stages.append((new, given))
        if let superclasses, !ClassDescription.areSame(renamed.chain, new.chain) { given = superclasses.count }
        new = renamed
        classRules.append(index)
        // Later rules may select the new names.
        indexes = rules.indexes(for: new, from: index + 1)[...]
      } else if rule.selector.matches(new) {
        steps.append(Step(index: index, rule: rule))
      }
    }
  }

  /// The names of the class and its superclasses before and after each rule.
  var names: Set<BytewiseString> {
    Set((stages.map(\.record) + [new]).lazy.flatMap { [$0.name] + $0.chain }.map { BytewiseString($0) })
  }

  /// Returns the steps for `$top`.
  static func top(by rules: MigrationRules) -> [Step] {
    rules.rules.enumerated().filter { $0.element.selector.isTop }.map { Step(index: $0.offset, rule: $0.element) }
  }

  /// Returns the names of the class and its superclasses before a rule, without the superclasses that earlier rules gave it.
  func names(before rule: Int) -> [String] {
    guard let stage = classRules.firstIndex(where: { $0 >= rule }) else {
      return [new.name] + new.chain.dropLast(given)
    }
    return [stages[stage].record.name] + stages[stage].record.chain.dropLast(stages[stage].given)
  }

  /// The name that is in the new chain of superclasses more often than names were repeated before, with the last rule that
  /// changed the record.
  var newRepetition: (name: String, rule: Int)? {
    guard let rule = classRules.last, let name = new.chain.firstRepetition, old.chain.firstRepetition == nil else {
      return nil
    }
    return (name, rule)
  }

  var changesRecord: Bool { !new.hasSameBytes(as: old) }
}

/// The rules for objects by the names that they select, so that a class does not take the time of the rules for others.
struct ClassRules {
  let rules: [MigrationRule]
  /// The ascending indexes of the rules that select each name exactly.
  private var exact: [BytewiseString: [Int]] = [:]
  /// The indexes of the rules that select classes of any module, each of which is matched with each class.
  private var patterns: [Int] = []

  init(_ rules: MigrationRules) {
    self.rules = rules.rules
    for (index, rule) in self.rules.enumerated() where !rule.selector.isTop {
      if rule.selector.hasPatterns { patterns.append(index) }
      for name in rule.selector.exact { exact[name, default: []].append(index) }
    }
  }

  /// Returns the ascending indexes of all rules that may select a name in a class record, from an index on.
  func indexes(for description: ClassDescription, from first: Int = 0) -> [Int] {
    let names = Set(([description.name] + description.chain + description.hints).lazy.map { BytewiseString($0) })
    var indexes = Set(patterns)
    for name in names { if let rules = exact[name] { indexes.formUnion(rules) } }
    return indexes.filter { $0 >= first }.sorted()
  }
}

extension [String] {
  /// The first text that is equal to an earlier one.
  var firstRepetition: String? {
    var seen: Set<BytewiseString> = []
    return first { !seen.insert($0) }
  }
}

extension ClassDescription {
  /// Returns the description with some classes renamed.
  fileprivate func renamed(_ selector: ClassSelector, to name: String, _ superclasses: [String]?) -> Self {
    var copy = self
    let isSelected = selector.matches(self.name)
    if isSelected { copy.name = name }
    if let superclasses {
      if let index = chain.firstIndex(where: { selector.matches($0) }) {
        // The selected class can be among the new superclasses.
        let start = index - 1 - (superclasses.firstIndex { selector.matches($0) } ?? index)
        let isNew = start >= 0 && Self.areSame(Array(chain[start...]), [name] + superclasses)
        if !isNew { copy.chain = chain[..<index] + [name] + superclasses }
      } else if isSelected {
        copy.chain = [name] + superclasses
      }
    } else {
      copy.chain = chain.map { selector.matches($0) ? name : $0 }
    }
    copy.hints = hints.map { selector.matches($0) ? name : $0 }
    return copy
  }

  /// Returns whether another description has bytewise equal texts.
  func hasSameBytes(as other: Self) -> Bool {
    name.hasSameBytes(as: other.name) && Self.areSame(chain, other.chain) && Self.areSame(hints, other.hints)
  }

  static func areSame(_ a: [String], _ b: [String]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { $0.hasSameBytes(as: $1) }
  }
}
