// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// The rules that separate two archives of the same values, one by an old type and one by a new one.
///
/// ```swift
/// let derived = try DerivedRules(from: OldCreature("Ghost", 4.5), to: Creature("Ghost", 4.5))
/// for difference in derived.remaining { print("not covered:", difference) }
/// let rules = derived.rules
/// ```
///
/// What belongs together is told by keys and, where a key has another name, by its value; so give values that differ from
/// each other, one for every key. No value is ever dropped by a derived rule: a key that only the old archive has is among what
/// ``remaining`` tells, and whether it may go is for you to say.
public struct DerivedRules: Sendable {
  /// The rules.
  public let rules: MigrationRules
  /// In what the old archive differs from the new one when the rules were applied: what they do not say.
  public let remaining: [ArchiveDifference]

  /// Compares what two types archive.
  /// - Parameters:
  ///   - old: a value of the old type.
  ///   - new: the same as a value of the new one.
  /// - Throws: whatever the types' `encode(with:)` throws, and `KeyedArchiveError`.
  public init<Old: KeyedCoding, New: KeyedCoding>(from old: Old, to new: New) throws {
    try self.init(
      from: KeyedArchive(KeyedArchiver.archivedData(withRootObject: old, requiringSecureCoding: false)),
      to: KeyedArchive(KeyedArchiver.archivedData(withRootObject: new, requiringSecureCoding: false)))
  }

  /// Compares two archives.
  /// - Throws: `KeyedArchiveError` if one of them is damaged.
  public init(from old: KeyedArchive, to new: KeyedArchive) throws(KeyedArchiveError) {
    try old.validate()
    try new.validate()
    var comparison = RuleComparison(old: old, new: new)
    try comparison.run()
    rules = comparison.rules
    remaining = try new.differences(from: old.migrated(by: rules).archive)
  }
}

/// Walks through two archives side by side, as far as the rules that are found on the way make them alike.
private struct RuleComparison {
  let old: KeyedArchive
  let new: KeyedArchive
  private var room: ExpansionBudget
  private var pairs: [(ArchiveUID, ArchiveUID)] = []
  private var met: Set<UInt64> = []
  private var renamedClasses: [(old: String, new: ClassDescription)] = []
  private var topRules: [MigrationRule] = []
  private var renamings: [MigrationRule] = []
  private var values: [MigrationRule] = []
  private var known: Set<BytewiseString> = []
  /// The keys whose numbers change their place, by class and place.
  private var forms: [(className: String, form: MigrationRule.NumberForm, keys: [String])] = []

  init(old: KeyedArchive, new: KeyedArchive) {
    self.old = old
    self.new = new
    room = old.roomToCompare(with: new)
  }

  var rules: MigrationRules {
    let classes = renamedClasses.map {
      MigrationRule.className(ClassSelector([$0.old]), to: $0.new.name, superclasses: Array($0.new.chain.dropFirst()))
    }
    let numbers = forms.map {
      MigrationRule.numbers($0.keys, as: $0.form, of: $0.className == "$top" ? .top : ClassSelector([$0.className]))
    }
    return MigrationRules(topRules + classes + renamings + values + numbers)
  }

  mutating func run() throws(KeyedArchiveError) {
    try compare(old.top, new.top, .top, "$top")
    var next = 0
    while next < pairs.count {
      let (a, b) = pairs[next]
      next += 1
      guard case .instance(let oldClass, let before) = try old.object(a, room: &room),
        case .instance(let newClass, let after) = try new.object(b, room: &room)
      else { continue }
      let (description, wanted) = (try old.classDescription(oldClass), try new.classDescription(newClass))
      if !description.hasSameBytes(as: wanted),
        known.insert("class \(description.name) \(wanted.name)"),
        !renamedClasses.contains(where: { $0.old.hasSameBytes(as: description.name) })
      {
        renamedClasses.append((description.name, wanted))
      }
      try compare(before, after, ClassSelector([wanted.name]), wanted.name)
    }
  }

  private mutating func compare(
    _ before: [KeyedArchive.Entry], _ after: [KeyedArchive.Entry], _ selector: ClassSelector, _ className: String
  ) throws(KeyedArchiveError) {
    var gone: [KeyedArchive.Entry] = []
    var places: [BytewiseString: Int] = [:]
    for (place, entry) in after.enumerated() { places[BytewiseString(entry.key)] = place }
    var isMatched = [Bool](repeating: false, count: after.count)
    for entry in before {
      if let place = places[BytewiseString(entry.key)] {
        isMatched[place] = true
        try compare(entry.value, after[place].value, after[place].key, selector, className)
      } else {
        gone.append(entry)
      }
    }
    let fresh = after.indices.filter { !isMatched[$0] }
    // So many keys have no names that a person gave them.
    let isManageable = gone.count * fresh.count <= 4096
    for entry in gone where isManageable {
      var candidates: [Int] = []
      for place in fresh where !isMatched[place] {
        if try mayBe(entry.value, after[place].value) { candidates.append(place) }
      }
      guard candidates.count == 1, let place = candidates.first else { continue }
      var rivals = 0
      for other in gone where try mayBe(other.value, after[place].value) { rivals += 1 }
      guard rivals == 1 else { continue }
      isMatched[place] = true
      let key = after[place].key
      add(.key(entry.key, to: key, of: selector), "key \(className) \(entry.key) \(key)", to: \.renamings)
      try compare(entry.value, after[place].value, key, selector, className)
    }
    for place in fresh where !isMatched[place] {
      let entry = after[place]
      guard let value = try plain(entry.value, in: new) else { continue }
      let isObject = if case .reference = entry.value { true } else { false }
      add(
        .standard(value, forKey: entry.key, of: selector, as: isObject ? .objects : .inline),
        "standard \(className) \(entry.key)", to: \.values)
    }
  }

  private mutating func add(
    _ rule: MigrationRule, _ name: String, to list: WritableKeyPath<RuleComparison, [MigrationRule]>
  ) {
    guard known.insert(name) else { return }
    if rule.selector.isTop, list == \.renamings { topRules.append(rule) } else { self[keyPath: list].append(rule) }
  }

  /// Whether a value under another key may be the same.
  private mutating func mayBe(_ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue) throws(KeyedArchiveError)
    -> Bool
  {
    switch (try plain(a, in: old), try plain(b, in: new)) {
    case (let a?, let b?):
      // A boolean is not taken for the number 1 that happens to be under another key.
      if case .boolean = a { return a.isIdentical(to: b) }
      if case .boolean = b { return false }
      return a.isIdentical(to: b) || b.kind.map { a.converted(to: $0)?.isIdentical(to: b) ?? false } ?? false
    case (nil, nil): return true
    default: return false
    }
  }

  /// The plain value that a value is or leads to; a reference for nil; nil for anything else.
  private mutating func plain(
    _ value: KeyedArchive.StoredValue, in archive: KeyedArchive
  ) throws(KeyedArchiveError) -> KeyedArchive.StoredValue? {
    guard case .reference(let uid) = value else { return value.isPlain ? value : nil }
    switch try archive.object(uid, room: &room) {
    case .bare(let value): return value
    case .null: return .reference(.null)
    case .instance, .classRecord: return nil
    }
  }

  private mutating func compare(
    _ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue, _ key: String, _ selector: ClassSelector,
    _ className: String
  ) throws(KeyedArchiveError) {
    switch (a, b) {
    case (.array(let a), .array(let b)):
      for (a, b) in zip(a, b) {
        if case .reference(let a) = a, case .reference(let b) = b { meet(a, b) }
      }
      return
    default: break
    }
    if let before = try plain(a, in: old), let after = try plain(b, in: new), let kind = after.kind, before.kind != nil
    {
      if before.kind != kind, before.converted(to: kind) != nil {
        add(.kind(key, to: kind, of: selector), "kind \(className) \(key)", to: \.values)
      }
      let (wasObject, isObject) = (a.isReference, b.isReference)
      if wasObject != isObject, known.insert("form \(className) \(key)") {
        let form = isObject ? MigrationRule.NumberForm.objects : .inline
        if let place = forms.firstIndex(where: { $0.className == className && $0.form == form }) {
          forms[place].keys.append(key)
        } else {
          forms.append((className, form, [key]))
        }
      }
    } else if case .reference(let a) = a, case .reference(let b) = b {
      meet(a, b)
    }
  }

  private mutating func meet(_ a: ArchiveUID, _ b: ArchiveUID) {
    guard a != .null, b != .null, met.insert(UInt64(a.rawValue) << 32 | UInt64(b.rawValue)).inserted,
      // Each object once is enough to see what becomes of its class.
      pairs.count <= old.objectCount + new.objectCount
    else { return }
    pairs.append((a, b))
  }
}

extension KeyedArchive.StoredValue {
  /// The kind of number that it is.
  fileprivate var kind: MigrationRule.NumberKind? {
    switch self {
    case .boolean: .boolean
    case .integer, .wideInteger: .integer
    case .float: .float
    case .double: .double
    default: nil
    }
  }

  fileprivate var isReference: Bool { if case .reference = self { true } else { false } }
}
