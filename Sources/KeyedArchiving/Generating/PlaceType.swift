// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The Swift type that holds all values seen in one place, and how they are asked for.
struct PlaceType: Equatable {
  /// How values get out of an archive and into one.
  enum Way: Equatable {
    /// By their type, which says all that may come out.
    case typed
    /// By a list of types, for there is more than one kind of object.
    case listed([String])
  }

  /// How they are stored.
  enum Form: Equatable {
    /// As numbers inside their object.
    case inlineNumber
    /// As bytes inside their object.
    case inlineData
    /// As objects of their own.
    case object
  }

  /// The type's name in source.
  var name: String
  var way = Way.typed
  var form = Form.object
  /// Whether it is a number, which is an object of its own only if that is said.
  var isNumber = false
  /// Whether there is a value everywhere.
  var isOptional = false
  /// Whether nil was stored, and not just nothing.
  var storesNil = false
  /// What the property holds until its value is there, if that is not nil.
  var empty: String?

  /// The type with its question mark.
  var fullName: String {
    guard isOptional else { return name }
    return name == Self.anyObject ? "(\(name))?" : "\(name)?"
  }

  static let anyObject = "any KeyedCoding"
}

/// Finds the types of places.
struct PlaceTypes {
  let types: ClassTypes

  static let collections: Set = [
    "ArchivedArray", "ArchivedDictionary", "ArchivedSet", "ArchivedOrderedSet", "ArchivedCountedSet",
  ]
  private static let arrays: Set = ["NSArray", "NSMutableArray"]
  private static let sets: Set = ["NSSet", "NSMutableSet"]
  private static let dictionaries: Set = ["NSDictionary", "NSMutableDictionary"]

  /// What elements of sets and keys of dictionaries may be.
  private static let hashable: Set = [
    "String", "Bool", "Int", "UInt64", "Float", "Double", "ArchiveNumber", "Data", "Date", "URL", "UUID", "Decimal",
    "IndexPath",
  ]

  /// The type for a place, of which there are `count`; nil if something is there that no call of the coders stores.
  func type(for use: ValueUse, of count: Int) -> PlaceType? {
    guard !use.kinds.keys.contains(where: { !$0.isDecodable }) else { return nil }
    let hasNil = use.kinds[.null] != nil
    var type = present(use)
    type.isOptional = hasNil || use.count < count
    type.storesNil = hasNil
    return type
  }

  private func present(_ use: ValueUse) -> PlaceType {
    let kinds = use.kinds.keys.filter { $0 != .null }
    // Nothing but nil: what may come there one day comes as data.
    guard !kinds.isEmpty else { return PlaceType(name: ClassTypes.anything) }
    let inline = use.kinds.reduce(into: 0) { if case .plain(_, isObject: false) = $1.key { $0 += $1.value } }
    if let name = typed(kinds, use) {
      let isMostlyInline = 2 * inline > use.count - (use.kinds[.null] ?? 0)
      var type = PlaceType(
        name: name, isNumber: ["Bool", "Int", "UInt64", "Float", "Double", "ArchiveNumber"].contains(name))
      if isMostlyInline, ["Bool", "Int", "Float", "Double"].contains(name) { type.form = .inlineNumber }
      if isMostlyInline, name == "Data" { type.form = .inlineData }
      if name.hasPrefix("[") { type.empty = name.contains(": ") ? "[:]" : "[]" }
      if name.hasPrefix("Set<") { type.empty = "[]" }
      return type
    }
    var names: Set<String> = []
    use.collectClassNames(into: &names)
    for case .plain(let plain, isObject: false) in kinds { names.insert(plain.className) }
    let here = Set(kinds.compactMap(\.className).map { types.name(ofClass: $0) })
    let only = here.count == 1 ? here.first : nil
    return PlaceType(
      name: only ?? PlaceType.anyObject, way: .listed(types.list(ofClasses: names)),
      empty: only.flatMap { Self.collections.contains($0) ? "\($0)([])" : nil })
  }

  /// The one type of all values here, down to the last element; nil if there are several.
  private func typed(_ kinds: [ValueUse.Kind], _ use: ValueUse) -> String? {
    let plains = Set(kinds.compactMap { if case .plain(let plain, _) = $0 { plain } else { nil } })
    let classes = Set(kinds.compactMap { if case .object(let name) = $0 { name } else { nil } })
    if classes.isEmpty { return plain(plains) }
    guard plains.isEmpty else { return nil }
    if classes.isSubset(of: Self.arrays) {
      return use.elements.flatMap { element($0) }.map { "[\($0)]" }
    }
    if classes.isSubset(of: Self.sets) {
      return use.elements.flatMap { typed($0) }.flatMap { Self.hashable.contains($0) ? "Set<\($0)>" : nil }
    }
    if classes.isSubset(of: Self.dictionaries) {
      guard let key = use.pairKeys.flatMap({ typed($0) }), Self.hashable.contains(key) else { return nil }
      return use.pairValues.flatMap { element($0) }.map { "[\(key): \($0)]" }
    }
    guard !classes.contains(where: types.holdsOthers) else { return nil }
    let names = Set(classes.map { types.name(ofClass: $0) })
    guard names.count == 1, let name = names.first, !Self.collections.contains(name) else { return nil }
    return name
  }

  private func typed(_ use: ValueUse) -> String? {
    use.kinds.keys.allSatisfy { $0.isDecodable && $0 != .null } ? typed(Array(use.kinds.keys), use) : nil
  }

  /// The type of elements and of a dictionary's values, where nil may stand as an object of its own.
  private func element(_ use: ValueUse) -> String? {
    let kinds = use.kinds.keys.filter { $0 != .object(className: ArchiveNull.archiveClassName) }
    guard !kinds.isEmpty, kinds.allSatisfy({ $0.isDecodable && $0 != .null }), let name = typed(kinds, use) else {
      return nil
    }
    return kinds.count < use.kinds.count ? "\(name)?" : name
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
