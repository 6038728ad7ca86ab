// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// The only file of this module with `unsafe` in it.

/// Holds a coder's whole mutable state, without the run-time check for overlapping access.
///
/// The check costs about 30 ns each time a coder touches its arrays, several times per archived value. What doing
/// without it relies on is this: **no code outside the module runs while
/// `state` is being accessed**. A coder's call changes the state in one mutating method of the state, which calls no
/// closure, delegate, initialiser or `encode(with:)` and lets go of no object that could be the last of its kind; the access
/// ends before any of those happens. Coders are not `Sendable`, so no second thread has them. `ReentrancyTests` re-enter
/// a coder from every callback there is, deinitialisers included.
final class CoderStorage<State: ~Copyable> {
  @exclusivity(unchecked) private var value: State

  init(_ value: consuming State) { unsafe self.value = value }

  @inline(__always)
  var state: State {
    _read { yield unsafe value }
    _modify { yield unsafe &value }
  }
}

/// Casts that are checked by comparing two words, where `as?` asks the runtime, which takes 20 to 50 ns.
@usableFromInline
enum CheckedCast {
  /// The object, if its class is exactly the one that is asked for; nil for one of a subclass too.
  ///
  /// It relies on this alone: an object whose dynamic type is `Object` is an `Object`.
  @inlinable @inline(__always)
  static func exactly<Object: AnyObject>(_ type: Object.Type, _ object: AnyObject) -> Object? {
    guard ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type) else { return nil }
    return unsafe unsafeDowncast(object, to: Object.self)
  }
}

/// Elements that refer to nothing, in one growing block of memory.
///
/// `[Element]` asks at each store whether it has one owner, and holds two blocks while it grows; this has one owner by its
/// type and lets the allocator move its pages. What it relies on:
/// - `base` points to room for `capacity` elements from `malloc`, aligned for any type, which it alone owns and frees;
/// - the first `used` of them were stored, and every load and store checks that it stays within these. Elements are
///   copied bit by bit, so there is nothing to undo when they are forgotten.
@safe
struct GrowingArray<Element: BitwiseCopyable>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>?
  private var capacity = 0
  private var used = 0

  @inline(__always)
  init() { unsafe base = nil }

  init(repeating element: Element, count: Int) {
    unsafe base = nil
    reserve(count)
    for _ in 0..<count { append(element) }
  }

  deinit { unsafe RawMemory.release(base) }

  @inline(__always)
  var count: Int { used }

  @inline(__always)
  var isEmpty: Bool { used == 0 }

  @inline(__always)
  var last: Element? { used > 0 ? self[used &- 1] : nil }

  @inline(__always)
  subscript(place: Int) -> Element {
    _read {
      guard let base = unsafe base, place >= 0, place < used else { preconditionFailure("there is no such element") }
      yield unsafe base[place]
    }
    _modify {
      guard let base = unsafe base, place >= 0, place < used else { preconditionFailure("there is no such element") }
      yield unsafe &base[place]
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if used == capacity { reserve(max(8, capacity &* 2)) }
    guard let base = unsafe base, used < capacity else { preconditionFailure("no room was made") }
    unsafe base.advanced(by: used).initialize(to: element)
    used &+= 1
  }

  mutating func append(contentsOf elements: some Sequence<Element>) { for element in elements { append(element) } }

  @inline(__always)
  mutating func popLast() -> Element? {
    guard let last else { return nil }
    used &-= 1
    return last
  }

  @inline(__always)
  mutating func removeLast() { removeAll(from: used &- 1) }

  /// Forgets all elements but the first `count`, of which there are as many.
  @inline(__always)
  mutating func removeAll(from count: Int = 0) {
    precondition(count >= 0 && count <= used, "there are not as many elements")
    used = count
  }

  /// Makes room for `count` elements in all.
  mutating func reserve(_ count: Int) {
    guard count > capacity else { return }
    unsafe base = RawMemory.resized(base, to: count, stride: MemoryLayout<Element>.stride)
      .assumingMemoryBound(to: Element.self)
    capacity = count
  }
}
