// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A guard against stack overflow in recursive functions.
///
/// ``ReadLimits`` limits the depth of a file. The stack space of a level depends on the build and on the caller's
/// types, and thread stacks have 128 KiB to 8 MiB. Some systems do not provide the bounds of a stack. The guard then assumes
/// 256 KiB below the first check, and leaves a quarter of them free.
///
/// A guard serves one outermost call. The next call may be on another thread, whose stack can have the addresses of a larger
/// one that ended.
package struct StackGuard: Sendable {
  /// The space to keep free for the functions that a level calls.
  private static let reserve: UInt = 128 << 10
  /// The assumed free space of a stack whose bounds are unknown.
  private static let assumedSize: UInt = 256 << 10

  /// The addresses of the stack, which are unknown before the first ``hasSpace()``.
  private var bounds: Range<UInt> = 0..<0
  /// The lowest address with enough space below it.
  private var lowest: UInt = 0

  package init() {}

  /// A Boolean value that indicates whether the stack has enough space. If it is `false`, call ``hasSpace()``.
  ///
  /// It is `false` on another stack than that of the first call, such as that of another thread.
  @inline(__always)
  package var isClearlySufficient: Bool { ThreadStack.here &- lowest < bounds.upperBound &- lowest }

  /// Returns whether the stack has enough space. The first call on a stack determines its bounds.
  package mutating func hasSpace() -> Bool { hasSpace(within: ThreadStack.bounds()) }

  /// Returns whether the stack has enough space.
  /// - Parameter known: The bounds of the current stack, or nil if the system does not provide them.
  /// - Returns: Whether it has.
  package mutating func hasSpace(within known: @autoclosure () -> Range<UInt>?) -> Bool {
    let here = ThreadStack.here
    if !bounds.contains(here) {
      // The system may know another stack than the one that the current function runs on.
      if let known = known(), known.contains(here) {
        bounds = known
      } else {
        bounds = here - min(Self.assumedSize, here)..<here + 1
      }
      lowest = bounds.lowerBound + min(Self.reserve, (bounds.upperBound - bounds.lowerBound) / 4)
    }
    return isClearlySufficient
  }

  /// The assumed space for the release of one level of a value. An array in an array takes 145 bytes, and 280 without
  /// optimization.
  private static let spaceOfRelease: UInt = 512

  /// Returns whether the stack has enough space to release a value.
  /// - Parameters:
  ///   - levels: The number of levels of the value, at least 0.
  ///   - known: The bounds of the current stack, or nil if the system does not provide them.
  /// - Returns: Whether it has.
  package mutating func hasSpace(toRelease levels: Int, within known: @autoclosure () -> Range<UInt>?) -> Bool {
    hasSpace(within: known()) && (ThreadStack.here &- bounds.lowerBound) / Self.spaceOfRelease > UInt(levels)
  }

  /// The depth up to which any stack has enough space.
  ///
  /// Determining the bounds of the stack is expensive, and few values nest more deeply.
  private static let safeDepth = 24

  /// Returns whether the stack has enough space for a level.
  /// - Parameter depth: The number of levels around it.
  /// - Returns: Whether it has.
  @inline(__always)
  mutating func hasSpace(atDepth depth: Int) -> Bool { depth <= Self.safeDepth || isClearlySufficient || hasSpace() }

  /// Throws an error if the stack has too little space for a level.
  /// - Parameter depth: The number of levels around it.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/limitReached``.
  @inline(__always)
  mutating func check(depth: Int) throws(PropertyListError) {
    guard !hasSpace(atDepth: depth) else { return }
    throw PropertyListError(
      .limitReached, "nesting limit reached: containers nest deeper than the stack of this thread allows",
      remedy: "Use a thread with a larger stack")
  }
}
