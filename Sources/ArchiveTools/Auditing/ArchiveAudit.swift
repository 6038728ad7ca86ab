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

/// What decoding an archive, or many, would bring to life: every class of which there is an object that references from the
/// top lead to, how often, with which keys, and where. Classes need not be known, and nothing is decoded.
///
/// ```swift
/// var audit = ArchiveAudit()
/// for file in files { audit.merge(try ArchiveAudit(of: KeyedArchive(contentsOf: file))) }
/// print(audit.swiftAllowList())
/// ```
///
/// Strings, numbers and data that are objects count as of the classes `NSString`, `NSNumber` and `NSData`, for so lists of
/// allowed classes do.
public struct ArchiveAudit: Sendable {
  /// A class with what was found of it.
  public struct ClassUse: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// What class records say of it: one, unless archives differ; four at the most. None for strings, numbers and data.
    public internal(set) var descriptions: [ClassDescription] = []
    /// How many objects of it there are.
    public internal(set) var count = 0
    /// Ways to some of its objects, no two of which differ in indexes only; eight at the most, the shortest first.
    public internal(set) var paths: [String] = []
    /// How many such ways there are.
    public internal(set) var placeCount = 0
    /// Its keys with what stands under them, sorted. A key that is missing somewhere has a smaller count than the class.
    public var keys: [(key: String, use: ValueUse)] { Self.sorted(uses) }

    var uses: [BytewiseString: ValueUse] = [:]

    static func sorted(_ uses: [BytewiseString: ValueUse]) -> [(key: String, use: ValueUse)] {
      uses.map { ($0.key.text, $0.value) }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
  }

  /// How many ways to objects of a class are kept.
  static let mostPaths = 8

  /// How many archives were looked at, without those in data.
  public internal(set) var archiveCount = 0
  /// How many archives were found in data and looked at.
  public internal(set) var nestedArchiveCount = 0
  /// How many archives in data are damaged, or nest too deeply, and were not looked at.
  public internal(set) var damagedNestedArchiveCount = 0
  /// How many objects there are.
  public internal(set) var objectCount = 0

  var classTable: [BytewiseString: ClassUse] = [:]
  var topUses: [BytewiseString: ValueUse] = [:]
  var nestedTopUses: [BytewiseString: ValueUse] = [:]

  /// Nothing yet; other audits can be merged into it.
  public init() {}

  /// Looks at an archive.
  /// - Parameters:
  ///   - archive: the archive.
  ///   - followingNestedArchives: whether archives that are in data are looked at as well, and those in them.
  /// - Throws: `KeyedArchiveError` for an object that is damaged, and with code `KeyedArchiveError.Code.limitReached`
  ///   for an archive whose parts are shared many times over.
  public init(of archive: KeyedArchive, followingNestedArchives: Bool = false) throws(KeyedArchiveError) {
    var walk = AuditWalk(archive, followingNestedArchives: followingNestedArchives)
    try walk.run()
    self = walk.audit
  }

  /// Adds what another audit found.
  public mutating func merge(_ other: ArchiveAudit) {
    archiveCount += other.archiveCount
    nestedArchiveCount += other.nestedArchiveCount
    damagedNestedArchiveCount += other.damagedNestedArchiveCount
    objectCount += other.objectCount
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

  /// The classes, sorted by name.
  public var classes: [ClassUse] {
    classTable.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The top-level keys, sorted, with what stands under them.
  public var topKeys: [(key: String, use: ValueUse)] { ClassUse.sorted(topUses) }

  /// The names of all classes that there are objects of, sorted: what `KeyedArchive.check(allowing:)` must allow.
  public var classNames: [String] { classes.map(\.name) }

  /// The names of the classes that whoever decodes what is on top must allow, sorted: of the objects there, of those in
  /// collections there, and of those in values such as an error's user info or a text's attributes for which this package
  /// has no types. Other objects ask for their parts themselves.
  public var topClassNames: [String] { classNames(in: topUses) }

  /// The same for archives in data.
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
  /// Equal if all that was found is.
  public static func == (a: Self, b: Self) -> Bool {
    a.name == b.name && a.descriptions == b.descriptions && a.count == b.count && a.paths == b.paths
      && a.placeCount == b.placeCount && a.uses == b.uses
  }

  /// Hashes the name and the count.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(count)
  }

  /// Adds a class record's words, if they are new.
  mutating func add(_ description: ClassDescription) {
    if descriptions.count < 4, !descriptions.contains(description) { descriptions.append(description) }
  }

  mutating func merge(_ other: Self) {
    count += other.count
    placeCount += other.placeCount
    for description in other.descriptions { add(description) }
    for path in other.paths where paths.count < ArchiveAudit.mostPaths && !paths.contains(path) { paths.append(path) }
    for (key, use) in other.uses { uses[key, default: ValueUse()].merge(use) }
  }
}
