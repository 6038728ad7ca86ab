// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchiving
import PropertyListFormat

/// The rules of a command line that match no archive.
struct UnmatchedRules {
  /// The rules, as they were given, with the reasons.
  private(set) var notes: [(rule: String, note: String)] = []
  private let audit: ArchiveAudit

  /// Finds the rules.
  /// - Parameters:
  ///   - arguments: The checked arguments of `migrate`.
  ///   - audit: The archives, before or after the migration.
  init(_ arguments: Arguments, _ audit: ArchiveAudit) {
    self.audit = audit
    let keys = Renamings(arguments.values("top-key"), "top-key") { old, name in old.hasSameBytes(as: name) }
    note(keys, "top-key", "top-level key", audit.topKeys.map(\.key))
    let classes = Renamings(arguments.values("rename-class"), "rename-class") { old, name in
      ClassSelector([old]).matches(name)
    }
    note(classes, "rename-class", "class", audit.checkedClassNames)
    for option in ["objects", "inline"] {
      for text in arguments.values(option) {
        if let note = numbersNote(text, classes) { notes.append(("--\(option) \(text)", note)) }
      }
    }
  }

  /// Notes each renaming whose old name is missing, unless the new name exists, as after an earlier run.
  private mutating func note(_ renamings: Renamings, _ option: String, _ noun: String, _ names: [String]) {
    for (place, (old, new)) in renamings.pairs.enumerated() {
      let before = names.map { renamings.renamed($0, by: ..<place) }
      let last = renamings.renamed(new, by: (place + 1)...)
      guard !before.contains(where: { renamings.matches(old, $0) }),
        !names.contains(where: { $0.hasSameBytes(as: last) })
      else { continue }
      notes.append(("--\(option) \(old)=\(new)", "\(lacking(noun)) '\(old)'" + Self.advice(old, names)))
    }
  }

  /// Returns the reason why a rule about numbers, which applies to renamed classes, matches nothing; nil if it does not.
  private func numbersNote(_ text: String, _ classes: Renamings) -> String? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard !parts[0].hasSameBytes(as: "$top") else { return nil }
    let uses = audit.classes.map { (name: classes.renamed($0.name, by: 0...), use: $0) }
    let matching = uses.filter { ClassSelector([parts[0]]).matches($0.name) }
    let object = lacking("object of class") + " '\(parts[0])'"
    guard !matching.isEmpty else { return object + Self.advice(parts[0], uses.map(\.name)) }
    let keys = matching.flatMap { $0.use.keys.map(\.key) }
    guard parts.count > 1, !keys.contains(where: { $0.hasSameBytes(as: parts[1]) }) else { return nil }
    return "\(object) with the key '\(parts[1])'" + Self.advice(parts[1], keys)
  }

  private func lacking(_ noun: String) -> String {
    let article = noun.hasPrefix("object") ? "an" : "a"
    return audit.archiveCount == 1
      ? "the archive has no \(noun)" : "none of \(audit.archiveCount) archives has \(article) \(noun)"
  }

  private static func advice(_ word: String, _ known: [String]) -> String {
    if let near = Suggestion.nearest(to: word, among: known) { return ". Did you mean '\(near)'?" }
    return known.isEmpty ? "" : ". It has \(known.prefix(20).joined(separator: ", "))"
  }
}

/// The renamings of an option, in order.
struct Renamings {
  let pairs: [(old: String, new: String)]
  /// Returns whether an old name, which can be a pattern, matches a name.
  let matches: (_ old: String, _ name: String) -> Bool

  init(_ texts: [String], _ option: String, matching matches: @escaping (_ old: String, _ name: String) -> Bool) {
    self.matches = matches
    pairs = texts.compactMap { try? Self.pair($0, option) }
  }

  /// Returns the old and the new name in the value of an option.
  static func pair(_ text: String, _ option: String) throws(UsageError) -> (old: String, new: String) {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw UsageError(
        "invalid value '\(text)' for '--\(option)': expected OLD=NEW", remedy: "Put names with '=' into a rules file")
    }
    return (parts[0], parts[1])
  }

  /// Returns a name after some of the renamings.
  func renamed(_ name: String, by places: some RangeExpression<Int>) -> String {
    var name = name
    for (old, new) in pairs[places.relative(to: pairs.indices).clamped(to: pairs.indices)] where matches(old, name) {
      name = new
    }
    return name
  }
}
