// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A flat list of types that may come out, as Apple's `ofClasses:` calls take it.
///
/// It governs the object asked for and the elements of the untyped collections in it; objects decode their own children
/// under what they ask for themselves.
final class ClassList {
  let types: [any KeyedCoding.Type]
  private var typeOfName: [ExactText: any KeyedCoding.Type] = [:]
  /// Those that answer to more names than they can list.
  private var open: [any ClassAnswering.Type] = []
  /// The answers so far, by the numbers of the records: a million objects may be of one class with a long name, or with
  /// many hints.
  private var answers: [UInt32: (any KeyedCoding.Type)?] = [:]

  init(_ types: [any KeyedCoding.Type]) {
    self.types = types
    for type in types {
      for member in [type] + ClassList.family(of: type) {
        for name in ClassList.names(of: member) where typeOfName[name] == nil { typeOfName[name] = member }
        if let member = member as? any ClassAnswering.Type { open.append(member) }
      }
    }
  }

  /// The type for a class: the first that answers to its name or to one of its hints, else the first that answers to
  /// it by what it descends from.
  func type(for record: ClassRecord) -> (any KeyedCoding.Type)? {
    if let known = answers[record.uid] { return known }
    let answer = find(record)
    answers[record.uid] = .some(answer)
    return answer
  }

  private func find(_ record: ClassRecord) -> (any KeyedCoding.Type)? {
    if let type = typeOfName[record.name] { return type }
    for hint in record.hints { if let type = typeOfName[hint] { return type } }
    return open.isEmpty ? nil : open.first { $0.answers(to: record.description) }
  }

  /// All names that a type answers to.
  static func names(of type: any KeyedCoding.Type) -> [String] {
    [type.archiveClassName] + type.archiveClassAliases
  }

  /// The types that a type lets stand for it, and those that these let stand for them.
  static func family(of type: any KeyedCoding.Type) -> [any KeyedCoding.Type] {
    var family: [any KeyedCoding.Type] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(type)]
    var stack = type.archiveSubclasses
    while let next = stack.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      family.append(next)
      stack.append(contentsOf: next.archiveSubclasses)
    }
    return family
  }

  static func type(
    named name: String, amongThoseThatMayStandFor type: any KeyedCoding.Type
  ) -> (any KeyedCoding.Type)? {
    if isName(name, of: type) { return type }
    return type.archiveSubclasses.isEmpty ? nil : family(of: type).first { isName(name, of: $0) }
  }

  private static func isName(_ name: String, of type: any KeyedCoding.Type) -> Bool {
    type.archiveClassName == name || type.archiveClassAliases.contains(name)
  }
}
