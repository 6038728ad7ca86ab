// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving
import PropertyListFormat

/// The positions at which an object stores the members of a collection.
///
/// Foundation's collections store references in one array under `NS.objects`, or one each under `NS.object.0`,
/// `NS.object.1` and so on. Dictionaries store their keys likewise under `NS.keys` or `NS.key.0`.
enum CollectionMembers<Position> {
  /// The position of the array that holds the members.
  case array(Position)
  /// The positions of the members, in order; never empty.
  case numbered([Position])

  /// Finds the members of an object, or returns nil if it stores none.
  ///
  /// Of a key that occurs twice, the first counts.
  /// - Parameters:
  ///   - kind: The elements or values, or the keys of a dictionary.
  ///   - first: Returns the first position of a key.
  ///   - keys: Returns all keys with their positions; called only if the key of the array is absent.
  init?(
    _ kind: KeyedUnarchiver.ElementKind, first: (String) -> Position?, keys: () -> some Sequence<(String, Position)>
  ) {
    if let position = first(kind.arrayKey) {
      self = .array(position)
    } else {
      let positions = Self.numbered(kind.numberedKey, keys())
      if positions.isEmpty { return nil }
      self = .numbered(positions)
    }
  }

  /// Returns the positions of the keys that consist of a prefix and 0, 1, 2 and so on, up to the first missing number.
  static func numbered(_ prefix: String, _ keys: some Sequence<(String, Position)>) -> [Position] {
    var numbered: [Int: Position] = [:]
    for (key, position) in keys {
      if let number = key.number(after: prefix), numbered[number] == nil { numbered[number] = position }
    }
    var positions: [Position] = []
    while let position = numbered[positions.count] { positions.append(position) }
    return positions
  }
}

/// The contents of an object: the members of a collection, in either layout of Foundation, and its other entries.
package struct ObjectContents {
  package typealias Pair = (key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)

  /// The container class that an object descends from, as far as it decides how the object's members are read.
  package enum ContainerKind: Sendable {
    case other, set, countedSet

    /// Determines the kind of a class. Cache the result: a class may have many superclasses with long names.
    package init(_ description: ClassDescription) {
      func isOrInherits(_ name: String) -> Bool { description.name == name || description.chain.contains(name) }
      if isOrInherits("NSCountedSet") {
        self = .countedSet
      } else {
        self = isOrInherits("NSSet") || description.name == "NSMutableSet" ? .set : .other
      }
    }
  }

  package enum Members {
    case none
    /// The elements of an array, whose order counts.
    case list([KeyedArchive.StoredValue])
    /// The elements of a set, whose order does not count.
    case set([KeyedArchive.StoredValue])
    /// The pairs of a dictionary, or the elements of a counted set with their counts.
    case pairs([Pair])

    /// The number of elements or pairs.
    package var count: Int {
      switch self {
      case .none: 0
      case .list(let elements), .set(let elements): elements.count
      case .pairs(let pairs): pairs.count
      }
    }
  }

  /// The entries other than those that store members.
  package private(set) var entries: [KeyedArchive.Entry]
  package private(set) var members = Members.none
  /// Whether the members are stored under numbered keys.
  package private(set) var isNumbered = false
  /// Whether the keys of a dictionary are stored under numbered keys.
  package private(set) var hasNumberedKeys = false
  /// Whether the pairs are elements with their counts.
  package private(set) var isCounted = false

  /// Separates an object's members from its other entries.
  /// - Parameters:
  ///   - entries: The object's entries, without `$class`.
  ///   - kind: The kind of the object's class.
  package init(_ entries: [KeyedArchive.Entry], of kind: ContainerKind = .other) {
    self.entries = entries
    // Few objects have the keys of members; see CollectionMembers.
    guard entries.contains(where: { $0.key.hasPrefix("NS.object") || $0.key.hasPrefix("NS.key") }) else { return }
    var used: [Int] = []
    if kind == .countedSet {
      let keys = entries.enumerated().lazy.map { ($1.key, $0) }
      let elements = CollectionMembers.numbered("NS.object", keys)
      let counts = CollectionMembers.numbered("NS.count", keys)
      let count = min(elements.count, counts.count)
      if count > 0 {
        members = .pairs(zip(elements, counts).map { (entries[$0].value, entries[$1].value) })
        (isNumbered, isCounted) = (true, true)
        used = Array(elements[..<count] + counts[..<count])
      }
    }
    if used.isEmpty {
      let keys = Self.list(.keys, entries)
      let values = Self.list(.objects, entries)
      if let keys, let values, keys.values.count == values.values.count {
        members = .pairs(zip(keys.values, values.values).map { ($0, $1) })
        (isNumbered, hasNumberedKeys) = (values.isNumbered, keys.isNumbered)
        used = keys.positions + values.positions
      } else if let values, keys == nil {
        members = kind == .other ? .list(values.values) : .set(values.values)
        isNumbered = values.isNumbered
        used = values.positions
      }
    }
    guard !used.isEmpty else { return }
    var isUsed = [Bool](repeating: false, count: entries.count)
    for position in used { isUsed[position] = true }
    self.entries = entries.indices.lazy.filter { !isUsed[$0] }.map { entries[$0] }
  }

  private typealias List = (values: [KeyedArchive.StoredValue], positions: [Int], isNumbered: Bool)

  private static func list(_ kind: KeyedUnarchiver.ElementKind, _ entries: [KeyedArchive.Entry]) -> List? {
    let found = CollectionMembers(kind) { key in
      entries.firstIndex { $0.key.hasSameBytes(as: key) }
    } keys: {
      entries.enumerated().lazy.map { ($1.key, $0) }
    }
    switch found {
    case .array(let position):
      guard case .array(let values) = entries[position].value else { return nil }
      return (values, [position], false)
    case .numbered(let positions): return (positions.map { entries[$0].value }, positions, true)
    case nil: return nil
    }
  }

  /// The elements of an array or set; nil for other objects.
  package var elements: [KeyedArchive.StoredValue]? {
    switch members {
    case .list(let elements), .set(let elements): elements
    case .none, .pairs: nil
    }
  }

  /// The pairs of a dictionary or counted set; nil for other objects.
  package var pairs: [Pair]? { if case .pairs(let pairs) = members { pairs } else { nil } }
}
