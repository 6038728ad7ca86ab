// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Which objects may stand where which types are asked for, as far as it was found out.
struct AllowListCache {
  /// May an object with this class record stand where this type is asked for?
  struct Key: Hashable {
    var classUID: UInt32
    var request: ObjectIdentifier
  }

  /// Yes, and how. Who must say no throws.
  struct Decision {
    /// No object's class record has the number 0, so this is the answer to nothing.
    var key = Key(classUID: 0, request: ObjectIdentifier(Never.self))
    /// The type to make, where it is not the one that was asked for, by its place among the substitutes; else -1.
    var substitute: Int32 = -1
    /// Whether the delegate or the type wants to see, and perhaps replace, what was decoded.
    var isWatched = false
  }

  private var decisions = SmallDictionary<Key, Decision>()
  private var substitutes: [any KeyedCoding.Type] = []
  /// Those asked for last, by some bits of the keys: objects of a few classes take turns.
  private var recent = InlineArray<8, Decision>(repeating: Decision())

  var isEmpty: Bool { decisions.isEmpty }

  /// The answer to a key, if it was found before.
  @inline(__always)
  mutating func decision(for key: Key) -> Decision? {
    let place = Self.recentIndex(key)
    if recent[place].key == key { return recent[place] }
    return find(key)
  }

  @inline(__always)
  private static func recentIndex(_ key: Key) -> Int {
    (Int(key.classUID) ^ Int(bitPattern: key.request) >> 4) & 7
  }

  @inline(never)
  private mutating func find(_ key: Key) -> Decision? {
    guard let decision = decisions[key] else { return nil }
    recent[Self.recentIndex(key)] = decision
    return decision
  }

  /// The type that an answer names, if it is not the one that was asked for.
  func substitute(_ decision: Decision) -> (any KeyedCoding.Type)? {
    decision.substitute < 0 ? nil : substitutes[Int(decision.substitute)]
  }

  func contains(_ key: Key) -> Bool { decisions[key] != nil }

  /// Keeps the answer to a key: yes, as what was asked for or as another type.
  mutating func insert(_ key: Key, as substitute: (any KeyedCoding.Type)?, isWatched: Bool) {
    var decision = Decision(key: key, isWatched: isWatched)
    if let substitute {
      decision.substitute = Int32(truncatingIfNeeded: substitutes.count)
      substitutes.append(substitute)
    }
    decisions.add(decision, for: key)
  }
}
