// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A flat list of types that may come out, as Apple's `ofClasses:` calls take it.
///
/// It governs the object asked for and the elements of the untyped collections in it; objects decode their own children
/// under what they ask for themselves.
package final class AllowList {
  package let types: [any KeyedCoding.Type]
  private var typeOfName: [BytewiseString: any KeyedCoding.Type] = [:]
  /// Those that answer to more names than they can list.
  private var open: [any ArchivedClassMatching.Type] = []
  /// The answers so far, by the numbers of the records: a million objects may be of one class with a long name, or with
  /// many hints.
  private var answers: [UInt32: (any KeyedCoding.Type)?] = [:]

  init(_ types: [any KeyedCoding.Type]) {
    self.types = types
    for type in types {
      for member in [type] + AllowList.members(of: type) {
        for name in AllowList.names(of: member) where typeOfName[name] == nil { typeOfName[name] = member }
        if let member = member as? any ArchivedClassMatching.Type { open.append(member) }
      }
    }
  }

  /// The type for a class: the first that answers to its name or to one of its hints, else the first that answers to
  /// it by what it descends from.
  package func type(for record: ClassRecord) -> (any KeyedCoding.Type)? {
    if let known = answers[record.uid] { return known }
    let answer = find(record)
    answers[record.uid] = .some(answer)
    return answer
  }

  private func find(_ record: ClassRecord) -> (any KeyedCoding.Type)? {
    if let type = typeOfName[record.name] { return type }
    for hint in record.hints { if let type = typeOfName[hint] { return type } }
    return open.isEmpty ? nil : open.first { $0.matches(record.description) }
  }

  /// All names that a type answers to.
  static func names(of type: any KeyedCoding.Type) -> [String] {
    [type.archiveClassName] + type.archiveClassAliases
  }

  /// The types that may come out where a type is on a list: those that it declares in `archiveSubclasses`, and those that
  /// these declare. A class declares subclasses only: a subclass inherits the declaration, and its siblings are in it.
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

  /// The types that may be made where one type is asked for: those declared subclasses that are subclasses. A struct or
  /// enum has none, because what is made must be of the type that was asked for.
  private static func substitutableTypes(of type: any KeyedCoding.Type) -> [any KeyedCoding.Type] {
    type is AnyClass ? members(of: type) : []
  }

  /// Whether a type is a subclass of another, or the same class.
  static func isSubclass(_ candidate: any KeyedCoding.Type, of type: any KeyedCoding.Type) -> Bool {
    var current: AnyClass? = candidate as? AnyClass
    while let superclass = current {
      if ObjectIdentifier(superclass) == ObjectIdentifier(type) { return true }
      current = _getSuperclass(superclass)
    }
    return false
  }

  /// Whether a type that the caller named for a class may come out under the list.
  func admits(_ candidate: any KeyedCoding.Type) -> Bool {
    types.contains { listed in
      let type = (listed as? any AnyOptional.Type)?.wrapped ?? listed
      return AllowList.isSubclass(candidate, of: type)
        || ([type] + AllowList.members(of: type)).contains { ObjectIdentifier($0) == ObjectIdentifier(candidate) }
    }
  }

  static func type(
    named name: String, amongThoseThatMayStandFor type: any KeyedCoding.Type
  ) -> (any KeyedCoding.Type)? {
    if isName(name, of: type) { return type }
    return type.archiveSubclasses.isEmpty ? nil : substitutableTypes(of: type).first { isName(name, of: $0) }
  }

  private static func isName(_ name: String, of type: any KeyedCoding.Type) -> Bool {
    type.archiveClassName == name || type.archiveClassAliases.contains(name)
  }
}
