// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The cost of hashing decoded objects, as elements of a set or keys of a dictionary.
///
/// The `Hashable` of structs and enums hashes all that a value contains. Only the `hash(into:)` of a class decides whether it
/// visits what an instance contains, and most hash an identifier. The instances of a graph often refer to all of it, so their
/// contents do not count.
struct HashCost {
  /// The cost of all that references repeat, with the references that it repeats itself. In a chain of objects that each refer
  /// twice to the next, it doubles with each level, as the work of hashing does.
  private(set) var repetitions: Int64 = 0
  /// The cost of values with their strings and data.
  var contents: Int64 = 0

  /// The cost of both.
  var sum: Int64 { repetitions &+ contents }

  /// Adds a reference to something that was decoded before. A cost is limited, so that no sum of costs overflows.
  @inline(__always)
  mutating func add(repeating cost: HashCost) {
    repetitions &+= Self.limited(cost.repetitions)
    contents &+= Self.limited(cost.contents)
  }

  @inline(__always)
  private static func limited(_ cost: Int64) -> Int64 {
    Int64(truncatingIfNeeded: min(UInt64(bitPattern: cost), 1 << 36))
  }

  /// Ends the count for an instance, and returns the cost of another reference to it.
  @inline(__always)
  mutating func endInstance(since start: HashCost) -> HashCost {
    contents = start.contents
    return HashCost(repetitions: repetitions &- start.repetitions &+ ExpansionBudget.element)
  }

  /// Ends the count for a value, and returns the cost of another reference to it.
  @inline(__always)
  mutating func endValue(since start: HashCost) -> HashCost {
    contents &+= ExpansionBudget.element
    let repeated = repetitions &- start.repetitions &+ ExpansionBudget.element
    return HashCost(repetitions: repeated, contents: contents &- start.contents)
  }
}
