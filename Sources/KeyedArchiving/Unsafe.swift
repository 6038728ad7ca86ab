// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// The only file of this module with `unsafe` in it.

/// Holds a coder's whole mutable state, without the run-time check for overlapping access.
///
/// The check costs about 30 ns each time a coder touches its arrays, several times per archived value. Doing without it
/// relies on one invariant: **no code outside the module runs while `state` is being accessed**. A coder's call changes
/// the state in one mutating method of the state. That method calls no closure, delegate, initializer, `encode(with:)` or
/// static member of a type that is archived, and it returns the objects and errors it removes, so that a `deinit` runs
/// after the access. Coders are not `Sendable`, so no second thread has them.
///
/// `CHECK_EXCLUSIVITY=1 swift test` builds the module with the check; a violation then ends the process.
/// `.ci/sanitize exclusivity` runs the tests of archiving so. `ReentrancyTests` call each nonprivate member of a decoder
/// that reads or changes its state from each kind of callback.
package final class CoderStorage<State: ~Copyable> {
  #if CHECK_EXCLUSIVITY
    private var value: State

    init(_ value: consuming State) { self.value = value }

    package var state: State {
      _read { yield value }
      _modify { yield &value }
    }
  #else
    @exclusivity(unchecked) private var value: State

    init(_ value: consuming State) { unsafe self.value = value }

    @inline(__always)
    package var state: State {
      _read { yield unsafe value }
      _modify { yield unsafe &value }
    }
  #endif
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
/// - `base` points to room for `capacity` elements, aligned for any type: from `malloc`, which it alone owns and frees, or
///   lent by a ``SmallArena`` that outlives it, which it leaves for a block of its own when it grows;
/// - the first `used` of them were stored, and every load and store checks that it stays within these. Elements are
///   copied bit by bit, so there is nothing to undo when they are forgotten.
@safe
struct TrivialArray<Element: BitwiseCopyable>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>?
  private var used = 0
  /// Twice the capacity, and one more if the room is lent: there are many arrays in a state, and it is moved.
  private var room = 0

  @inline(__always)
  private var capacity: Int { room >> 1 }

  private var isLent: Bool { room & 1 != 0 }

  @inline(__always)
  init() { unsafe base = nil }

  init(repeating element: Element, count: Int) {
    unsafe base = nil
    fill(element, count)
  }

  /// The same, with memory of the block if there is enough.
  init(repeating element: Element, count: Int, from block: inout SmallArena) {
    self.init(count, from: &block)
    fill(element, count)
  }

  /// Fills an array that is empty.
  @inline(__always)
  private mutating func fill(_ element: Element, _ count: Int) {
    reserve(count)
    guard let base = unsafe base, count <= capacity else { return }
    unsafe base.initialize(repeating: element, count: count)
    used = count
  }

  /// An array whose first elements, up to `capacity`, need no memory of their own.
  init(_ capacity: Int, from block: inout SmallArena) {
    unsafe base = block.lend(MemoryLayout<Element>.stride * capacity)?.assumingMemoryBound(to: Element.self)
    room = unsafe base != nil ? 2 * capacity + 1 : 0
  }

  deinit { if !isLent { unsafe RawMemory.release(base) } }

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

  mutating func reverse() {
    for place in 0..<used / 2 { (self[place], self[used - 1 - place]) = (self[used - 1 - place], self[place]) }
  }

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
  @inline(never)
  mutating func reserve(_ count: Int) {
    guard count > capacity else { return }
    let lent = unsafe isLent ? base : nil
    unsafe base = RawMemory.resized(isLent ? nil : base, to: count, stride: MemoryLayout<Element>.stride)
      .assumingMemoryBound(to: Element.self)
    if let lent = unsafe lent, let base = unsafe base { unsafe base.initialize(from: lent, count: used) }
    room = 2 * count
  }
}

/// One block of memory in which several arrays begin: a small archive needs no other.
///
/// It relies on this: an array that borrows from it is stored beside it in one value, or lives in a call that the value
/// outlives, and is never handed out. Each part is lent once. An array that is let go touches nothing of what it borrowed,
/// so it does not matter which of the two goes first.
@safe
struct SmallArena: ~Copyable {
  private let base: UnsafeMutableRawPointer
  private let size: Int
  private var used = 0

  /// Makes a block of so many bytes.
  init(_ size: Int) {
    self.size = size
    unsafe base = RawMemory.resized(nil, to: size, stride: 1)
  }

  deinit { unsafe RawMemory.release(base) }

  /// A part of the block, aligned for any type; nil if there is not as much left.
  fileprivate mutating func lend(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let start = used
    guard byteCount > 0, byteCount <= size - start else { return nil }
    // `malloc` aligns the block for any type, and so is each part.
    used = min(size, (start + byteCount + 15) & ~15)
    return unsafe base + start
  }
}
