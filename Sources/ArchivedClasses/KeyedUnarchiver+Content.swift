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
  /// Decodes an object of any class: as a type of the current allow list, as a value type of this package, or as
  /// `ArchivedObject`. None of these runs code of the archived class.
  ///
  /// The types of `first` precede those of the current allow list, which has others for the same classes in some calls.
  func content(forKey key: String, first: [any KeyedCoding.Type] = []) throws -> (any KeyedCoding)? {
    let list = contentList(first)
    return try withWording(of: list) { try decodeAny(forKey: key, under: list) }
  }

  /// Decodes a value whose elements may have any class, with the allow list of ``content(forKey:first:)``.
  func content<Value: KeyedCoding>(
    _ type: Value.Type, forKey key: String, first: [any KeyedCoding.Type] = []
  ) throws -> Value? {
    let list = contentList(first)
    return try withWording(of: list) { try withAllowList(list) { try object(type, key) } }
  }

  /// Runs a request for contents, whose errors speak of the current request in the caller's terms.
  private func withWording<Value>(of list: AllowList, _ body: () throws -> Value) rethrows -> Value {
    guard let wording = currentAllowList.flatMap({ wording(of: $0.types) }) else { return try body() }
    return try withWording(wording.adding(list.types, named: "plain values"), body)
  }

  /// The allow list for contents of any class, such as an error's user info: the current list plus the value types of
  /// this package. `ArchivedObject`, which accepts every class, is added only if no list is current, because it would
  /// widen the caller's list. A list that has it gets no other types: only the primitives, which have no class, are allowed
  /// too.
  ///
  /// Values of this kind nest, so types that the list has are not added again: the list would grow with each level.
  private func contentList(_ first: [any KeyedCoding.Type]) -> AllowList {
    let known = companions.object(ContentLists())
    let request = ContentLists.Request(
      current: currentAllowList.map { ObjectIdentifier($0) }, first: first.map { ObjectIdentifier($0) })
    if let list = known.lists[request]?.list { return list }
    let list = newContentList(first)
    if known.lists.count == ContentLists.maximumCount { known.lists = [:] }
    known.lists[request] = (currentAllowList, list)
    return list
  }

  private func newContentList(_ first: [any KeyedCoding.Type]) -> AllowList {
    let current = currentAllowList?.types ?? []
    let hasObject = current.contains { $0 is ArchivedObject.Type }
    let primitives: [any PrimitiveValue.Type] = [String.self, ArchiveNumber.self, Data.self]
    if hasObject, first.isEmpty, let list = currentAllowList {
      let known = list.primitiveTypes.map { ObjectIdentifier($0) }
      if primitives.allSatisfy({ known.contains(ObjectIdentifier($0)) }) { return list }
    }
    let added: [any KeyedCoding.Type] =
      hasObject
      ? [] : KeyedUnarchiver.valueTypes.filter { currentAllowList == nil || !($0 is ArchivedObject.Type) }
    var known: Set<ObjectIdentifier> = []
    let types = (first + current + added).filter { known.insert(ObjectIdentifier($0)).inserted }
    let missing = hasObject ? primitives.filter { !known.contains(ObjectIdentifier($0)) } : []
    return missing.isEmpty ? list(of: types) : list(of: types, primitives: missing)
  }
}

/// The allow lists for contents, because a file can have many values with contents.
private final class ContentLists {
  struct Request: Hashable {
    let current: ObjectIdentifier?
    let first: [ObjectIdentifier]
  }

  static let maximumCount = 64
  /// The lists, each with the one that was current. That keeps its identity in use.
  var lists: [Request: (current: AllowList?, list: AllowList)] = [:]
}

extension ArchiveField {
  /// A dictionary with objects of any class.
  static func content(_ key: String, _ place: Place<ArchivedDictionary?>) -> Self {
    Self(
      key,
      encode: { $1.encode($0[keyPath: place], forKey: key) },
      decode: { $0[keyPath: place] = try $1.content(ArchivedDictionary.self, forKey: key) })
  }

  /// A dictionary with objects of any class, encoded only if it is not nil.
  static func optionalContent(_ key: String, _ place: Place<ArchivedDictionary?>) -> Self {
    Self(
      key,
      encode: { if let value = $0[keyPath: place] { $1.encode(value, forKey: key) } },
      decode: content(key, place).decode)
  }
}

// Untyped collections, whose elements may have any type of the allow list.
extension ArchivedCountedSet: ListGoverned {}

// Values with contents of any class, which may have types of the allow list, and values that contain such values.
extension ArchivedAttributedString: ListGoverned {}
extension ArchivedDateFormatter: ListGoverned {}
extension ArchivedError: ListGoverned {}
extension ArchivedException: ListGoverned {}
extension ArchivedExpression: ListGoverned {}
extension ArchivedFont: ListGoverned {}
extension ArchivedFontDescriptor: ListGoverned {}
extension ArchivedImage: ListGoverned {}
extension ArchivedNotification: ListGoverned {}
extension ArchivedNumberFormatter: ListGoverned {}
extension ArchivedPredicate: ListGoverned {}
extension ArchivedUIFont: ListGoverned {}
