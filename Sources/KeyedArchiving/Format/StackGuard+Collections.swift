// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import PropertyListFormat

extension StackGuard {
  /// Throws an error if the stack has too little space to convert one more collection inside of others.
  @inline(__always)
  package mutating func checkNestedCollection() throws(KeyedArchiveError) {
    guard isClearlySufficient || hasSpace() else {
      throw KeyedArchiveError(
        .limitReached, "nesting limit reached: collections nest deeper than the stack of this thread allows",
        remedy: "Check whether a collection contains itself, or use a thread with a larger stack")
    }
  }
}

/// The collections inside of each other that a conversion has begun.
package struct NestedConversions {
  private var count = 0
  private var stack = StackGuard()

  package init() {}

  /// Begins a conversion, which ``end()`` ends.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/limitReached`` if the stack has too little space.
  package mutating func begin() throws(KeyedArchiveError) {
    // The next conversion may come from another thread, whose stack may have the addresses of one that ended.
    if count == 0 { stack = StackGuard() }
    // Few values nest deeply, and determining the bounds of a stack takes time.
    if count >= 8 { try stack.checkNestedCollection() }
    count += 1
  }

  package mutating func end() { count -= 1 }
}
