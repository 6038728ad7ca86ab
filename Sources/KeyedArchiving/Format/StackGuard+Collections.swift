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
