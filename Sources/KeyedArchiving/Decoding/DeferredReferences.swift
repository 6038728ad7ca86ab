// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The closures that receive an object after it is complete.
///
/// A closure for an object in progress waits for that object. Any other is queued; after the outermost object is
/// complete, the queue is drained, and each step may add to it. Chains of any length therefore use constant stack.
struct DeferredReferences {
  typealias Delivery = (KeyedUnarchiver) throws -> Void

  private struct Waiting {
    var deliver: Delivery?
    /// The number of the previous waiter for the same object.
    var previous: UInt32?
    let serial: UInt32
  }

  private struct Queued {
    var deliver: Delivery?
    let serial: UInt32
    /// The object that the reference names.
    let uid: UInt32
  }

  private var waiting: [Waiting] = []
  /// The number of the first element of ``waiting``. Numbers are never reused.
  private var firstNumber: UInt32 = 0
  private var waitingCount = 0
  private var queue: [Queued] = []
  private var head = 0

  var isEmpty: Bool { head == queue.count }

  /// Adds a reference to deliver after the outermost object is complete. Serial numbers ascend.
  mutating func enqueue(_ uid: UInt32, serial: UInt32, _ deliver: @escaping Delivery) {
    queue.append(Queued(deliver: deliver, serial: serial, uid: uid))
  }

  /// Removes and returns the next reference to deliver and its object, or nil.
  mutating func next() -> (uid: UInt32, deliver: Delivery)? {
    while head < queue.count {
      let uid = queue[head].uid
      if let delivery = removeFirst() { return (uid, delivery) }
    }
    return nil
  }

  private mutating func removeFirst() -> Delivery? {
    let delivery = queue[head].deliver
    // Release the closure, because it can retain objects.
    queue[head].deliver = nil
    head += 1
    if head == queue.count {
      queue.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1024, head * 2 > queue.count {
      queue.removeSubrange(..<head)
      head = 0
    }
    return delivery
  }

  /// The number that the next waiter will have.
  var nextNumber: UInt32 { firstNumber &+ UInt32(truncatingIfNeeded: waiting.count) }

  /// Adds a waiter for an object whose last waiter was `previous`.
  mutating func wait(after previous: UInt32?, serial: UInt32, _ deliver: @escaping Delivery) {
    waiting.append(Waiting(deliver: deliver, previous: previous, serial: serial))
    waitingCount += 1
  }

  /// Removes an object's waiters, of which `last` is the last one, and returns them in the order of their registration.
  mutating func take(_ last: UInt32) -> ReversedCollection<[Delivery]> {
    // An array that grows, or that is copied to reverse it, retains and releases each closure again.
    var deliveries: [Delivery] = []
    deliveries.reserveCapacity(waiterCount(last))
    var next: UInt32? = last
    while let number = next {
      // A failed decode removes its waiters, but leaves their objects' flags.
      guard let index = Int(exactly: number &- firstNumber), index < waiting.count else { break }
      if let deliver = waiting[index].deliver.take() { deliveries.append(deliver) }
      next = waiting[index].previous
    }
    finishWaiting(deliveries.count)
    return deliveries.reversed()
  }

  /// Returns the number of an object's waiters, of which `last` is the last one.
  private func waiterCount(_ last: UInt32) -> Int {
    var count = 0
    var next: UInt32? = last
    while let number = next {
      guard let index = Int(exactly: number &- firstNumber), index < waiting.count else { break }
      count += 1
      next = waiting[index].previous
    }
    return count
  }

  /// Subtracts removed waiters. After the last one, ``waiting`` contains nothing to deliver and is emptied.
  private mutating func finishWaiting(_ count: Int) {
    waitingCount -= count
    guard waitingCount <= 0 else { return }
    firstNumber = nextNumber
    waiting.removeAll(keepingCapacity: true)
    waitingCount = 0
  }

  /// Removes the references from a serial number on, or all.
  ///
  /// The caller releases the returned closures, because releasing them can run a `deinit`, which must not run while
  /// this value is being changed.
  mutating func take(since serial: UInt32 = 0) -> [Delivery] {
    var taken: [Delivery] = []
    for index in waiting.indices.reversed() {
      guard waiting[index].serial >= serial else { break }
      guard let deliver = waiting[index].deliver else { continue }
      taken.append(deliver)
      waiting[index].deliver = nil
    }
    finishWaiting(taken.count)
    for index in queue.indices.reversed() {
      guard index >= head, queue[index].serial >= serial else { break }
      if let deliver = queue[index].deliver { taken.append(deliver) }
      queue[index].deliver = nil
    }
    return taken
  }
}
