// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Infers the Swift types of audited values.
struct TypeInference {
  let types: ClassTypes
  private let listLimit = ListLimit()

  init(types: ClassTypes) { self.types = types }

  static let collections: Set<BytewiseString> = [
    "ArchivedArray", "ArchivedDictionary", "ArchivedSet", "ArchivedOrderedSet", "ArchivedCountedSet",
  ]
  private static let arrays: Set<BytewiseString> = ["NSArray", "NSMutableArray"]

  /// The types that elements of sets and keys of dictionaries may have.
  private static let hashable: Set<BytewiseString> = [
    "String", "Bool", "Int", "UInt64", "Float", "Double", "ArchiveNumber", "Data", "Date", "URL", "UUID", "Decimal",
    "IndexPath",
  ]

  /// Returns the type for the values of a key.
  /// - Parameters:
  ///   - use: The values.
  ///   - count: The number of objects that may have the key.
  /// - Returns: The type, or nil if no method of the coders stores one of the values.
  func type(for use: ValueUse, of count: Int) -> InferredType? {
    guard !use.kinds.keys.contains(where: { !$0.isDecodable }), var type = present(use) else { return nil }
    let hasNil = use.kinds[.null] != nil
    type.isOptional = hasNil || use.count < count
    type.storesNil = hasNil
    return type
  }

  /// Returns the type of collections, if their members have one type at all levels.
  func collection(_ use: ValueUse) -> String? { typed(Array(use.kinds.keys), use)?.text }

  private func present(_ use: ValueUse) -> InferredType? {
    let kinds = use.kinds.keys.filter { $0 != .null }
    // All values are nil. Later files can have other values, which are decoded as data.
    guard !kinds.isEmpty else { return InferredType(name: ClassTypes.anything) }
    let inline = use.kinds.reduce(into: 0) { if case .primitive(_, isBoxed: false) = $1.key { $0 += $1.value } }
    if let found = typed(kinds, use) {
      var type = InferredType(name: found.text, empty: found.empty)
      if found.hasMutableArrays { type.stored = found }
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
    // The types of lists have numbers as `ArchiveNumber`.
    guard !use.exceedsNumbers else { return nil }
    var names = Set(kinds.compactMap(\.classNameOfValue).map { BytewiseString($0) })
    let here = Set(names.map { BytewiseString(types.name(ofClass: $0.text)) })
    use.collectClassNames(into: &names)
    let only = here.count == 1 ? here.first?.text : nil
    let list = types.list(ofClasses: names, atMost: listLimit.length)
    listLimit.add(list?.count ?? 0)
    return InferredType(
      name: only ?? InferredType.anyObject, access: list.map { .listed($0) } ?? .all,
      empty: only.flatMap { Self.collections.contains($0) ? "\($0)([])" : nil })
  }

  /// Returns the type of all values, including elements at all levels, or nil if they have several types.
  private func typed(_ kinds: [ValueUse.Kind], _ use: ValueUse) -> SourceType? {
    let primitives = Set(kinds.compactMap { if case .primitive(let primitive, _) = $0 { primitive } else { nil } })
    let classes = Set(kinds.compactMap { if case .object(let name) = $0 { BytewiseString(name) } else { nil } })
    if classes.isEmpty { return primitive(primitives, use).map(SourceType.named) }
    guard primitives.isEmpty else { return nil }
    // Only types for untyped collections remember which of several collections are mutable.
    guard classes.count == 1 || classes.isDisjoint(with: AuditWalk.collectionNames) else { return nil }
    if classes.isSubset(of: Self.arrays) {
      let isMutable = classes.contains("NSMutableArray")
      guard let element = use.elements.flatMap({ element($0) }) else { return nil }
      if isMutable, case .optional = element { return nil }
      return .array(element, isMutable: isMutable)
    }
    if classes == ["NSSet"] {
      return use.elements.flatMap { typed($0) }.flatMap { Self.hashable.contains($0.text) ? .set($0) : nil }
    }
    if classes == ["NSDictionary"] {
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

  /// Returns the type of elements or of a dictionary's values, which may be `NSNull` for nil.
  private func element(_ use: ValueUse) -> SourceType? {
    let kinds = use.kinds.keys.filter { $0 != .object(className: ArchiveNull.archiveClassName) }
    guard !kinds.isEmpty, kinds.allSatisfy({ $0.isDecodable && $0 != .null }), let type = typed(kinds, use) else {
      return nil
    }
    return kinds.count < use.kinds.count ? .optional(type) : type
  }

  private func primitive(_ kinds: Set<KeyedArchive.PrimitiveKind>, _ use: ValueUse) -> String? {
    guard !use.exceedsUInt64 else {
      return !use.exceedsInt64 && kinds.isSubset(of: [.integer, .unsigned]) ? "Int" : nil
    }
    return switch kinds {
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
  /// Whether a method of the decoder decodes such values. Inline containers, dates and class records have none; they
  /// occur mainly inside of Foundation's collections.
  fileprivate var isDecodable: Bool {
    switch self {
    case .null, .object: true
    case .primitive(let kind, _): kind != .date
    case .array, .dictionary, .classRecord: false
    }
  }
}

/// The limit on the lists of types in generated source. A long list is unreadable, and a file may need it a million times.
private final class ListLimit {
  /// The number of types in long lists that may still be written.
  private var left = 4000
  private static let shortLength = 8, maximumLength = 100

  /// The greatest length of the next list.
  var length: Int { left > 0 ? Self.maximumLength : Self.shortLength }

  /// Counts a list.
  func add(_ count: Int) { if count > Self.shortLength { left -= count } }
}

/// The Swift type of a property, and how its values are decoded and encoded.
struct InferredType {
  /// How values are requested.
  enum Access: Equatable {
    /// By their type, which is also the allow list.
    case typed
    /// By a list of types, because the objects have several classes.
    case listed([String])
    /// By the list of the types of all objects.
    case all
  }

  /// How values are stored.
  enum Form {
    /// As inline numbers.
    case inlineNumber
    /// As inline data.
    case inlineData
    /// As objects.
    case object
  }

  /// The name of the type in source.
  var name: String
  var access = Access.typed
  var form = Form.object
  /// Whether the type is a number, which is boxed only on request.
  var isNumber = false
  /// Whether some objects lack the value.
  var isOptional = false
  /// Whether some objects store nil.
  var storesNil = false
  /// The value of the property until its deferred value is delivered, if that is not nil.
  var empty: String?
  /// The type, if some of its arrays are archived as mutable arrays.
  var stored: SourceType?

  /// The type, with a question mark if it is optional.
  var fullName: String {
    guard isOptional else { return name }
    return name == Self.anyObject ? "(\(name))?" : "\(name)?"
  }

  static let anyObject = "any KeyedCoding"
}
