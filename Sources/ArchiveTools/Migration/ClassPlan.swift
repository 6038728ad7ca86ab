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

  init(for description: ClassDescription, by rules: MigrationRules) {
    old = description
    new = description
    for (index, rule) in rules.rules.enumerated() where !rule.selector.isTop {
      if case .renameClass(let name, let superclasses, _) = rule.action {
        let renamed = new.renamed(rule.selector, to: name, superclasses)
        guard !renamed.hasSameBytes(as: new) else { continue }
        stages.append((new, given))
        if let superclasses, !ClassDescription.areSame(renamed.chain, new.chain) { given = superclasses.count }
        new = renamed
        classRules.append(index)
      } else if rule.selector.matches(new) {
        steps.append(Step(index: index, rule: rule))
      }
    }
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

extension [String] {
  fileprivate var firstRepetition: String? {
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
        guard start < 0 || !Self.areSame(Array(chain[start...]), [name] + superclasses) else { return copy }
        copy.chain = chain[..<index] + [name] + superclasses
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
