// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// What an archive has in one place, or several archives in all places of one kind: under a key of a class's objects, among
/// the elements of such a value, on top.
public struct ValueUse: Sendable, Hashable {
  /// What a value is.
  public enum Kind: Sendable, Hashable {
    /// Nil.
    case null
    /// A value that stands for itself, and whether it is an object of its own or stored inside of one.
    case plain(Plain, isObject: Bool)
    /// An array inside an object that is no object itself, nearly always of references.
    case array
    /// A dictionary inside an object that is no object itself.
    case dictionary
    /// A class record.
    case classRecord
    /// An object of a class.
    case object(className: String)
  }

  /// The values that stand for themselves.
  public enum Plain: String, Sendable, Hashable, CaseIterable {
    /// A boolean.
    case boolean
    /// An integer of up to 64 bits, with a sign.
    case integer
    /// An integer in 16 bytes, as numbers beyond that are.
    case unsigned
    /// A 4-byte real.
    case float
    /// An 8-byte real.
    case double
    /// A string.
    case string
    /// Bytes.
    case data
    /// A date that is no object.
    case date
  }

  /// How many values there are.
  public internal(set) var count = 0
  /// How many there are of each kind.
  public internal(set) var kinds: [Kind: Int] = [:]

  // Values of their own kind, so in arrays of one at the most.
  var elementUse: [ValueUse] = []
  var pairKeyUse: [ValueUse] = []
  var pairValueUse: [ValueUse] = []

  /// What is in the arrays and sets among the values; nil if there are none, or all are empty. Eight levels are told apart.
  public var elements: ValueUse? { elementUse.first }
  /// The keys of the dictionaries among the values.
  public var pairKeys: ValueUse? { pairKeyUse.first }
  /// The values of the dictionaries among the values.
  public var pairValues: ValueUse? { pairValueUse.first }

  /// The kinds with their numbers, the names in the order of the alphabet.
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
    Self.merge(&elementUse, other.elementUse)
    Self.merge(&pairKeyUse, other.pairKeyUse)
    Self.merge(&pairValueUse, other.pairValueUse)
  }

  private static func merge(_ mine: inout [ValueUse], _ others: [ValueUse]) {
    guard let other = others.first else { return }
    if mine.isEmpty { mine = [other] } else { mine[0].merge(other) }
  }

  /// The names of the classes of all objects here, and in the collections here, that a decoder makes under the list that
  /// is in force here.
  func collectClassNames(into names: inout Set<BytewiseString>) {
    for kind in kinds.keys { if let name = kind.className { names.insert(name) } }
    for use in elementUse + pairKeyUse + pairValueUse { use.collectClassNames(into: &names) }
  }
}

extension ValueUse.Kind: CustomStringConvertible {
  /// Such as `integer`, `string object` or a class's name.
  public var description: String {
    switch self {
    case .null: "nil"
    case .plain(let plain, let isObject): plain.rawValue + (isObject ? " object" : "")
    case .array: "array"
    case .dictionary: "dictionary"
    case .classRecord: "class"
    case .object(let name): name
    }
  }

  fileprivate var exactName: BytewiseString { BytewiseString(description) }

  /// The class that a decoder makes an object of: for strings, numbers and data that are objects, Foundation's.
  public var className: String? {
    switch self {
    case .plain(let plain, isObject: true): plain.className
    case .object(let name): name
    default: nil
    }
  }
}

extension ValueUse.Plain {
  /// The name of the class whose objects stand for it.
  var className: String {
    switch self {
    case .string: "NSString"
    case .data: "NSData"
    case .date: "NSDate"
    default: "NSNumber"
    }
  }

  /// The kind of a value that stands for itself.
  init?(_ value: KeyedArchive.StoredValue) {
    switch value {
    case .boolean: self = .boolean
    case .integer: self = .integer
    case .wideInteger: self = .unsigned
    case .float: self = .float
    case .double: self = .double
    case .string: self = .string
    case .data: self = .data
    case .date: self = .date
    case .reference, .array, .dictionary: return nil
    }
  }
}
