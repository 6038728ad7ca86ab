// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// Finds the types of places.
struct TypeInference {
  let types: ClassTypes

  static let collections: Set<BytewiseString> = [
    "ArchivedArray", "ArchivedDictionary", "ArchivedSet", "ArchivedOrderedSet", "ArchivedCountedSet",
  ]
  private static let arrays: Set<BytewiseString> = ["NSArray", "NSMutableArray"]
  private static let sets: Set<BytewiseString> = ["NSSet", "NSMutableSet"]
  private static let dictionaries: Set<BytewiseString> = ["NSDictionary", "NSMutableDictionary"]

  /// What elements of sets and keys of dictionaries may be.
  private static let hashable: Set<BytewiseString> = [
    "String", "Bool", "Int", "UInt64", "Float", "Double", "ArchiveNumber", "Data", "Date", "URL", "UUID", "Decimal",
    "IndexPath",
  ]

  /// The type for a place, of which there are `count`; nil if something is there that no call of the coders stores.
  func type(for use: ValueUse, of count: Int) -> InferredType? {
    guard !use.kinds.keys.contains(where: { !$0.isDecodable }) else { return nil }
    let hasNil = use.kinds[.null] != nil
    var type = present(use)
    type.isOptional = hasNil || use.count < count
    type.storesNil = hasNil
    return type
  }

  private func present(_ use: ValueUse) -> InferredType {
    let kinds = use.kinds.keys.filter { $0 != .null }
    // Nothing but nil: what may come there one day comes as data.
    guard !kinds.isEmpty else { return InferredType(name: ClassTypes.anything) }
    let inline = use.kinds.reduce(into: 0) { if case .plain(_, isObject: false) = $1.key { $0 += $1.value } }
    if let found = typed(kinds, use) {
      var type = InferredType(name: found.text, empty: found.empty)
      let isMostlyInline = 2 * inline > use.count - (use.kinds[.null] ?? 0)
      switch found.text {
      case "Bool", "Int", "Float", "Double":
        (type.isNumber, type.form) = (true, isMostlyInline ? .inlineNumber : .object)
      case "UInt64", "ArchiveNumber": type.isNumber = true
      case "Data" where isMostlyInline: type.form = .inlineData
      default: break
      }
      return type
    }
    var names: Set<BytewiseString> = []
    use.collectClassNames(into: &names)
    for case .plain(let plain, isObject: false) in kinds { names.insert(plain.className) }
    let here = Set(kinds.compactMap(\.className).map { BytewiseString(types.name(ofClass: $0)) })
    let only = here.count == 1 ? here.first?.text : nil
    return InferredType(
      name: only ?? InferredType.anyObject, way: .listed(types.list(ofClasses: names)),
      empty: only.flatMap { Self.collections.contains($0) ? "\($0)([])" : nil })
  }

  /// The one type of all values here, down to the last element; nil if there are several.
  private func typed(_ kinds: [ValueUse.Kind], _ use: ValueUse) -> SourceType? {
    let plains = Set(kinds.compactMap { if case .plain(let plain, _) = $0 { plain } else { nil } })
    let classes = Set(kinds.compactMap { if case .object(let name) = $0 { BytewiseString(name) } else { nil } })
    if classes.isEmpty { return plain(plains).map(SourceType.named) }
    guard plains.isEmpty else { return nil }
    if classes.isSubset(of: Self.arrays) {
      return use.elements.flatMap { element($0) }.map(SourceType.array)
    }
    if classes.isSubset(of: Self.sets) {
      return use.elements.flatMap { typed($0) }.flatMap { Self.hashable.contains($0.text) ? .set($0) : nil }
    }
    if classes.isSubset(of: Self.dictionaries) {
      guard let key = use.pairKeys.flatMap({ typed($0) }), Self.hashable.contains(key.text) else { return nil }
      return use.pairValues.flatMap { element($0) }.map { .dictionary(key, $0) }
    }
    guard !classes.contains(where: { types.holdsOthers($0.text) }) else { return nil }
    let names = Set(classes.map { BytewiseString(types.name(ofClass: $0.text)) })
    guard names.count == 1, let name = names.first?.text, !Self.collections.contains(name) else { return nil }
    return .named(name)
  }

  private func typed(_ use: ValueUse) -> SourceType? {
    use.kinds.keys.allSatisfy { $0.isDecodable && $0 != .null } ? typed(Array(use.kinds.keys), use) : nil
  }

  /// The type of elements and of a dictionary's values, where nil may stand as an object of its own.
  private func element(_ use: ValueUse) -> SourceType? {
    let kinds = use.kinds.keys.filter { $0 != .object(className: ArchiveNull.archiveClassName) }
    guard !kinds.isEmpty, kinds.allSatisfy({ $0.isDecodable && $0 != .null }), let type = typed(kinds, use) else {
      return nil
    }
    return kinds.count < use.kinds.count ? .optional(type) : type
  }

  private func plain(_ kinds: Set<ValueUse.Plain>) -> String? {
    switch kinds {
    case [.string]: "String"
    case [.data]: "Data"
    case [.boolean]: "Bool"
    case [.integer]: "Int"
    case [.unsigned]: "UInt64"
    case [.float]: "Float"
    case [.double], [.float, .double]: "Double"
    default: kinds.isDisjoint(with: [.string, .data, .date]) ? "ArchiveNumber" : nil
    }
  }
}

extension ValueUse.Kind {
  /// Whether there is a call that decodes it. There is none for arrays and the like inside of objects, nor for
  /// classes: the collections of Foundation store such things, and few others.
  fileprivate var isDecodable: Bool {
    switch self {
    case .null, .object, .plain(.boolean, _), .plain(.integer, _), .plain(.unsigned, _), .plain(.float, _),
      .plain(.double, _), .plain(.string, _), .plain(.data, _):
      true
    case .plain(.date, _), .array, .dictionary, .classRecord: false
    }
  }
}
