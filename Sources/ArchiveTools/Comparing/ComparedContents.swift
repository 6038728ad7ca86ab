// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// What an object holds, in the way in which it is compared.
struct ComparedContents {
  enum Members {
    case none
    /// An array: order counts.
    case list([KeyedArchive.StoredValue])
    /// A set: it does not.
    case set([KeyedArchive.StoredValue])
    /// A dictionary, or a set with a count for each element: the one with the same key belongs to it.
    case pairs([(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)])
  }

  /// What a class is, as far as it decides how its objects are compared. Found out once for each class, whose names and
  /// superclasses may be many and long.
  enum Family {
    case other, set, countedSet

    init(_ description: ClassDescription) {
      func descends(from name: String) -> Bool { description.name == name || description.chain.contains(name) }
      if descends(from: "NSCountedSet") {
        self = .countedSet
      } else {
        self = descends(from: "NSSet") || description.name == "NSMutableSet" ? .set : .other
      }
    }
  }

  /// What is compared key by key.
  let entries: [KeyedArchive.Entry]
  let members: Members
  /// Whether they are stored under numbered keys.
  let isNumbered: Bool
  /// Whether they are elements with counts.
  let isCounted: Bool

  init(_ family: Family, _ entries: [KeyedArchive.Entry]) {
    if family == .countedSet, let counted = Self.counted(entries) {
      self.entries = counted.entries
      members = .pairs(counted.pairs)
      isNumbered = true
      isCounted = true
      return
    }
    let contents = ObjectContents(entries)
    self.entries = contents.entries
    isNumbered = contents.isNumbered
    isCounted = false
    if let pairs = contents.pairs {
      members = .pairs(pairs)
    } else if let elements = contents.elements {
      members = family == .other ? .list(elements) : .set(elements)
    } else {
      members = .none
    }
  }

  /// The elements, if there are any.
  var elements: [KeyedArchive.StoredValue] {
    switch members {
    case .list(let elements), .set(let elements): elements
    case .none, .pairs: []
    }
  }

  /// The value under one of some keys, if there is nothing else.
  func plain(under keys: [String]) -> KeyedArchive.StoredValue? {
    guard !keys.isEmpty, isEmpty, entries.count == 1, keys.contains(entries[0].key) else { return nil }
    return entries[0].value
  }

  /// Whether there are neither elements nor pairs.
  var isEmpty: Bool { if case .none = members { true } else { false } }

  /// Whether two objects can be compared part by part: they are of one make, and either of one class or have a key in
  /// common.
  func isComparable(to other: ComparedContents, haveSameName: Bool) -> Bool {
    switch (members, other.members) {
    case (.pairs, .pairs): return isCounted == other.isCounted
    case (.pairs, .list), (.pairs, .set), (.list, .pairs), (.set, .pairs): return false
    case (.none, .none):
      if haveSameName || (entries.isEmpty && other.entries.isEmpty) { return true }
      let keys = Set(other.entries.map { BytewiseString($0.key) })
      return entries.contains { keys.contains(BytewiseString($0.key)) }
    case (.none, _), (_, .none): return haveSameName
    default: return true
    }
  }

  private typealias Pair = (key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)

  /// The elements of a counted set, which are stored as `NS.object0` with `NS.count0` and so on, and the other entries.
  private static func counted(
    _ entries: [KeyedArchive.Entry]
  ) -> (entries: [KeyedArchive.Entry], pairs: [Pair])? {
    var places: [BytewiseString: Int] = [:]
    for (place, entry) in entries.enumerated() where places[entry.key] == nil { places[entry.key] = place }
    var pairs: [Pair] = []
    var used: Set<Int> = []
    while let element = places["NS.object\(pairs.count)"], let count = places["NS.count\(pairs.count)"] {
      used.formUnion([element, count])
      pairs.append((entries[element].value, entries[count].value))
    }
    guard !pairs.isEmpty else { return nil }
    return (entries.indices.filter { !used.contains($0) }.map { entries[$0] }, pairs)
  }
}
