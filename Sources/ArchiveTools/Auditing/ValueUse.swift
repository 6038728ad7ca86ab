// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The values that archives have in one position. The position is a key of a class's objects, a top-level key, or the
/// elements of such values.
public struct ValueUse: Sendable, Hashable {
  /// The kind of a value.
  public enum Kind: Sendable, Hashable {
    /// The value nil.
    case null
    /// A primitive value, either boxed (an element of `$objects`) or inline.
    case primitive(KeyedArchive.PrimitiveKind, isBoxed: Bool)
    /// An inline array, nearly always of references.
    case array
    /// An inline dictionary.
    case dictionary
    /// A class record.
    case classRecord
    /// An object of a class.
    case object(className: String)
  }

  /// The number of values.
  public internal(set) var count = 0
  /// The number of values of each kind.
  public internal(set) var kinds: [Kind: Int] = [:]

  /// Whether some 16-byte integers fit no `Int64`, and whether some fit no `UInt64`.
  var exceedsInt64 = false, exceedsUInt64 = false

  // Arrays of at most one element, because a structure cannot contain itself.
  var elementUse: [ValueUse] = []
  var pairKeyUse: [ValueUse] = []
  var pairValueUse: [ValueUse] = []

  /// The elements of the arrays and sets among the values; nil if they have none. Up to eight levels are counted
  /// separately.
  public var elements: ValueUse? { elementUse.first }
  /// The keys of the dictionaries among the values.
  public var pairKeys: ValueUse? { pairKeyUse.first }
  /// The values of the dictionaries among the values.
  public var pairValues: ValueUse? { pairValueUse.first }

  /// The kinds with their numbers of values, sorted by name.
  public var sortedKinds: [(kind: Kind, count: Int)] {
    kinds.map { ($0.key, $0.value) }.sorted { ($0.0.exactName, $0.1) < ($1.0.exactName, $1.1) }
  }

  mutating func add(_ kind: Kind, count more: Int = 1) {
    count += more
    kinds[kind, default: 0] += more
  }

  mutating func merge(_ other: ValueUse) {
    count += other.count
    kinds.merge(other.kinds, uniquingKeysWith: +)
    exceedsInt64 = exceedsInt64 || other.exceedsInt64
    exceedsUInt64 = exceedsUInt64 || other.exceedsUInt64
    Self.merge(&elementUse, other.elementUse)
    Self.merge(&pairKeyUse, other.pairKeyUse)
    Self.merge(&pairValueUse, other.pairValueUse)
  }

  private static func merge(_ mine: inout [ValueUse], _ others: [ValueUse]) {
    guard let other = others.first else { return }
    if mine.isEmpty { mine = [other] } else { mine[0].merge(other) }
  }

  /// Whether no `ArchiveNumber` holds some integer among the values and in collections among them.
  var exceedsNumbers: Bool {
    exceedsUInt64 || (elementUse + pairKeyUse + pairValueUse).contains(where: \.exceedsNumbers)
  }

  /// Adds the class names of all objects among the values and in collections among them, to which one allow list
  /// applies.
  func collectClassNames(into names: inout Set<BytewiseString>) {
    for kind in kinds.keys { if let name = kind.className { names.insert(name) } }
    for use in elementUse + pairKeyUse + pairValueUse { use.collectClassNames(into: &names) }
  }
}

extension ValueUse.Kind: CustomStringConvertible {
  /// The name of the kind, such as `integer` or `string object`, or the name of a class.
  public var description: String {
    switch self {
    case .null: "nil"
    case .primitive(let kind, let isBoxed): kind.rawValue + (isBoxed ? " object" : "")
    case .array: "array"
    case .dictionary: "dictionary"
    case .classRecord: "class"
    case .object(let name): name
    }
  }

  /// Whether values of the kind are stored inside of an object.
  var isInline: Bool {
    switch self {
    case .primitive(_, isBoxed: false), .array, .dictionary: true
    case .primitive, .null, .classRecord, .object: false
    }
  }

  fileprivate var exactName: BytewiseString { BytewiseString(description) }

  /// The class of the object; for a boxed primitive, Foundation's class.
  public var className: String? {
    switch self {
    case .primitive(let kind, isBoxed: true): kind.className
    case .object(let name): name
    default: nil
    }
  }

  /// The class of the object; for a primitive, boxed or inline, Foundation's class.
  var classNameOfValue: String? {
    if case .primitive(let kind, isBoxed: false) = self { kind.className } else { className }
  }
}
