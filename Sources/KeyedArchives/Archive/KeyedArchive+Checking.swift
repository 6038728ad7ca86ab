// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension KeyedArchive {
  /// A problem that ``KeyedArchive/check(allowing:)`` found.
  public struct Issue: Sendable, Hashable, CustomStringConvertible {
    /// Whether the problem prevents decoding.
    public enum Severity: String, Sendable, Hashable {
      /// A decoder rejects the archive or the affected part of it.
      case error
      /// The archive is unusual, but decodes.
      case note
    }

    /// The stable name of the problem: `danglingReference`, `noClass`, `badClassRecord`, `badObject`, `badTop`,
    /// `misspelledRoot`, `firstIsNotNull`, `classNotAllowed`, `unreferencedObject`, `duplicateKey`, `unequalCounts`,
    /// `limitReached`.
    public var code: String
    /// Whether the problem prevents decoding.
    public var severity: Severity
    /// The description: what was found and what was expected.
    public var detail: String
    /// The affected object.
    public var uid: ArchiveUID?
    /// The byte offset in the file.
    public var byteOffset: Int?
    /// The line in an XML file, counted from 1.
    public var line: Int?
    /// How to mend it, if a general way exists.
    public var remedy: String?
    /// The kind of the remedy, if the problem is a limit.
    var limitRemedy: LimitRemedy?

    /// The problem in one line, without the remedy.
    public var description: String {
      let position = [
        uid.map { "object \($0)" }, line.map { "line \($0)" }, byteOffset.map { "byte \($0)" },
      ].compactMap(\.self)
      return "\(severity) \(code): \(detail)" + (position.isEmpty ? "" : " (\(position.joined(separator: ", ")))")
    }
  }

  /// Checks every object.
  /// - Parameter allowed: The class names that class records may have; nil allows all. Strings, numbers and data that are
  ///   stored without a class are always allowed here, but a decoder with an allow list also checks these.
  /// - Returns: The problems in the order of the objects; empty for a valid archive.
  public func check(allowing allowed: Set<String>? = nil) -> [Issue] {
    var check = ArchiveCheck(self, allowed)
    check.run()
    return check.issues
  }

  /// Throws an error if the archive is invalid.
  /// - Throws: `KeyedArchiveError` for the first issue that is an error.
  public func validate() throws(KeyedArchiveError) {
    guard let worst = check().first(where: { $0.severity == .error }) else { return }
    throw worst.asError
  }
}

extension KeyedArchive.Issue {
  /// The error of an operation that the issue prevents.
  package var asError: KeyedArchiveError {
    let code: KeyedArchiveError.Code =
      switch code {
      case "limitReached": .limitReached
      case "classNotAllowed": .classNotAllowed
      default: .damagedArchive
      }
    var error = KeyedArchiveError(code, detail, uid: uid, byteOffset: byteOffset, remedy: remedy)
    error.line = line
    guard let limitRemedy, let remedy else { return error }
    return error.advising(limitRemedy, remedy)
  }
}

/// One check of an archive's objects.
private struct ArchiveCheck {
  let archive: KeyedArchive
  let allowed: Set<BytewiseString>?
  var issues: [KeyedArchive.Issue] = []
  private var isReferenced: [Bool]
  private var budget: ExpansionBudget
  private var classNames: [ArchiveUID: BytewiseString?] = [:]
  /// The rows of objects without issues. A damaged `$objects` may contain a row many times.
  private var validRows: Set<ObjectRef> = []
  /// The long key that was shortened last, because it may have many references.
  private var cutKey = (whole: "", short: "")
  /// The reference to nothing that was reported last, because an array may have it many times.
  private var lastDangling: (key: String, target: ArchiveUID, isTopLevel: Bool, detail: String)?

  init(_ archive: KeyedArchive, _ allowed: Set<String>?) {
    self.archive = archive
    self.allowed = allowed.map { Set($0.exact) }
    budget = archive.budget
    isReferenced = [Bool](repeating: false, count: archive.objectCount)
  }

  mutating func run() {
    checkKeys(ofRow: archive.list.top, nil, "the envelope's key")
    checkTop()
    if case .null? = try? archive.object(.null) {
    } else {
      add("firstIsNotNull", .error, "object #0 is not the string '$null'", .null)
    }
    for index in 0..<archive.objectCount {
      guard checkObject(ArchiveUID(rawValue: UInt32(index))) else { return }
    }
    for index in 1..<max(archive.objectCount, 1) where !isReferenced[index] {
      let uid = ArchiveUID(rawValue: UInt32(index))
      // `discardUnreachableObjects()` replaces objects by `$null`.
      if let row = try? archive.row(of: uid), (try? archive.isNull(row)) == true { continue }
      add("unreferencedObject", .note, "no reference to the object", uid)
      if reportExhaustion(uid) { return }
    }
  }

  private mutating func checkTop() {
    let top: [KeyedArchive.Entry]
    do {
      top = try archive.top
    } catch {
      return add(error, "badTop", nil)
    }
    checkKeys(of: top, nil, "the top-level key") { $0.key }
    for entry in top { checkValue(entry.value, entry.key, nil) }
    if top.count == 1, let key = top.first?.key, isMisspelledRoot(key) {
      add(
        "misspelledRoot", .error,
        "'$top' has no 'root'; its only key '\(key)' has one letter more, and no known program writes it",
        nil)
    }
  }

  /// Returns whether a key is `root` with a letter after it. Programs choose `roots`, `Root` or `boot`.
  private func isMisspelledRoot(_ key: String) -> Bool {
    guard let letter = key.rest(after: KeyedArchiver.rootKey)?.utf8, letter.count == 1, let byte = letter.first else {
      return false
    }
    return UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte && byte != UInt8(ascii: "s")
  }

  /// Checks an object. Returns `false` if the budget is exhausted.
  private mutating func checkObject(_ uid: ArchiveUID) -> Bool {
    let row = try? archive.row(of: uid)
    if let row, validRows.contains(row) { return true }
    let count = issues.count
    guard checkContents(uid) else { return false }
    if let row, issues.count == count { validRows.insert(row) }
    return true
  }

  private mutating func checkContents(_ uid: ArchiveUID) -> Bool {
    let object: KeyedArchive.Object
    do {
      object = try archive.object(uid, omitsData: true, budget: &budget)
    } catch  where error.code == .limitReached {
      add(error, "limitReached", uid)
      return !budget.isExhausted
    } catch {
      add(error, error.lacksClass ? "noClass" : "badObject", uid)
      return true
    }
    switch object {
    case .null, .primitive: break
    case .classRecord(let description):
      if let row = try? archive.row(of: uid) { checkKeys(ofRow: row, uid) }
      if let allowed, !allowed.contains(description.name) {
        add(
          "classNotAllowed", .error, "class '\(description.name)' is not allowed", uid,
          remedy: "Add the class to the allowed names, or rename it with a rule")
      }
    case .instance(let classUID, let entries):
      checkClass(classUID, uid)
      // The first '$class' is not among the entries.
      checkKeys(of: entries, uid, besides: "$class") { $0.key }
      for entry in entries { checkValue(entry.value, entry.key, uid) }
      checkCounts(entries, uid)
    }
    return !reportExhaustion(uid)
  }

  /// Reports an exhausted budget. Returns whether it is exhausted.
  private mutating func reportExhaustion(_ uid: ArchiveUID) -> Bool {
    guard budget.isExhausted else { return false }
    add(
      .expansionLimit(
        "expansion limit reached: the objects up to here share too many values; the others are not checked "
          + "(maximumExpansion)"), "limitReached", uid)
    return true
  }

  private mutating func checkClass(_ classUID: ArchiveUID, _ uid: ArchiveUID) {
    if classUID.index < isReferenced.count { isReferenced[classUID.index] = true }
    if classNames[classUID] == nil {
      if case .classRecord(let description)? = try? archive.object(classUID, budget: &budget) {
        classNames[classUID] = .some(BytewiseString(description.name))
      } else {
        classNames[classUID] = .some(nil)
      }
    }
    if classNames[classUID] == .some(nil), !budget.isExhausted {
      add("badClassRecord", .error, "'$class' refers to object \(classUID), which is not a class record", uid)
    }
  }

  private mutating func checkCounts(_ entries: [KeyedArchive.Entry], _ uid: ArchiveUID) {
    // Of a key that occurs twice the first counts, as for a decoder.
    func values(_ key: String) -> [KeyedArchive.StoredValue]? {
      guard let entry = entries.first(where: { $0.key.hasSameBytes(as: key) }) else { return nil }
      return if case .array(let values) = entry.value { values } else { nil }
    }
    guard let keys = values("NS.keys"), let values = values("NS.objects"), keys.count != values.count else { return }
    add("unequalCounts", .error, "invalid dictionary: \(keys.count) keys and \(values.count) values", uid)
  }

  /// Checks the keys of the dictionary in a row.
  private mutating func checkKeys(ofRow row: ObjectRef, _ uid: ArchiveUID?, _ kind: String = "the key") {
    guard let object = try? archive.stored(row), case .dictionary(let keys, _) = object, budget.take(object.weight)
    else {
      return
    }
    var names: [String] = []
    for key in keys {
      guard let name = try? archive.name(key, budget: &budget) else { continue }
      names.append(name)
    }
    checkKeys(of: names, uid, kind) { $0 }
  }

  /// Reports the keys that occur twice. Readers disagree on which of the values counts.
  private mutating func checkKeys<Item>(
    of items: [Item], _ uid: ArchiveUID?, _ kind: String = "the key", besides other: String? = nil,
    _ key: (Item) -> String
  ) {
    func report(_ item: Item) {
      add("duplicateKey", .note, "\(kind) '\(MessageText.shortened(key(item)))' occurs twice", uid)
    }
    // Comparing a few keys is faster than hashing them.
    if items.count <= 8 {
      for place in items.indices {
        let found = key(items[place])
        if other?.hasSameBytes(as: found) == true
          || items[..<place].contains(where: { key($0).hasSameBytes(as: found) })
        {
          report(items[place])
        }
      }
      return
    }
    // Each key is hashed, and many objects may share many keys.
    _ = budget.touch(Int64(items.count) * ExpansionBudget.element)
    var seen = Set<BytewiseString>(minimumCapacity: items.count + 1)
    if let other { seen.insert(other) }
    for item in items {
      if !seen.insert(BytewiseString(key(item))).inserted { report(item) }
    }
  }

  /// Checks the references in a value of an object, or of a top-level value if the UID is nil.
  private mutating func checkValue(_ value: KeyedArchive.StoredValue, _ key: String, _ uid: ArchiveUID?) {
    switch value {
    case .reference(let target):
      if target.index < isReferenced.count {
        isReferenced[target.index] = true
      } else {
        add("danglingReference", .error, danglingDetail(target, key, isTopLevel: uid == nil), uid)
      }
    case .array(let values):
      for value in values where !budget.isExhausted { checkValue(value, key, uid) }
    case .dictionary(let entries):
      for entry in entries where !budget.isExhausted { checkValue(entry.value, key, uid) }
    default: break
    }
  }

  private mutating func danglingDetail(_ target: ArchiveUID, _ key: String, isTopLevel: Bool) -> String {
    if let last = lastDangling, last.target == target, last.isTopLevel == isTopLevel, last.key.hasSameBytes(as: key) {
      return last.detail
    }
    if key.utf8.count > 240, !cutKey.whole.hasSameBytes(as: key) { cutKey = (key, MessageText.shortened(key)) }
    let name = (isTopLevel ? "$top." : "") + (key.utf8.count > 240 ? cutKey.short : key)
    let detail = "'\(name)': \(KeyedArchiveError.danglingDetail(target, objectCount: archive.objectCount))"
    lastDangling = (key, target, isTopLevel, detail)
    return detail
  }

  /// Adds the issue that an error is.
  private mutating func add(_ error: KeyedArchiveError, _ code: String, _ uid: ArchiveUID?) {
    add(
      code, .error, error.detail, uid, error.byteOffset, line: error.line, remedy: error.remedy, error.limitRemedy)
  }

  private mutating func add(
    _ code: String, _ severity: KeyedArchive.Issue.Severity, _ detail: String, _ uid: ArchiveUID?,
    _ byteOffset: Int? = nil, line: Int? = nil, remedy: String? = nil, _ limitRemedy: LimitRemedy? = nil
  ) {
    // A dangling reference takes two bytes, and its issue two hundred.
    _ = budget.take(4 * ExpansionBudget.element + Int64(detail.utf8.count))
    let row = uid.flatMap { try? archive.row(of: $0) }
    let offset = byteOffset ?? row.flatMap { archive.offset($0) }
    let line = line ?? row.flatMap { archive.list.line(of: $0) }
    issues.append(
      KeyedArchive.Issue(
        code: code, severity: severity, detail: detail, uid: uid, byteOffset: offset, line: line, remedy: remedy,
        limitRemedy: limitRemedy))
  }
}
