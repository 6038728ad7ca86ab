// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A stack that allocates its elements in parts, because an array that grows is in memory twice.
package struct PartedStack<Element> {
  private var parts: [[Element]] = []
  /// The number of elements.
  package private(set) var count = 0
  private static var partSize: Int { 1024 }

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ element: Element) {
    if parts.last.map({ $0.count == Self.partSize }) ?? true {
      var part: [Element] = []
      part.reserveCapacity(Self.partSize)
      parts.append(part)
    }
    parts[parts.count - 1].append(element)
    count += 1
  }

  /// Removes the last element and returns it; returns nil if the stack is empty.
  package mutating func popLast() -> Element? {
    guard !parts.isEmpty else { return nil }
    count -= 1
    // A part is never empty.
    let element = parts[parts.count - 1].removeLast()
    if parts[parts.count - 1].isEmpty { parts.removeLast() }
    return element
  }

  /// Removes the last elements, down to a number of elements.
  package mutating func removeLast(downTo count: Int) {
    while self.count > count, popLast() != nil {}
  }

  package mutating func removeAll() { self = Self() }
}
