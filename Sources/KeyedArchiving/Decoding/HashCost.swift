// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The cost of hashing decoded objects, as elements of a set or keys of a dictionary.
///
/// The `Hashable` of structs and enums hashes all that a value contains. Only the `hash(into:)` of a class decides whether it
/// visits what an instance contains, and most hash an identifier. The instances of a graph often refer to all of it, so their
/// contents do not count, except for their own strings; see `UnarchiverState.charge(textsOf:)`.
struct HashCost {
  /// The cost of all that references repeat, with the references that it repeats itself. In a chain of objects that each refer
  /// twice to the next, it doubles with each level, as the work of hashing does.
  private(set) var repetitions: Int64 = 0
  /// The cost of values with their strings and data.
  var contents: Int64 = 0

  /// The cost of both, limited as that of a reference is.
  var sum: Int64 { Self.limited(repetitions) &+ Self.limited(contents) }

  /// Creates a cost without contents, such as that of an instance.
  @inline(__always)
  init(repetitions: Int64 = 0) { self.repetitions = repetitions }

  /// Adds a reference to a value that was decoded before. A cost is limited, so that no sum of costs overflows.
  mutating func add(repeating cost: HashCost) {
    addInstance(cost.repetitions)
    contents &+= Self.limited(cost.contents)
  }

  /// Adds a reference to an instance that was decoded before.
  @inline(__always)
  mutating func addInstance(_ repetitions: Int64) { self.repetitions &+= Self.limited(repetitions) }

  @inline(__always)
  private static func limited(_ cost: Int64) -> Int64 {
    Int64(truncatingIfNeeded: min(UInt64(bitPattern: cost), 1 << 36))
  }

  /// Ends the count for an instance, and returns the cost of another reference to it.
  @inline(__always)
  mutating func endInstance(since start: HashCost) -> Int64 {
    contents = start.contents
    return repetitions &- start.repetitions &+ ExpansionBudget.element
  }

  /// Adds a value, whose contents were added before.
  @inline(__always)
  mutating func addValue() { contents &+= ExpansionBudget.element }

  /// Returns the cost of another reference to a value that has just been added.
  func value(since start: HashCost) -> HashCost {
    var cost = HashCost(repetitions: repetitions &- start.repetitions &+ ExpansionBudget.element)
    cost.contents = contents &- start.contents
    return cost
  }
}
