// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension KeyedArchive {
  /// Something that ``KeyedArchive/check(allowing:)`` found.
  public struct Issue: Sendable, Hashable, CustomStringConvertible {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable {
      /// A decoder will refuse the archive, or the part of it that is concerned.
      case error
      /// Unusual, but nothing a decoder minds.
      case note
    }

    /// Its stable name: `danglingReference`, `noClass`, `badClassRecord`, `badObject`, `badTop`, `misspelledRoot`,
    /// `firstIsNotNull`, `classNotAllowed`, `unreferencedObject`, `duplicateKey`, `unequalCounts`, `limitReached`.
    public var code: String
    /// How bad it is.
    public var severity: Severity
    /// What was expected and what was found.
    public var detail: String
    /// The object concerned.
    public var uid: ArchiveUID?
    /// Where in the file, counted from 0.
    public var byteOffset: Int?

    /// The finding in a line.
    public var description: String {
      var place: [String] = []
      if let uid { place.append("object \(uid)") }
      if let byteOffset { place.append("byte \(byteOffset)") }
      return "\(severity) \(code): \(detail)" + (place.isEmpty ? "" : " (\(place.joined(separator: ", ")))")
    }
  }

  /// Looks at every object and says what is wrong with it.
  /// - Parameter allowed: the class names that may occur; any if nil.
  /// - Returns: the findings in the order of the objects; none for a sound archive.
  public func check(allowing allowed: Set<String>? = nil) -> [Issue] {
    var check = ArchiveCheck(self, allowed)
    check.run()
    return check.findings
  }

  /// Throws what is wrong with the archive, if anything is.
  /// - Throws: `KeyedArchiveError` for the first finding that is an error.
  public func validate() throws(KeyedArchiveError) {
    guard let worst = check().first(where: { $0.severity == .error }) else { return }
    let isLimit = worst.code == "limitReached"
    throw KeyedArchiveError(
      isLimit ? .limitReached : .damagedArchive, worst.detail, uid: worst.uid, byteOffset: worst.byteOffset,
      remedy: isLimit ? "Raise ReadLimits.maximumExpansion if the archive is to be trusted" : nil)
  }
}

/// One run over an archive's objects.
private struct ArchiveCheck {
  let archive: KeyedArchive
  let allowed: Set<BytewiseString>?
  var findings: [KeyedArchive.Issue] = []
  private var isReferenced: [Bool]
  /// What may yet be looked at.
  private var room: ExpansionBudget
  private var classNames: [ArchiveUID: BytewiseString?] = [:]
  /// Rows of objects of which nothing was found. Damaged lists may name a row many times.
  private var soundRows: Set<ObjectRef> = []
  /// The long key that was cut last, for it may have many references.
  private var cutKey = (whole: "", short: "")

  init(_ archive: KeyedArchive, _ allowed: Set<String>?) {
    self.archive = archive
    self.allowed = allowed.map { Set($0.exact) }
    room = archive.room
    isReferenced = [Bool](repeating: false, count: archive.objectCount)
  }

  mutating func run() {
    checkTop()
    if case .null? = try? archive.object(.null) {
    } else {
      add("firstIsNotNull", .error, "object #0 must be the string '$null'", .null)
    }
    for index in 0..<archive.objectCount {
      guard checkObject(ArchiveUID(rawValue: UInt32(index))) else { return }
    }
    for index in 1..<max(archive.objectCount, 1) where !isReferenced[index] {
      let uid = ArchiveUID(rawValue: UInt32(index))
      // What `discardUnreachableObjects()` leaves in the place of an object.
      if let row = try? archive.row(of: uid), (try? archive.isNull(row)) == true { continue }
      add("unreferencedObject", .note, "nothing refers to the object", uid)
      if noteExhaustion(uid) { return }
    }
  }

  private mutating func checkTop() {
    let top: [KeyedArchive.Entry]
    do {
      top = try archive.top
    } catch {
      return add("badTop", .error, error.detail, nil, error.byteOffset)
    }
    for entry in top { checkValue(entry.value, entry.key, nil) }
    if top.count == 1, let key = top.first?.key, isMisspelledRoot(key) {
      add(
        "misspelledRoot", .error,
        "'$top' has no 'root'; its only key '\(key)' differs from it by one letter, and no known program writes it", nil
      )
    }
  }

  /// Whether a key is `root` with one letter added, left out or changed.
  private func isMisspelledRoot(_ key: String) -> Bool {
    let root = Array(KeyedArchiver.rootKey.utf8)
    let found = Array(key.utf8)
    guard found != root, abs(found.count - root.count) <= 1 else { return false }
    let prefix = zip(found, root).prefix { $0 == $1 }.count
    let suffix = zip(found.reversed(), root.reversed()).prefix { $0 == $1 }.count
    return prefix + suffix >= max(found.count, root.count) - 1
  }

  /// Returns false if no more objects can be looked at.
  private mutating func checkObject(_ uid: ArchiveUID) -> Bool {
    let row = try? archive.row(of: uid)
    if let row, soundRows.contains(row) { return true }
    let count = findings.count
    guard checkContents(uid) else { return false }
    if let row, findings.count == count { soundRows.insert(row) }
    return true
  }

  private mutating func checkContents(_ uid: ArchiveUID) -> Bool {
    let object: KeyedArchive.Object
    do {
      object = try archive.object(uid, room: &room)
    } catch  where error.code == .limitReached {
      add("limitReached", .error, error.detail, uid, error.byteOffset)
      return !room.isExhausted
    } catch {
      add(error.lacksClass ? "noClass" : "badObject", .error, error.detail, uid, error.byteOffset)
      return true
    }
    switch object {
    case .null, .bare: break
    case .classRecord(let description):
      if let allowed, !allowed.contains(description.name) {
        add("classNotAllowed", .error, "the class '\(description.name)' is not on the list", uid)
      }
    case .instance(let classUID, let entries):
      checkClass(classUID, uid)
      checkKeys(entries, uid)
      for entry in entries { checkValue(entry.value, entry.key, uid) }
      checkCounts(entries, uid)
    }
    return !noteExhaustion(uid)
  }

  /// Says so if no more objects can be looked at.
  private mutating func noteExhaustion(_ uid: ArchiveUID) -> Bool {
    guard room.isExhausted else { return false }
    add(
      "limitReached", .error,
      "the objects up to here hold so much that is shared that the others are not looked at (maximumExpansion)", uid)
    return true
  }

  private mutating func checkClass(_ classUID: ArchiveUID, _ uid: ArchiveUID) {
    if classUID.index < isReferenced.count { isReferenced[classUID.index] = true }
    if classNames[classUID] == nil {
      if case .classRecord(let description)? = try? archive.object(classUID, room: &room) {
        classNames[classUID] = .some(BytewiseString(description.name))
      } else {
        classNames[classUID] = .some(nil)
      }
    }
    if classNames[classUID] == .some(nil), !room.isExhausted {
      add("badClassRecord", .error, "its '$class' is object \(classUID), which is no class record", uid)
    }
  }

  private mutating func checkCounts(_ entries: [KeyedArchive.Entry], _ uid: ArchiveUID) {
    var counts: [BytewiseString: Int] = [:]
    for entry in entries {
      if case .array(let values) = entry.value { counts[entry.key] = values.count }
    }
    guard let keys = counts["NS.keys"], let values = counts["NS.objects"], keys != values else { return }
    add("unequalCounts", .error, "a dictionary has \(keys) keys and \(values) values", uid)
  }

  private mutating func checkKeys(_ entries: [KeyedArchive.Entry], _ uid: ArchiveUID) {
    func note(_ place: Int) {
      add("duplicateKey", .note, "the key '\(MessageText.shortened(entries[place].key))' occurs twice", uid)
    }
    // To compare a few takes less than to hash them.
    if entries.count <= 8 {
      for place in entries.indices {
        if entries[..<place].contains(where: { $0.key.hasSameBytes(as: entries[place].key) }) { note(place) }
      }
      return
    }
    // Many objects may share many keys, each of which is hashed.
    _ = room.touch(entries.count * ExpansionBudget.element)
    var keys = Set<BytewiseString>(minimumCapacity: entries.count)
    for place in entries.indices {
      if !keys.insert(BytewiseString(entries[place].key)).inserted { note(place) }
    }
  }

  /// Checks the references in a value of an object, or of the top level if there is no number.
  private mutating func checkValue(_ value: KeyedArchive.StoredValue, _ key: String, _ uid: ArchiveUID?) {
    switch value {
    case .reference(let target):
      if target.index < isReferenced.count {
        isReferenced[target.index] = true
      } else {
        if key.utf8.count > 240, !cutKey.whole.hasSameBytes(as: key) { cutKey = (key, MessageText.shortened(key)) }
        let name = (uid == nil ? "$top." : "") + (key.utf8.count > 240 ? cutKey.short : key)
        add(
          "danglingReference", .error,
          "'\(name)' refers to object \(target), where '$objects' holds \(archive.objectCount)", uid)
      }
    case .array(let values):
      for value in values where !room.isExhausted { checkValue(value, key, uid) }
    case .dictionary(let entries):
      for entry in entries where !room.isExhausted { checkValue(entry.value, key, uid) }
    default: break
    }
  }

  private mutating func add(
    _ code: String, _ severity: KeyedArchive.Issue.Severity, _ detail: String, _ uid: ArchiveUID?,
    _ byteOffset: Int? = nil
  ) {
    // A reference that leads nowhere has two bytes, and what is said of it two hundred.
    _ = room.take(4 * ExpansionBudget.element + detail.utf8.count)
    let offset = byteOffset ?? uid.flatMap { try? archive.row(of: $0) }.flatMap { archive.offset($0) }
    findings.append(
      KeyedArchive.Issue(code: code, severity: severity, detail: detail, uid: uid, byteOffset: offset))
  }
}
