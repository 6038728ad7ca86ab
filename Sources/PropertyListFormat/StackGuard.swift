// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Whether the thread has stack left for one more call within calls.
///
/// How many levels a file nests is limited, but what a level takes is not known: it depends on the build and on code that
/// is not the library's. The stacks of threads differ from 128 KiB to 8 MiB, too.
package struct StackGuard: Sendable {
  /// What is left alone at the end, for what a level calls in turn.
  private static let reserve: UInt = 128 << 10

  /// Below this there is too little; the highest address as long as nobody asked where the stack ends.
  private var lowest = UInt.max
  private var end = UInt.max

  package init() {}

  /// Whether there is enough, as far as two words tell. If not, ``hasSpace()`` knows.
  @inline(__always)
  package var isClearlySufficient: Bool { ThreadStack.here >= lowest }

  /// Whether there is enough. Finds out where the stack ends when it is asked first.
  package mutating func hasSpace() -> Bool {
    if lowest == .max {
      let bounds = ThreadStack.bounds() ?? 0..<0
      end = bounds.lowerBound
      lowest = end + min(Self.reserve, (bounds.upperBound - end) / 4)
    }
    // Below its end it is another stack, of which nothing is known.
    return isClearlySufficient || ThreadStack.here < end
  }
}
