// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The types of this package by the names of the classes that they stand for.
struct ValueTypeNames {
  private var named: [BytewiseString: any KeyedCoding.Type] = [:]
  /// Those that answer to more names than they can list.
  private var open: [any ArchivedClassMatching.Type] = []

  init() {
    for type in KeyedUnarchiver.valueTypes where type != ArchivedObject.self {
      for name in [type.archiveClassName] + type.archiveClassAliases where named[name] == nil { named[name] = type }
      if let type = type as? any ArchivedClassMatching.Type { open.append(type) }
    }
  }

  /// The type that has the class's name; not one that would do for want of it.
  func type(named name: String) -> (any KeyedCoding.Type)? { named[name] }

  func type(of archivedClass: ClassDescription) -> (any KeyedCoding.Type)? {
    if let type = named[archivedClass.name] { return type }
    for hint in archivedClass.hints { if let type = named[hint] { return type } }
    return open.first { $0.matches(archivedClass) }
  }
}
