// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// What rules do to a class: what becomes of its record, and the steps for each of its objects.
struct ClassPlan {
  /// A rule with its place.
  struct Step {
    let place: Int
    let rule: MigrationRule
  }

  let old: ClassDescription
  private(set) var new: ClassDescription
  /// The rules that changed the record.
  private(set) var classRules: [Int] = []
  private(set) var steps: [Step] = []

  init(for description: ClassDescription, by rules: MigrationRules) {
    old = description
    new = description
    for (place, rule) in rules.rules.enumerated() where !rule.selector.isTop {
      if case .className(let name, let superclasses) = rule.action {
        let renamed = new.renamed(rule.selector, to: name, superclasses)
        guard !renamed.hasSameBytes(as: new) else { continue }
        new = renamed
        classRules.append(place)
      } else if rule.selector.matches(new) {
        steps.append(Step(place: place, rule: rule))
      }
    }
  }

  /// The steps for what is on top.
  static func top(by rules: MigrationRules) -> [Step] {
    rules.rules.enumerated().filter { $0.element.selector.isTop }.map { Step(place: $0.offset, rule: $0.element) }
  }

  var changesRecord: Bool { !new.hasSameBytes(as: old) }
}

extension ClassDescription {
  /// The description with other names for some classes.
  fileprivate func renamed(_ selector: ClassSelector, to name: String, _ superclasses: [String]?) -> Self {
    var copy = self
    let isMeant = selector.matches(self.name)
    if isMeant { copy.name = name }
    if let superclasses {
      if let place = chain.firstIndex(where: { selector.matches($0) }) {
        copy.chain = chain[..<place] + [name] + superclasses
      } else if isMeant {
        copy.chain = [name] + superclasses
      }
    } else {
      copy.chain = chain.map { selector.matches($0) ? name : $0 }
    }
    copy.hints = hints.map { selector.matches($0) ? name : $0 }
    return copy
  }

  /// Whether another one says the same, letter for letter.
  func hasSameBytes(as other: Self) -> Bool {
    name.hasSameBytes(as: other.name) && Self.areSame(chain, other.chain) && Self.areSame(hints, other.hints)
  }

  static func areSame(_ a: [String], _ b: [String]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { $0.hasSameBytes(as: $1) }
  }
}
