// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivedClasses
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The types of this package by the names of the archived classes that they represent.
struct ValueTypeNames {
  private var named: [BytewiseString: any KeyedCoding.Type] = [:]
  /// Types that match more names than they can list.
  private var patternTypes: [any ArchivedClassMatching.Type] = []

  /// Types of single values that `KeyedUnarchiver.valueTypes` lacks. Decoding date components fails if the program does not
  /// know their calendar, so unknown contents must not need them.
  private static var others: [any KeyedCoding.Type] { [DateComponents.self, ArchivedUnitConverter.self] }

  /// The types of this package for classes.
  static var types: [any KeyedCoding.Type] { KeyedUnarchiver.valueTypes + others }

  init() {
    for type in Self.types where type != ArchivedObject.self {
      for name in [type.archiveClassName] + type.archiveClassAliases where named[name] == nil { named[name] = type }
      if let type = type as? any ArchivedClassMatching.Type { patternTypes.append(type) }
    }
  }

  /// Returns the type with a class name, ignoring class hints.
  func type(named name: String) -> (any KeyedCoding.Type)? { named[name] }

  /// Returns whether only a request that names the type of a class decodes its objects.
  fileprivate func mustBeRequested(_ name: String) -> Bool {
    guard let type = named[name] else { return false }
    return Self.others.contains { $0 == type }
  }

  func type(of archivedClass: ClassDescription) -> (any KeyedCoding.Type)? {
    if let type = named[archivedClass.name] { return type }
    for hint in archivedClass.hints { if let type = named[hint] { return type } }
    return patternTypes.first { $0.matches(archivedClass) }
  }

  /// Returns the type of a class if all of its records have that type. Records of one name can have different hints.
  func type(of use: ArchiveAudit.ClassUse) -> (any KeyedCoding.Type)? {
    let first = type(of: use.descriptions.first ?? ClassDescription(name: use.name, chain: []))
    guard let first, use.descriptions.allSatisfy({ type(of: $0) == first }) else { return nil }
    return first
  }
}

/// The classes of objects inside of values with contents of any class, such as an error's user info. A caller who
/// requests such a value must allow them.
struct ContentClasses {
  /// The classes of the objects inside of values, by the class of the value.
  private(set) var contents: [BytewiseString: Set<BytewiseString>] = [:]

  init(_ audit: ArchiveAudit) {
    let types = ValueTypeNames()
    // The number of value types is small, whatever the archive.
    for use in audit.classes where Self.isValue(use.name, types) {
      var found: Set<BytewiseString> = []
      var seen: Set = [BytewiseString(use.name)]
      var stack = [BytewiseString(use.name)]
      while let name = stack.popLast() {
        var inside: Set<BytewiseString> = []
        for (_, use) in audit.classTable[name]?.keys ?? [] { use.collectClassNames(into: &inside) }
        for name in inside where seen.insert(name).inserted {
          if Self.isValue(name.text, types) {
            stack.append(name)
            if types.mustBeRequested(name.text) { found.insert(name) }
          } else if let use = audit.classTable[name], types.type(of: use) == nil {
            found.insert(name)
          }
        }
      }
      if !found.isEmpty { contents[use.name] = found }
    }
  }

  /// Returns the classes of objects inside of a class's objects; empty for unknown classes and for collections.
  func classes(in name: String) -> Set<BytewiseString> { contents[name] ?? [] }

  private static func isValue(_ name: String, _ types: ValueTypeNames) -> Bool {
    types.type(named: name) != nil && !AuditWalk.collectionNames.contains(name)
  }
}
