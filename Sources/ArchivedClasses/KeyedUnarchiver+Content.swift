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

extension KeyedUnarchiver {
  /// Makes an object of any class: as one of the types on the list in force, else as the type that stands for the class,
  /// else as `ArchivedObject`. None of these does more than hold what was read.
  func content(forKey key: String) throws -> (any KeyedCoding)? {
    try decodeAny(forKey: key, under: contentList)
  }

  /// Makes a value under the list for ``content(forKey:)``, for a type whose elements are of any class.
  func content<Value: KeyedCoding>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try withAllowList(contentList) { try object(type, key) }
  }

  /// The list in force and the known value types. Only where a type was asked for, and no list is in force, is what has
  /// any other class made as data; a list would be widened by that.
  private var contentList: AllowList {
    guard let outer = allowedClasses?.types else { return list(of: KeyedUnarchiver.valueTypes) }
    if outer.contains(where: { $0 is ArchivedObject.Type }) { return list(of: outer) }
    return list(of: outer + KeyedUnarchiver.valueTypes.filter { !($0 is ArchivedObject.Type) })
  }
}
