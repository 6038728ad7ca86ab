// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Migration rules derived from two archives of equal values, one of an old type and one of a new type.
///
/// ```swift
/// let derived = try DerivedRules(from: OldCreature("Ghost", 4.5), to: Creature("Ghost", 4.5))
/// for difference in derived.remaining { print("not covered:", difference) }
/// let rules = derived.rules
/// ```
///
/// Values are matched by key, and values of renamed keys by content. Therefore use a different value for each key.
/// Derived rules remove no values: a key that only the old archive has is a difference in ``remaining``. So are numbers of
/// another kind if that kind does not represent one of them exactly. If A becomes B, and B becomes C, only the second
/// renaming is derived. Rules could not tell an old B from a renamed A. If A and B change places, neither is derived.
public struct DerivedRules: Sendable {
  /// The rules.
  public let rules: MigrationRules
  /// The differences that remain after applying the rules to the old archive.
  public let remaining: [ArchiveDifference]

  /// Derives the rules from a value of each type.
  /// - Parameters:
  ///   - old: A value of the old type.
  ///   - new: An equal value of the new type.
  /// - Throws: `KeyedArchiveError`, or an error of `encode(with:)`.
  public init<Old: KeyedCoding, New: KeyedCoding>(from old: Old, to new: New) throws {
    try self.init(
      from: KeyedArchive(KeyedArchiver.archivedData(withRootObject: old, requiringSecureCoding: false)),
      to: KeyedArchive(KeyedArchiver.archivedData(withRootObject: new, requiringSecureCoding: false)))
  }

  /// Derives the rules from two archives.
  /// - Parameters:
  ///   - old: The old archive.
  ///   - new: The new archive.
  /// - Throws: `KeyedArchiveError` if one of them is damaged.
  public init(from old: KeyedArchive, to new: KeyedArchive) throws(KeyedArchiveError) {
    try old.validate()
    try new.validate()
    var comparison = RuleComparison(old: old, new: new)
    try comparison.run()
    let applicable = try Self.applicable(comparison.rules, to: old)
    do {
      let migrated = try old.migrated(by: applicable).archive
      (rules, remaining) = (applicable, try new.differences(from: migrated))
    } catch  where error.code == .notMigratable {
      // Together, the rules change what they should not, such as their own results.
      (rules, remaining) = (MigrationRules([]), try new.differences(from: old))
    }
  }

  /// The number of rules that are dropped one by one. Each takes one migration.
  private static let maximumAttempts = 16

  /// Returns the rules that can be applied to an archive. The conversion of a number, for example, fails if one number is
  /// not exactly representable.
  private static func applicable(
    _ rules: MigrationRules, to archive: KeyedArchive
  ) throws(KeyedArchiveError) -> MigrationRules {
    let archive = try archive.asFile()
    var rules = rules
    for attempt in 1...maximumAttempts {
      var migration = try GraphMigration(of: archive, by: rules)
      do {
        _ = try migration.run()
        return rules
      } catch {
        guard error.code == .notMigratable, let failed = migration.currentRule else { throw error }
        if attempt < maximumAttempts {
          rules.rules.remove(at: failed)
        } else {
          rules.rules.removeAll { if case .convertNumber = $0.action { true } else { false } }
        }
      }
    }
    return rules
  }
}

/// Traverses two archives in parallel, and follows the rules that it finds.
private struct RuleComparison {
  let old: KeyedArchive
  let new: KeyedArchive
  private var budget: ExpansionBudget
  private var pairs: [(ArchiveUID, ArchiveUID)] = []
  private var visited: Set<UInt64> = []
  /// The selections of the new classes, by the UIDs of the old and the new one.
  private var selectors: [UInt64: ClassSelector] = [:]
  private var renamedClasses: [(old: String, new: ClassDescription)] = []
  /// The old names in ``renamedClasses``.
  private var changedClasses: Set<BytewiseString> = []
  /// The names of the old classes and their superclasses.
  private var oldClasses: Set<BytewiseString> = []
  private var topRules: [MigrationRule] = []
  private var keyRules: [MigrationRule] = []
  private var valueRules: [MigrationRule] = []
  /// The rules found so far.
  private var known: Set<Fact> = []
  /// The keys whose numbers change their form, by selector and form.
  private var forms: [(selector: ClassSelector, form: MigrationRule.NumberForm, keys: [String])] = []
  private var formPlaces: [Form: Int] = [:]

  init(old: KeyedArchive, new: KeyedArchive) {
    self.old = old
    self.new = new
    budget = old.comparisonBudget(with: new)
  }

  var rules: MigrationRules {
    let formerNames = Set(
      renamedClasses.lazy.filter { !$0.old.hasSameBytes(as: $0.new.name) }.map { BytewiseString($0.old) })
    let classes = renamedClasses.compactMap { old, new -> MigrationRule? in
      let isRenamed = !old.hasSameBytes(as: new.name)
      guard !isRenamed || !formerNames.contains(BytewiseString(new.name)) else { return nil }
      // If the new program has merged two classes, so must the rules.
      return MigrationRule.renameClass(
        ClassSelector([old]), to: new.name, superclasses: Array(new.chain.dropFirst()),
        ifPresent: isRenamed && oldClasses.contains(new.name) ? .keep : .refuse)
    }
    let numbers = forms.map { MigrationRule.storeNumbers($0.keys, as: $0.form, of: $0.selector) }
    // An archive may have names that no rule can have, such as an empty one.
    let valid = (topRules + classes + keyRules + valueRules + numbers).filter { $0.problem == nil }
    return MigrationRules(independent(valid))
  }

  /// Returns rules without those that make a key which another rule renames. Such rules would change their own results, and
  /// renamings would depend on their order.
  private func independent(_ rules: [MigrationRule]) -> [MigrationRule] {
    var renamed: Set<Key> = []
    for rule in rules { if case .renameKey(let old, _, _) = rule.action { renamed.insert(Key(rule.selector, old)) } }
    return rules.filter { rule in
      switch rule.action {
      case .renameKey(_, let new, _), .defaultValue(let new, _, _): !renamed.contains(Key(rule.selector, new))
      default: true
      }
    }
  }

  /// A kind of rule, and the names in it. A selector tells the top-level values from a class of the name `$top`.
  private struct Fact: Hashable {
    let kind: String
    let selector: ClassSelector
    let names: [BytewiseString]
  }

  /// A form of numbers of the objects of a class.
  private struct Form: Hashable {
    let selector: ClassSelector
    let form: MigrationRule.NumberForm
  }

  /// A key of the objects of a class.
  private struct Key: Hashable {
    let selector: ClassSelector
    let key: BytewiseString

    init(_ selector: ClassSelector, _ key: String) {
      self.selector = selector
      self.key = BytewiseString(key)
    }
  }

  mutating func run() throws(KeyedArchiveError) {
    try compare(old.top, new.top, .top)
    var next = 0
    while next < pairs.count {
      let (a, b) = pairs[next]
      next += 1
      guard case .instance(let oldClass, let before) = try old.object(a, budget: &budget),
        case .instance(let newClass, let after) = try new.object(b, budget: &budget)
      else { continue }
      try compare(before, after, try compareClasses(oldClass, newClass))
    }
  }

  /// Compares the classes of two objects, and returns the selection of the new one. Each pair of classes is compared once,
  /// because its objects share it.
  private mutating func compareClasses(
    _ oldClass: ArchiveUID, _ newClass: ArchiveUID
  ) throws(KeyedArchiveError) -> ClassSelector {
    let pair = UInt64(oldClass.rawValue) << 32 | UInt64(newClass.rawValue)
    if let known = selectors[pair] { return known }
    let (description, wanted) = (try old.classDescription(oldClass), try new.classDescription(newClass))
    for name in [description.name] + description.chain { oldClasses.insert(name) }
    if !description.hasSameBytes(as: wanted), changedClasses.insert(description.name) {
      renamedClasses.append((description.name, wanted))
    }
    let selector = ClassSelector([wanted.name])
    selectors[pair] = selector
    return selector
  }

  private mutating func compare(
    _ before: [KeyedArchive.Entry], _ after: [KeyedArchive.Entry], _ selector: ClassSelector
  ) throws(KeyedArchiveError) {
    var removed: [KeyedArchive.Entry] = []
    var places: [BytewiseString: Int] = [:]
    for (place, entry) in after.enumerated() { places[BytewiseString(entry.key)] = place }
    var isMatched = [Bool](repeating: false, count: after.count)
    for entry in before {
      if let place = places[BytewiseString(entry.key)] {
        isMatched[place] = true
        try compare(entry.value, after[place].value, after[place].key, selector)
      } else {
        removed.append(entry)
      }
    }
    let added = after.indices.filter { !isMatched[$0] }
    // More keys than these are generated, not renamed.
    let isManageable = Int64(removed.count) * Int64(added.count) <= 4096
    for entry in removed where isManageable {
      var candidates: [Int] = []
      for place in added where !isMatched[place] {
        if try mayEqual(entry.value, after[place].value) { candidates.append(place) }
      }
      guard candidates.count == 1, let place = candidates.first else { continue }
      var rivals = 0
      for other in removed where try mayEqual(other.value, after[place].value) { rivals += 1 }
      guard rivals == 1 else { continue }
      isMatched[place] = true
      let key = after[place].key
      add(.renameKey(entry.key, to: key, of: selector), isNew("key", selector, entry.key, key), to: \.keyRules)
      try compare(entry.value, after[place].value, key, selector)
    }
    for place in added where !isMatched[place] {
      let entry = after[place]
      guard let value = try primitive(entry.value, in: new) else { continue }
      add(
        .defaultValue(value, forKey: entry.key, of: selector, as: entry.value.isReference ? .objects : .inline),
        isNew("standard", selector, entry.key), to: \.valueRules)
    }
  }

  private mutating func add(
    _ rule: MigrationRule, _ isNew: Bool, to list: WritableKeyPath<RuleComparison, [MigrationRule]>
  ) {
    guard isNew else { return }
    if rule.selector.isTop, list == \.keyRules { topRules.append(rule) } else { self[keyPath: list].append(rule) }
  }

  /// Returns whether a rule was not found before.
  private mutating func isNew(_ kind: String, _ selector: ClassSelector, _ names: String...) -> Bool {
    known.insert(Fact(kind: kind, selector: selector, names: names.map { BytewiseString($0) })).inserted
  }

  /// Returns whether a value under another key may be equal.
  private mutating func mayEqual(_ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue) throws(KeyedArchiveError)
    -> Bool
  {
    switch (try primitive(a, in: old), try primitive(b, in: new)) {
    case (let a?, let b?):
      // A Boolean does not match the number 1 under another key.
      if case .boolean = a { return a.isIdentical(to: b) }
      if case .boolean = b { return false }
      return a.isIdentical(to: b) || b.kind.map { a.converted(to: $0)?.isIdentical(to: b) ?? false } ?? false
    case (nil, nil): return true
    default: return false
    }
  }

  /// Returns the primitive that a value is or refers to, a null reference for nil, or nil for other values.
  private mutating func primitive(
    _ value: KeyedArchive.StoredValue, in archive: KeyedArchive
  ) throws(KeyedArchiveError) -> KeyedArchive.StoredValue? {
    guard case .reference(let uid) = value else { return value.isPrimitive ? value : nil }
    switch try archive.object(uid, budget: &budget) {
    case .primitive(let value): return value
    case .null: return .reference(.null)
    case .instance, .classRecord: return nil
    }
  }

  private mutating func compare(
    _ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue, _ key: String, _ selector: ClassSelector
  ) throws(KeyedArchiveError) {
    switch (a, b) {
    case (.array(let a), .array(let b)):
      for (a, b) in zip(a, b) {
        if case .reference(let a) = a, case .reference(let b) = b { visit(a, b) }
      }
      return
    default: break
    }
    if let before = try primitive(a, in: old), let after = try primitive(b, in: new), let kind = after.kind,
      before.kind != nil
    {
      if before.kind != kind, before.converted(to: kind) != nil {
        add(.convertNumber(key, to: kind, of: selector), isNew("kind", selector, key), to: \.valueRules)
      }
      let (wasObject, isObject) = (a.isReference, b.isReference)
      if wasObject != isObject, isNew("form", selector, key) {
        let form = isObject ? MigrationRule.NumberForm.objects : .inline
        if let place = formPlaces[Form(selector: selector, form: form)] {
          forms[place].keys.append(key)
        } else {
          formPlaces[Form(selector: selector, form: form)] = forms.count
          forms.append((selector, form, [key]))
        }
      }
    } else if case .reference(let a) = a, case .reference(let b) = b {
      visit(a, b)
    }
  }

  private mutating func visit(_ a: ArchiveUID, _ b: ArchiveUID) {
    guard a != .null, b != .null, visited.insert(UInt64(a.rawValue) << 32 | UInt64(b.rawValue)).inserted,
      // One comparison per object is enough to compare its class.
      pairs.count <= old.objectCount + new.objectCount
    else { return }
    pairs.append((a, b))
  }
}

extension KeyedArchive.StoredValue {
  /// The kind of a number; nil for other values.
  fileprivate var kind: MigrationRule.NumberKind? {
    switch self {
    case .boolean: .boolean
    case .integer, .wideInteger: .integer
    case .float: .float
    case .double: .double
    default: nil
    }
  }

  fileprivate var isReference: Bool { uid != nil }
}
