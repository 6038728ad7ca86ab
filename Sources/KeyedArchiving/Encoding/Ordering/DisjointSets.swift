// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Numbers in sets that are joined two by two.
package struct DisjointSets {
  private var parents: [Int32]

  /// A set for each of so many numbers.
  package init(count: Int) { parents = (0..<count).map { Int32($0) } }

  /// Joins the sets of two numbers. False if they are in one already.
  package mutating func join(_ a: Int, _ b: Int) -> Bool {
    let (a, b) = (root(a), root(b))
    guard a != b else { return false }
    parents[a] = Int32(b)
    return true
  }

  /// The number that stands for the set of a number.
  package mutating func root(_ number: Int) -> Int {
    var number = number
    while Int(parents[number]) != number {
      parents[number] = parents[Int(parents[number])]
      number = Int(parents[number])
    }
    return number
  }
}
