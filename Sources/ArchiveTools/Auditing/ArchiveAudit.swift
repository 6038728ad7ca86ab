// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The classes that decoding archives would instantiate: the number of their objects, their keys, and where they occur.
///
/// An audit covers the objects reachable from `$top`. It works for unknown classes, and decodes nothing.
///
/// ```swift
/// var audit = ArchiveAudit()
/// for file in files { audit.merge(try ArchiveAudit(of: KeyedArchive(contentsOf: file))) }
/// print(audit.swiftAllowList())
/// ```
///
/// Boxed strings, numbers and data count as `NSString`, `NSNumber` and `NSData`, because allow lists treat them that
/// way.
public struct ArchiveAudit: Sendable {
  /// A class with its uses.
  public struct ClassUse: Sendable, Hashable {
    /// The name of the class.
    public let name: String
    /// The different class records, at most four; empty for strings, numbers and data.
    public internal(set) var descriptions: [ClassDescription] = []
    /// The number of objects.
    public internal(set) var count = 0
    /// Key paths of at most eight objects, those with the fewest steps first. No two of them differ only in indexes. Very
    /// long keys are shortened.
    public var paths: [String] { shown.map(\.text) }
    /// The number of key paths that differ not only in indexes, in all archives.
    public var placeCount: Int { places.count }
    /// The sorted keys with their values. A key that some objects lack has a smaller count than the class.
    public var keys: [(key: String, use: ValueUse)] { Self.sorted(uses) }

    var uses: [BytewiseString: ValueUse] = [:]
    /// The key paths to show.
    var shown: [Path] = []
    /// The places where objects are.
    var places: Set<AuditPlace> = []

    /// A key path of an object.
    struct Path: Sendable, Hashable {
      var text: String
      var place: AuditPlace
    }

    static func sorted(_ uses: [BytewiseString: ValueUse]) -> [(key: String, use: ValueUse)] {
      uses.map { ($0.key.text, $0.value) }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
  }

  /// The maximum number of key paths per class.
  static let maximumPathCount = 8

  /// The number of audited archives, without nested ones.
  public internal(set) var archiveCount = 0
  /// The number of audited archives that are nested in data.
  public internal(set) var nestedArchiveCount = 0
  /// The number of nested archives that are damaged or nest too deeply, and were not audited.
  public internal(set) var damagedNestedArchiveCount = 0
  /// The number of objects.
  public internal(set) var objectCount = 0

  /// The size of the audited archives, in bytes.
  var byteCount: Int64 = 0
  /// The number of archives by `$archiver`, without nested ones.
  var archivers: [BytewiseString: Int] = [:]
  var classTable: [BytewiseString: ClassUse] = [:]
  /// The names in all class records, also in those of objects that are not reachable.
  var recordNames: Set<BytewiseString> = []
  var topUses: [BytewiseString: ValueUse] = [:]
  var nestedTopUses: [BytewiseString: ValueUse] = [:]

  /// Creates an empty audit, into which other audits can be merged.
  public init() {}

  /// Audits an archive.
  /// - Parameters:
  ///   - archive: The archive.
  ///   - followingNestedArchives: Whether to audit archives in data, and those nested in them.
  /// - Throws: `KeyedArchiveError` if an object is damaged. The code is `KeyedArchiveError.Code.limitReached` if the
  ///   archive is an expansion bomb.
  public init(of archive: KeyedArchive, followingNestedArchives: Bool = false) throws(KeyedArchiveError) {
    var walk = AuditWalk(archive, followingNestedArchives: followingNestedArchives)
    try walk.run()
    self = walk.audit
    byteCount = Int64(archive.propertyList.byteCount) + archive.propertyList.editedWeight
  }

  /// Adds the results of another audit.
  /// - Parameter other: The other audit.
  public mutating func merge(_ other: ArchiveAudit) {
    archiveCount += other.archiveCount
    byteCount += other.byteCount
    archivers.merge(other.archivers, uniquingKeysWith: +)
    nestedArchiveCount += other.nestedArchiveCount
    damagedNestedArchiveCount += other.damagedNestedArchiveCount
    objectCount += other.objectCount
    recordNames.formUnion(other.recordNames)
    Self.merge(&topUses, other.topUses)
    Self.merge(&nestedTopUses, other.nestedTopUses)
    for (name, use) in other.classTable {
      guard var mine = classTable.removeValue(forKey: name) else {
        classTable[name] = use
        continue
      }
      mine.merge(use)
      classTable[name] = mine
    }
  }

  private static func merge(_ mine: inout [BytewiseString: ValueUse], _ others: [BytewiseString: ValueUse]) {
    for (key, use) in others { mine[key, default: ValueUse()].merge(use) }
  }

  /// The sorted names of the archivers that wrote the archives, without those of nested archives.
  public var archiverNames: [String] { archivers.keys.sorted().texts }

  /// The classes, sorted by name.
  public var classes: [ClassUse] {
    classTable.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The sorted top-level keys with their values.
  public var topKeys: [(key: String, use: ValueUse)] { ClassUse.sorted(topUses) }

  /// The sorted names of the classes of all reachable objects.
  public var classNames: [String] { classes.map(\.name) }

  /// The sorted names of the classes of all reachable objects, and of all class records. Pass them to
  /// `KeyedArchive.check(allowing:)`, which also checks records of unreachable objects.
  public var checkedClassNames: [String] { recordNames.union(classTable.keys).sorted().texts }

  /// The sorted names of the classes that a decode of the top-level values must allow.
  ///
  /// These are the classes of the top-level objects and of objects in top-level collections. Objects without a type of
  /// this package in values such as an error's user info count, too. Other objects request the types of their parts.
  public var topClassNames: [String] { classNames(in: topUses) }

  /// The sorted names of the classes that a decode of nested archives' top-level values must allow.
  public var nestedTopClassNames: [String] { classNames(in: nestedTopUses) }

  private func classNames(in uses: [BytewiseString: ValueUse]) -> [String] {
    var names: Set<BytewiseString> = []
    for use in uses.values { use.collectClassNames(into: &names) }
    let contents = ContentClasses(self)
    for name in names { names.formUnion(contents.classes(in: name.text)) }
    return names.sorted().texts
  }
}

extension ArchiveAudit.ClassUse {
  /// Returns whether all properties are equal.
  /// - Parameters:
  ///   - a: A class.
  ///   - b: Another class.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.name == b.name && a.descriptions == b.descriptions && a.count == b.count && a.shown == b.shown
      && a.places == b.places && a.uses == b.uses
  }

  /// Hashes the name and the number of objects.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(count)
  }

  /// Adds a class record, if it differs from the known ones.
  mutating func add(_ description: ClassDescription) {
    if descriptions.count < 4, !descriptions.contains(description) { descriptions.append(description) }
  }

  mutating func merge(_ other: Self) {
    count += other.count
    for description in other.descriptions { add(description) }
    for path in other.shown where !places.contains(path.place) {
      // After those with as many steps.
      let index = shown.firstIndex { $0.place.stepCount > path.place.stepCount } ?? shown.count
      shown.insert(path, at: index)
    }
    shown.removeLast(max(0, shown.count - ArchiveAudit.maximumPathCount))
    places.formUnion(other.places)
    for (key, use) in other.uses { uses[key, default: ValueUse()].merge(use) }
  }
}

/// A key path without its indexes, by a hash of its keys, so that places in different archives can be compared. Hashes
/// differ in each process, therefore an archive cannot provoke equal ones.
struct AuditPlace: Sendable, Hashable {
  private var hash = 0
  /// The number of keys and indexes.
  private(set) var stepCount = 0

  /// Appends a key, or nil for the index of an element.
  mutating func append(_ key: String?) {
    append { $0.combine(key.map { BytewiseString($0) }) }
    stepCount += 1
  }

  /// Appends a place in an archive that is nested in data here.
  mutating func append(nested other: AuditPlace) {
    append { $0.combine(other) }
    stepCount += other.stepCount
  }

  private mutating func append(_ combine: (inout Hasher) -> Void) {
    var hasher = Hasher()
    hasher.combine(hash)
    combine(&hasher)
    hash = hasher.finalize()
  }
}
