// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A flat list of the types that a decode may instantiate, as in Apple's `ofClasses:` calls.
///
/// It governs the requested object and the elements of untyped collections in it. Objects decode their own children
/// under the types that they request themselves.
package final class AllowList {
  package let types: [any KeyedCoding.Type]
  /// The types of primitives, which the list can also name as optionals. Then follow those of the initializer.
  package private(set) lazy var primitiveTypes = types.compactMap(AllowList.primitiveType) + addedPrimitiveTypes
  /// The types that are not on the list, and that primitives are decoded as.
  private let addedPrimitiveTypes: [any PrimitiveValue.Type]
  /// The types with those that they also allow.
  private var members: [any KeyedCoding.Type] = []
  private var typeOfName: [BytewiseString: any KeyedCoding.Type] = [:]
  /// The types by the names in Swift of their mangled names.
  private lazy var typeOfSwiftName: [BytewiseString: any KeyedCoding.Type] = {
    var found: [BytewiseString: any KeyedCoding.Type] = [:]
    for member in members {
      for name in AllowList.names(of: member).compactMap({ TypeName.swiftName(of: $0) }) where found[name] == nil {
        found[name] = member
      }
    }
    return found
  }()
  private lazy var matchers = members.map { TypeName.Matcher($0) }
  /// The types that match more names than they can list.
  private var patternTypes: [any ArchivedClassMatching.Type] = []
  /// The decisions so far by class record, because a million objects can have a class with a long name or many hints.
  private var typeOfRecord: [UInt32: (any KeyedCoding.Type)?] = [:]
  private lazy var search = SubclassSearch()
  /// The types for an error. The text is kept, because a damaged archive can fail one request for each of its objects.
  private(set) lazy var allowedNames: String = {
    var names: [String] = []
    for name in types.map({ "\($0)" }) where !names.contains(name) { names.append(name) }
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }()

  init(_ types: [any KeyedCoding.Type], primitives: [any PrimitiveValue.Type] = []) {
    self.types = types
    addedPrimitiveTypes = primitives
    for type in types {
      for member in [type] + AllowList.members(of: type) {
        members.append(member)
        for name in AllowList.names(of: member) where typeOfName[name] == nil { typeOfName[name] = member }
        if let member = member as? any ArchivedClassMatching.Type { patternTypes.append(member) }
      }
    }
  }

  /// Returns whether a type on the list, or one that it also allows, has a name.
  func hasType(named name: String) -> Bool { typeOfName[name] != nil }

  /// Returns the type for a class, in the same order as a request for a single type. The types that match the name, in
  /// any form, precede those that match a hint. Then follow those that match by a pattern.
  package func type(for record: ClassRecord) throws(KeyedArchiveError) -> (any KeyedCoding.Type)? {
    if let known = typeOfRecord[record.uid] { return known }
    let type = try find(record)
    typeOfRecord[record.uid] = .some(type)
    return type
  }

  private func find(_ record: ClassRecord) throws(KeyedArchiveError) -> (any KeyedCoding.Type)? {
    if let type = typeOfName[record.name] { return type }
    let swiftName = TypeName.swiftName(of: record.name)
    if let matcher = matchers.first(where: { $0.matches(record.name, swiftName) }) { return matcher.type }
    for type in types {
      guard let type = AllowList.classResolvingNames(type) else { continue }
      if let found = try search.subclass(named: record.name, of: type) { return found }
    }
    for hint in record.hints { if let type = type(forHint: hint) { return type } }
    return patternTypes.isEmpty ? nil : patternTypes.first { $0.matches(record.description) }
  }

  /// Returns the type for a name that a class record has besides its own. A record can have many, so they are not compared
  /// with each type.
  private func type(forHint hint: String) -> (any KeyedCoding.Type)? {
    if let type = typeOfName[hint] { return type }
    guard let swiftName = TypeName.swiftName(of: hint) else { return typeOfSwiftName[hint] }
    return typeOfName[swiftName]
  }

  /// Returns all names that a type matches, besides their other forms.
  static func names(of type: any KeyedCoding.Type) -> [String] {
    [type.archiveClassName] + type.archiveClassAliases
  }

  /// Returns the types that a type on a list also allows: those in its `archiveSubclasses`, and those that these
  /// declare.
  ///
  /// A class allows only subclasses, because a subclass inherits the declaration, which contains its siblings.
  static func members(of type: any KeyedCoding.Type) -> [any KeyedCoding.Type] {
    let root = (type as? any AnyOptional.Type)?.wrapped ?? type
    var members: [any KeyedCoding.Type] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(root)]
    var stack = declared(by: root)
    while let next = stack.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      members.append(next)
      stack.append(contentsOf: declared(by: next))
    }
    return members
  }

  private static func declared(by type: any KeyedCoding.Type) -> [any KeyedCoding.Type] {
    let declared = type.archiveSubclasses
    return type is AnyClass ? declared.filter { isSubclass($0, of: type) } : declared
  }

  /// Returns the types that may substitute for a single requested type. A struct or enum has none, because the decoded
  /// value must have the requested type.
  private static func substitutableTypes(of type: any KeyedCoding.Type) -> [any KeyedCoding.Type] {
    type is AnyClass ? members(of: type) : []
  }

  /// Returns the class of a request, if it finds subclasses by name.
  static func classResolvingNames(_ type: any KeyedCoding.Type) -> (any ArchiveClassResolving.Type)? {
    ((type as? any AnyOptional.Type)?.wrapped ?? type) as? any ArchiveClassResolving.Type
  }

  /// Returns whether a type is the same class as another, or a subclass of it.
  package static func isSubclass(_ candidate: any KeyedCoding.Type, of type: any KeyedCoding.Type) -> Bool {
    var current: AnyClass? = candidate as? AnyClass
    while let superclass = current {
      if ObjectIdentifier(superclass) == ObjectIdentifier(type) { return true }
      current = _getSuperclass(superclass)
    }
    return false
  }

  /// Returns whether the list allows a type that the caller chose for a class.
  func admits(_ candidate: any KeyedCoding.Type) -> Bool {
    types.contains { listed in
      let type = (listed as? any AnyOptional.Type)?.wrapped ?? listed
      return AllowList.isSubclass(candidate, of: type)
        || ([type] + AllowList.members(of: type)).contains { ObjectIdentifier($0) == ObjectIdentifier(candidate) }
    }
  }

  /// Returns the first type that one of some names matches: a type, or one that may substitute for it.
  static func type(
    named names: [String], substitutableFor type: any KeyedCoding.Type
  ) -> (any KeyedCoding.Type)? {
    guard !names.isEmpty else { return nil }
    // A class record can have many hints.
    let family = ([type] + (type.archiveSubclasses.isEmpty ? [] : substitutableTypes(of: type))).map {
      TypeName.Matcher($0)
    }
    for name in names {
      let swiftName = TypeName.swiftName(of: name)
      if let found = family.first(where: { $0.matches(name, swiftName) }) { return found.type }
    }
    return nil
  }
}

/// The search for subclasses by name.
///
/// The runtime searches all types of the process for a name that no type has, which takes much longer than reading the
/// name. So a name is not searched again, and the number of names without a class is limited.
final class SubclassSearch {
  /// The number of names without a subclass that are searched.
  private static let maximumNames = 64
  /// The classes that have no subclass, by name.
  private var misses: [BytewiseString: Set<ObjectIdentifier>] = [:]

  /// Returns the subclass that a class finds by name, or nil.
  /// - Throws: ``KeyedArchiveError`` with code `limitReached`, because the result would depend on the names before.
  func subclass(
    named name: String, of type: any ArchiveClassResolving.Type
  ) throws(KeyedArchiveError) -> (any KeyedCoding.Type)? {
    let key = BytewiseString(name)
    if let known = misses[key] {
      if known.contains(ObjectIdentifier(type)) { return nil }
    } else if misses.count >= Self.maximumNames {
      throw KeyedArchiveError(
        .limitReached, "too many unknown class names: searched \(Self.maximumNames) that no subclass of \(type) has",
        className: name, remedy: "Set the types of unknown names with setClass(_:forClassName:)")
    }
    if let found = type.archiveSubclass(named: name), AllowList.isSubclass(found, of: type) { return found }
    misses[key, default: []].insert(ObjectIdentifier(type))
    return nil
  }
}

/// A cache of allow-list decisions by class record and requested type. It holds only positive decisions; a rejection is
/// thrown and never cached.
struct AllowListCache {
  struct Key: Hashable {
    var classUID: UInt32
    var request: ObjectIdentifier

    fileprivate var requestBits: UInt64 { UInt64(UInt(bitPattern: request)) }
  }

  struct Decision {
    /// The index in ``substitutes`` of the type to decode instead of the requested one; -1 for the requested type.
    var substitute: Int32 = -1
    /// Whether `awakeAfter` or a delegate may replace the object.
    var hasHook = false

    init(hasHook: Bool) { self.hasHook = hasHook }

    fileprivate init(bits: Int32) {
      substitute = bits >> 1
      hasHook = bits & 1 != 0
    }

    fileprivate var bits: Int32 { substitute << 1 | (hasHook ? 1 : 0) }
  }

  private var decisions = SmallDictionary<Key, Decision>()
  private var substitutes: [any KeyedCoding.Type] = []
  /// A cache of 16 recent decisions: their class records, their requested types, and their results. Each vector lies in
  /// the cache itself. Archives often alternate between objects of a few classes. A decision has four places. With fewer,
  /// it depends on the addresses of types whether the decisions of a small graph displace each other.
  private var recentClasses = SIMD16<UInt32>()
  private var recentRequests = SIMD16<UInt64>()
  private var recentResults = SIMD16<Int32>()

  var isEmpty: Bool { decisions.isEmpty }

  /// Whether the cache has only a few decisions, and none for a substitute.
  var isReusable: Bool { substitutes.isEmpty && decisions.isSmall }

  /// Removes all decisions of a reusable cache.
  mutating func removeAll() {
    guard !isEmpty else { return }
    decisions.removeAll()
    recentClasses = SIMD16()
    recentRequests = SIMD16()
  }

  /// Returns the cached decision, or nil.
  @inline(__always)
  mutating func decision(for key: Key) -> Decision? {
    let index = Self.recentIndex(key)
    if recentClasses[index] == key.classUID, recentRequests[index] == key.requestBits {
      return Decision(bits: recentResults[index])
    }
    let other = index ^ 1
    if recentClasses[other] == key.classUID, recentRequests[other] == key.requestBits {
      return Decision(bits: recentResults[other])
    }
    return find(key)
  }

  @inline(__always)
  private static func recentIndex(_ key: Key) -> Int {
    (Int(key.classUID) ^ Int(bitPattern: key.request) >> 4) & 15
  }

  @inline(never)
  private mutating func find(_ key: Key) -> Decision? {
    let index = Self.recentIndex(key)
    // No class record is object 0. A decision was never in the cache if its first place is free.
    let isTaken = recentClasses[index] != 0
    if isTaken {
      for place in 2...3 {
        let other = index ^ place
        guard recentClasses[other] == key.classUID, recentRequests[other] == key.requestBits else { continue }
        return Decision(bits: recentResults[other])
      }
    }
    guard let decision = decisions[key] else { return nil }
    if isTaken {
      for place in (1...3).reversed() {
        recentClasses[index ^ place] = recentClasses[index ^ (place - 1)]
        recentRequests[index ^ place] = recentRequests[index ^ (place - 1)]
        recentResults[index ^ place] = recentResults[index ^ (place - 1)]
      }
    }
    recentClasses[index] = key.classUID
    recentRequests[index] = key.requestBits
    recentResults[index] = decision.bits
    return decision
  }

  /// Returns the type to decode instead of the requested one, or nil.
  func substitute(_ decision: Decision) -> (any KeyedCoding.Type)? {
    decision.substitute < 0 ? nil : substitutes[Int(decision.substitute)]
  }

  func contains(_ key: Key) -> Bool { decisions[key] != nil }

  /// Caches a positive decision for the requested type or a substitute.
  mutating func insert(_ key: Key, as substitute: (any KeyedCoding.Type)?, hasHook: Bool) {
    var decision = Decision(hasHook: hasHook)
    if let substitute {
      decision.substitute = Int32(truncatingIfNeeded: substitutes.count)
      substitutes.append(substitute)
    }
    decisions.add(decision, for: key)
  }
}

/// A struct or enum whose contents are decoded under the current allow list, if any.
///
/// These are collections, and values of this package with contents of any class. Any other value decodes its contents
/// under the types that it requests itself, as instances of classes do. Otherwise the result of its initializer would
/// depend on its caller's list.
package protocol ListGoverned {}

/// A type that matches more class names than it can list, such as those of all units.
package protocol ArchivedClassMatching: KeyedCoding {
  /// Returns whether an object of a class may be decoded as the type.
  static func matches(_ description: ClassDescription) -> Bool
}

/// A dictionary that searches up to 16 keys linearly, because that is faster than hashing.
struct SmallDictionary<Key: Hashable, Value> {
  private var entries: [(key: Key, value: Value)] = []
  /// The index of each key in `entries`; empty while the keys are searched linearly.
  private var indexes: [Key: Int] = [:]
  private static var few: Int { 16 }

  var isEmpty: Bool { entries.isEmpty }

  /// Whether the keys are searched linearly.
  var isSmall: Bool { entries.count <= Self.few }

  /// Removes all entries, and keeps the memory of a few.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: isSmall)
    if !indexes.isEmpty { indexes = [:] }
  }

  subscript(key: Key) -> Value? { index(of: key).map { entries[$0].value } }

  /// Adds a value for a key that is not in the dictionary.
  mutating func add(_ value: Value, for key: Key) {
    entries.append((key, value))
    guard entries.count > Self.few else { return }
    for index in (indexes.isEmpty ? 0 : entries.count - 1)..<entries.count { indexes[entries[index].key] = index }
  }

  private func index(of key: Key) -> Int? {
    entries.count > Self.few ? indexes[key] : entries.firstIndex { $0.key == key }
  }
}
