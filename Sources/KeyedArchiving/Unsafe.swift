// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
#if canImport(ObjectiveC)
  import ObjectiveC
#endif
import PropertyListFormat

// The only file of this module that contains `unsafe`.

/// Holds a coder's entire mutable state, without the run-time check for overlapping access.
///
/// The check costs about 30 ns each time a coder touches its arrays, several times per archived value. Omitting it
/// relies on one invariant: **no code outside the module runs while `state` is being accessed**. A coder's call changes
/// the state in one mutating method of the state. That method calls no closure, delegate, initializer, `encode(with:)`
/// or static member of an archived type. It returns the objects and errors it removes, so that a `deinit` runs after
/// the access. Coders are not `Sendable`, so only one thread uses them at a time.
///
/// `CHECK_EXCLUSIVITY=1 swift test` builds the module with the check; a violation then ends the process. `.ci/sanitize
/// exclusivity` runs the archiving tests with it. `DecoderReentrancyTests` call each nonprivate member of a decoder that reads
/// or changes its state from each kind of callback.
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

#if canImport(ObjectiveC)
  enum ObjectiveCRuntime {
    /// Returns the name of a class. The runtime's text ends with a zero and is never freed.
    static func name(of type: AnyClass) -> String { unsafe String(cString: class_getName(type)) }
  }
#endif

extension ContiguousArray<UInt8> {
  /// Returns data whose bytes are the memory of a range of this array. The data retains the memory.
  ///
  /// The elements of an array are behind the header of an object and do not move while the object exists. The data may
  /// change the bytes, so the caller must not read them as elements of the array afterwards. See ``LentData``.
  func sharedData(in range: Range<Int>) -> Data {
    let owner = self
    return unsafe owner.withUnsafeBytes { buffer in
      let bytes = unsafe UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(rebasing: buffer[range]))
      guard let base = bytes.baseAddress else { return Data() }
      return unsafe Data(
        bytesNoCopy: base, count: bytes.count, deallocator: .custom { _, _ in withExtendedLifetime(owner) {} })
    }
  }
}

/// Casts that compare two words, because `as?` calls the runtime, which takes 20 to 50 ns.
@usableFromInline
enum CheckedCast {
  /// Returns the object if its class is exactly the requested one, and nil also for a subclass.
  ///
  /// The unchecked cast relies only on this: an object whose dynamic type is `Object` is an `Object`.
  @inlinable @inline(__always)
  static func exactly<Object: AnyObject>(_ type: Object.Type, _ object: AnyObject) -> Object? {
    guard ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type) else { return nil }
    return unsafe unsafeDowncast(object, to: Object.self)
  }
}

/// A growing array of trivially copyable elements in one block of memory.
///
/// `[Element]` checks its reference count at each store and holds two blocks while it grows. This type is noncopyable,
/// so it needs no check, and it lets the allocator move its pages. Its safety relies on two facts:
/// - `base` points to memory for `capacity` elements, aligned for any type. The memory comes from `malloc`, and only
///   this array owns and frees it; or it belongs to a ``SmallArena`` that outlives the array. A growing array leaves
///   the arena.
/// - The first `used` elements are initialized, and every load and store checks that it stays within them. Elements are
///   trivially copyable, so removing one needs no deinitialization.
/// - The bytes of discarded elements become zero. Only elements of types for which these are a value are discarded.
@safe
struct TrivialArray<Element: BitwiseCopyable>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>?
  private var used = 0
  /// Twice the capacity, plus one if the memory belongs to an arena. One word, because a state has many arrays and is
  /// moved.
  private var capacityAndFlag = 0

  @inline(__always)
  private var capacity: Int { capacityAndFlag >> 1 }

  private var isBorrowed: Bool { capacityAndFlag & 1 != 0 }

  @inline(__always)
  init() { unsafe base = nil }

  init(repeating element: Element, count: Int) {
    unsafe base = nil
    fill(element, count)
  }

  /// Creates a filled array in the arena's memory, if it suffices.
  init(repeating element: Element, count: Int, from block: inout SmallArena) {
    self.init(count, from: &block)
    fill(element, count)
  }

  /// Fills an empty array.
  @inline(__always)
  private mutating func fill(_ element: Element, _ count: Int) {
    reserve(count)
    guard let base = unsafe base, count <= capacity else { return }
    unsafe base.initialize(repeating: element, count: count)
    used = count
  }

  /// Creates an empty array whose first `capacity` elements use the arena's memory.
  init(_ capacity: Int, from block: inout SmallArena) {
    unsafe base = block.allocate(MemoryLayout<Element>.stride * capacity)?.assumingMemoryBound(to: Element.self)
    capacityAndFlag = unsafe base != nil ? 2 * capacity + 1 : 0
  }

  deinit { if unsafe base != nil, !isBorrowed { unsafe RawMemory.release(base) } }

  @inline(__always)
  var count: Int { used }

  @inline(__always)
  var isEmpty: Bool { used == 0 }

  @inline(__always)
  var last: Element? { used > 0 ? self[used &- 1] : nil }

  @inline(__always)
  subscript(index: Int) -> Element {
    _read {
      guard let base = unsafe base, index >= 0, index < used else { preconditionFailure("index out of range") }
      yield unsafe base[index]
    }
    _modify {
      guard let base = unsafe base, index >= 0, index < used else { preconditionFailure("index out of range") }
      yield unsafe &base[index]
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if used == capacity { reserve(max(8, capacity &* 2)) }
    guard let base = unsafe base, used < capacity else { preconditionFailure("no capacity") }
    unsafe base.advanced(by: used).initialize(to: element)
    used &+= 1
  }

  mutating func append(contentsOf elements: some Sequence<Element>) { for element in elements { append(element) } }

  mutating func reverse() {
    for index in 0..<used / 2 { (self[index], self[used - 1 - index]) = (self[used - 1 - index], self[index]) }
  }

  @inline(__always)
  mutating func popLast() -> Element? {
    guard let last else { return nil }
    used &-= 1
    return last
  }

  @inline(__always)
  mutating func removeLast() { removeAll(from: used &- 1) }

  /// Removes all elements but the first `count`.
  @inline(__always)
  mutating func removeAll(from count: Int = 0) {
    precondition(count >= 0 && count <= used, "count out of range")
    used = count
  }

  /// Returns the memory of elements that are not read anymore to the system; see ``RawMemory/discard(_:_:)``.
  mutating func discard(_ range: Range<Int>) {
    guard let base = unsafe base, !isBorrowed, range.lowerBound >= 0, range.upperBound <= used else { return }
    let stride = MemoryLayout<Element>.stride
    unsafe RawMemory.discard(base, range.lowerBound &* stride..<range.upperBound &* stride)
  }

  /// Removes all elements, and releases the memory if it is more than a small archive takes.
  /// - Parameter keepingMapping: Whether to keep a block that is a mapping, but not its pages. Once such a block is
  ///   released, glibc takes others from its heap, where growing arrays leave unused blocks behind. So none is released
  ///   before the archive is written.
  @inline(__always)
  mutating func empty(keepingMapping: Bool = false) {
    used = 0
    if capacity &* MemoryLayout<Element>.stride > 4096 { emptyLarge(keepingMapping: keepingMapping) }
  }

  @inline(never)
  private mutating func emptyLarge(keepingMapping: Bool) {
    guard !isBorrowed, let block = unsafe base else { return }
    if keepingMapping, unsafe RawMemory.isMapping(block) {
      return unsafe RawMemory.discard(block, 0..<capacity &* MemoryLayout<Element>.stride)
    }
    unsafe RawMemory.release(block)
    unsafe base = nil
    capacityAndFlag = 0
  }

  /// Replaces all elements by `count` equal ones.
  mutating func refill(_ element: Element, count: Int) {
    used = 0
    fill(element, count)
  }

  /// Reserves capacity for `count` more elements, if the array has fewer. Appending thus stays linear.
  @inline(__always)
  mutating func reserve(more count: Int) {
    if count > used { reserve(used &+ count) }
  }

  /// Reserves capacity for a total of `count` elements.
  @inline(never)
  mutating func reserve(_ count: Int) {
    guard count > capacity else { return }
    let borrowed = unsafe isBorrowed ? base : nil
    unsafe base = RawMemory.resized(
      isBorrowed ? nil : base, from: used, to: count, stride: MemoryLayout<Element>.stride
    )
    .assumingMemoryBound(to: Element.self)
    if let borrowed = unsafe borrowed, let base = unsafe base { unsafe base.initialize(from: borrowed, count: used) }
    capacityAndFlag = 2 * count
  }
}

/// One block of memory in which several arrays begin. A small archive needs no other block.
///
/// Its safety relies on the lifetime of the arrays. An array in the arena is stored beside it in one value, or lives in
/// a call that the value outlives, and never escapes. Each part is allocated once. The deinitializer of such an array
/// does not touch its elements, so the two can be destroyed in either order.
@safe
struct SmallArena: ~Copyable {
  private let base: UnsafeMutableRawPointer
  private let size: Int
  private var used = 0

  /// Allocates a block of `size` bytes.
  init(_ size: Int) {
    self.size = size
    unsafe base = RawMemory.resized(nil, from: 0, to: size, stride: 1)
  }

  deinit { unsafe RawMemory.release(base) }

  /// Returns a part of the block, aligned for any type, or nil if less is left.
  fileprivate mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let start = used
    guard byteCount > 0, byteCount <= size - start else { return nil }
    // `malloc` aligns the block for any type; multiples of 16 keep the parts aligned.
    used = min(size, (start + byteCount + 15) & ~15)
    return unsafe base + start
  }
}

/// An object of each thread, which is released when the thread ends.
///
/// Its safety relies on two facts. Only this type knows its key, so a thread's value is nil or a retained `Object`. Only the
/// thread itself reads and replaces its value.
@safe
struct ThreadLocal<Object: AnyObject>: Sendable {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    /// The key; nil if the process has no more keys.
    private let key: pthread_key_t?

    init() {
      var key = pthread_key_t()
      let failure = unsafe pthread_key_create(&key) { value in
        // The parameter is optional on some systems.
        if let value = unsafe value as UnsafeMutableRawPointer? {
          unsafe Unmanaged<AnyObject>.fromOpaque(value).release()
        }
      }
      self.key = failure == 0 ? key : nil
    }

    /// Returns the object of the current thread, which `make` creates for the first call.
    func object(_ make: () -> Object) -> Object {
      guard let key else { return make() }
      if let value = unsafe pthread_getspecific(key) {
        return unsafe Unmanaged<Object>.fromOpaque(value).takeUnretainedValue()
      }
      let object = make()
      let value = unsafe Unmanaged.passRetained(object)
      if unsafe pthread_setspecific(key, value.toOpaque()) != 0 { unsafe value.release() }
      return object
    }
  #else
    func object(_ make: () -> Object) -> Object { make() }
  #endif
}
