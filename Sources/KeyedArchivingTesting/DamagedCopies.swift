// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// A damaged copy of a fixture.
struct DamagedCopy {
  /// The damage, such as `without Zoo.Creature.Title`.
  var description: String
  /// The key that is absent or nil in the copy.
  var absentKey: AbsentKey?
  /// A Boolean value that indicates whether the copy is the beginning of the fixture.
  var isBeginning = false
  var data: Data
}

/// A key that is absent or nil in a damaged copy.
struct AbsentKey {
  /// The archived name of the class that has the key; `$top` for a top-level key.
  var owner: String
  var key: String

  /// The key with its class, such as `Zoo.Creature.Title`.
  var qualified: String { "\(owner).\(key)" }

  /// The owner of top-level keys.
  static let top = "$top"
}

/// All damaged copies of an archive.
struct DamagedCopies {
  let fixture: Data
  let archive: KeyedArchive
  /// The keys that decoding does not read, by the UIDs of their objects. Those of the top level have the UID of nil, which has
  /// no keys.
  private let unread: [ArchiveUID: Set<BytewiseString>]

  private let maximumBeginningCount: Int

  init(
    of fixture: Data, _ archive: KeyedArchive, without unread: [KeyReport.Entry],
    maximumBeginningCount: Int = defaultBeginningCount
  ) {
    self.maximumBeginningCount = maximumBeginningCount
    self.fixture = fixture
    self.archive = archive
    self.unread = unread.reduce(into: [:]) { unread, entry in
      guard !entry.isDictionaryKey else { return }
      unread[entry.uid ?? .null, default: []].insert(BytewiseString(entry.key))
    }
  }

  /// The number of beginnings of a long archive.
  static let defaultBeginningCount = 2048

  /// The name of a class that no program has.
  static let unknownClass = "KeyedArchivingTesting.UnknownClass"

  static func pair(_ className: String, _ key: String) -> BytewiseString {
    BytewiseString(className + "\0" + key)
  }

  /// Returns whether decoding reads a key of an object, or of the top level, whose UID is that of nil.
  private func isRead(_ entry: KeyedArchive.Entry, of uid: ArchiveUID) -> Bool {
    unread[uid]?.contains(BytewiseString(Self.requested(entry.key))) != true
  }

  /// Returns the top-level entries that decoding reads.
  func topLevelEntries() throws -> [KeyedArchive.Entry] { try archive.top.filter { isRead($0, of: .null) } }

  /// Calls a function with each copy, one after the other.
  func forEach(_ body: (DamagedCopy) throws -> Void) throws {
    for count in Self.beginnings(of: fixture.count, maximum: maximumBeginningCount) {
      try body(
        DamagedCopy(
          description: "the first \(CountText.text(count, "byte")) of \(fixture.count)", isBeginning: true,
          data: fixture.prefix(count)))
    }
    try forEachTopLevelKey(body)
    try forEachKey(body)
    try forEachCollection(body)
  }

  /// The lengths of the beginnings of an archive. A long one has the shortest, the longest, and others at equal distances.
  static func beginnings(of count: Int, maximum: Int = defaultBeginningCount) -> [Int] {
    guard count > maximum else { return Array(0..<count) }
    let end = maximum / 4
    let distance = (count - 2 * end) / (2 * end) + 1
    return Array(0..<end) + Array(stride(from: end, to: count - end, by: distance)) + Array(count - end..<count)
  }

  private func forEachTopLevelKey(_ body: (DamagedCopy) throws -> Void) throws {
    for entry in try topLevelEntries() {
      let damages: [(KeyedArchive.StoredValue?, String)] = [
        (nil, "without \(Self.requested(entry.key))"), (.reference(.null), "\(Self.requested(entry.key)) is nil"),
      ]
      for (value, text) in damages {
        var copy = archive
        try copy.setTopValue(value, forKey: entry.key)
        let key = AbsentKey(owner: AbsentKey.top, key: Self.requested(entry.key))
        try body(DamagedCopy(description: text, absentKey: key, data: copy.data()))
      }
    }
  }

  /// Returns the keys that are absent in one of the copies, each once.
  func keys() throws -> [AbsentKey] {
    var keys: [AbsentKey] = []
    for entry in try topLevelEntries() {
      keys.append(AbsentKey(owner: AbsentKey.top, key: Self.requested(entry.key)))
    }
    var seen: Set<BytewiseString> = []
    for object in try decodedObjects() {
      for entry in object.entries
      where isDamaged(entry, of: object.uid) && seen.insert(Self.pair(object.className, entry.key)).inserted {
        keys.append(AbsentKey(owner: object.className, key: Self.requested(entry.key)))
      }
    }
    return keys
  }

  /// Returns whether copies have damage of a key of an object. Keys of Foundation's classes, and keys that decoding does not
  /// read in this object, have none. Decoding may read them in other objects of the class.
  func isDamaged(_ entry: KeyedArchive.Entry, of uid: ArchiveUID) -> Bool {
    !entry.key.hasPrefix("NS.") && isRead(entry, of: uid)
  }

  private func forEachKey(_ body: (DamagedCopy) throws -> Void) throws {
    var seen: Set<BytewiseString> = []
    for (uid, classUID, className, entries) in try decodedObjects() {
      if seen.insert(className) { try body(withUnknownClass(classUID, className)) }
      for entry in entries {
        guard isDamaged(entry, of: uid), seen.insert(Self.pair(className, entry.key)).inserted else { continue }
        try forEachValue(of: entry, of: uid, className, body)
      }
    }
  }

  /// Returns a key as types request it.
  static func requested(_ key: String) -> String { key.hasPrefix("$") ? String(key.dropFirst()) : key }

  private func withUnknownClass(_ uid: ArchiveUID, _ name: String) throws -> DamagedCopy {
    var copy = archive
    try copy.setObject(
      uid, to: .classRecord(ClassDescription(name: Self.unknownClass, chain: [Self.unknownClass, "NSObject"])))
    return try DamagedCopy(description: "an unknown class in place of \(name)", data: copy.data())
  }

  /// Calls a function with copies in which a value is absent or has another kind.
  private func forEachValue(
    of entry: KeyedArchive.Entry, of uid: ArchiveUID, _ className: String, _ body: (DamagedCopy) throws -> Void
  ) throws {
    let key = AbsentKey(owner: className, key: Self.requested(entry.key))
    let name = key.qualified
    func copy(_ text: String, isAbsent: Bool, _ edit: (inout KeyedArchive) throws -> KeyedArchive.StoredValue?) throws {
      var copy = archive
      let value = try edit(&copy)
      try copy.setValue(value, forKey: entry.key, of: uid)
      try body(DamagedCopy(description: text, absentKey: isAbsent ? key : nil, data: copy.data()))
    }
    try copy("without \(name)", isAbsent: true) { _ in nil }
    let kind = kind(of: entry.value)
    if kind != .null { try copy("\(name) is nil", isAbsent: true) { _ in .reference(.null) } }
    for (other, text, object) in Self.boxedDamage where other != kind {
      try copy("\(name) is \(text)", isAbsent: false) { .reference(try $0.addObject(object)) }
    }
    try copy("\(name) is an object of an unknown class", isAbsent: false) { try Self.addUnknownObject(to: &$0) }
    if kind != .number { try copy("\(name) is an inline number", isAbsent: false) { _ in .integer(1_234_567) } }
    if kind != .data { try copy("\(name) is inline data", isAbsent: false) { _ in .data(Data([0xDA])) } }
    if kind != .array { try copy("\(name) is an inline array", isAbsent: false) { _ in .array([.integer(1)]) } }
  }

  /// Objects of kinds that replace a value of another kind, with their descriptions.
  static var boxedDamage: [(kind: Kind, text: String, object: KeyedArchive.Object)] {
    [
      (.string, "a string", .primitive(.string("damaged"))), (.number, "a number", .primitive(.integer(1_234_567))),
      (.data, "data", .primitive(.data(Data([0xDA])))),
    ]
  }

  /// Adds an object of a class that no program has, and returns a reference to it.
  static func addUnknownObject(to archive: inout KeyedArchive) throws -> KeyedArchive.StoredValue {
    let record = try archive.addClass(ClassDescription(name: unknownClass, chain: [unknownClass, "NSObject"]))
    return .reference(try archive.addObject(.instance(class: record, [])))
  }

  /// A family of values that decoders may convert to each other.
  enum Kind {
    case null, number, string, data, array, other
  }

  func kind(of value: KeyedArchive.StoredValue) -> Kind {
    switch value {
    case .boolean, .integer, .wideInteger, .float, .double, .date: .number
    case .string: .string
    case .data: .data
    case .array: .array
    case .dictionary: .other
    case .reference(let uid):
      switch archive[uid].kind {
      case .null: .null
      case .primitive(.string): .string
      case .primitive(.data): .data
      case .primitive: .number
      default:
        // `NSMutableString` and `NSMutableData` are objects.
        archive[uid].string != nil ? .string : archive[uid].data != nil ? .data : .other
      }
    }
  }

  typealias DecodedObject = (
    uid: ArchiveUID, classUID: ArchiveUID, className: String, entries: [KeyedArchive.Entry]
  )

  /// Returns the objects that decoding reads: those that keys which it reads lead to.
  func decodedObjects() throws -> [DecodedObject] {
    var result: [DecodedObject] = []
    var isFound = [Bool](repeating: false, count: archive.objectCount)
    var open: [ArchiveUID] = []
    for entry in try topLevelEntries() { archive.collect(entry.value, into: &open) }
    while let uid = open.popLast() {
      guard uid.index < isFound.count, !isFound[uid.index] else { continue }
      isFound[uid.index] = true
      guard case .instance(let classUID, let entries) = try archive.object(uid) else { continue }
      let className = try archive.classDescription(classUID).name
      result.append((uid, classUID, className, entries))
      for entry in entries where isRead(entry, of: uid) { archive.collect(entry.value, into: &open) }
    }
    return result.sorted { $0.uid.rawValue < $1.uid.rawValue }
  }
}
