// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// References that somebody wants handed over when their object is complete.
///
/// Those to objects that are being decoded wait for them to finish. The others wait until the outermost object is
/// finished and are then decoded one after another, each of which may add more; so a chain of any length takes no stack.
struct DeferredReferences {
  typealias Delivery = (KeyedUnarchiver) throws -> Void

  private struct Waiting {
    var deliver: Delivery?
    /// The one that waits for the same object and came before.
    var former: UInt32?
    let serial: UInt32
  }

  private struct Queued {
    var deliver: Delivery?
    let serial: UInt32
  }

  private var waiting: [Waiting] = []
  /// How many there were before the first in ``waiting``: numbers are never given twice.
  private var forgotten: UInt32 = 0
  private var waitingCount = 0
  private var queue: [Queued] = []
  private var head = 0
  /// Whether the queue is being worked off further up the stack.
  var isDraining = false

  var isEmpty: Bool { head == queue.count }

  /// Adds a reference to deliver when the outermost object is finished. Serial numbers ascend.
  mutating func enqueue(serial: UInt32, _ deliver: @escaping Delivery) {
    queue.append(Queued(deliver: deliver, serial: serial))
  }

  /// Removes and returns the next reference to deliver; nil if there is none.
  mutating func next() -> Delivery? {
    while head < queue.count { if let delivery = removeFirst() { return delivery } }
    return nil
  }

  private mutating func removeFirst() -> Delivery? {
    let delivery = queue[head].deliver
    // What was delivered is let go: it may hold on to objects.
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

  /// The number that the next one that waits will have.
  var nextNumber: UInt32 { forgotten &+ UInt32(truncatingIfNeeded: waiting.count) }

  /// Takes note of one more that waits, for an object for which `former` was the last to wait.
  mutating func wait(after former: UInt32?, serial: UInt32, _ deliver: @escaping Delivery) {
    waiting.append(Waiting(deliver: deliver, former: former, serial: serial))
    waitingCount += 1
  }

  /// Takes out those that wait for an object, of which `last` came last, in the order in which they came.
  mutating func take(_ last: UInt32) -> [Delivery] {
    var deliveries: [Delivery] = []
    var next: UInt32? = last
    while let number = next {
      let place = Int(number &- forgotten)
      // Those of a decode that failed are forgotten, though objects may still be marked as awaited.
      guard place < waiting.count else { break }
      if let deliver = waiting[place].deliver { deliveries.append(deliver) }
      waiting[place].deliver = nil
      next = waiting[place].former
    }
    finishWaiting(deliveries.count)
    return deliveries.reversed()
  }

  /// Counts references that no longer wait. When the last one is gone, none in ``waiting`` has anything to deliver.
  private mutating func finishWaiting(_ count: Int) {
    waitingCount -= count
    guard waitingCount <= 0 else { return }
    forgotten = nextNumber
    waiting.removeAll(keepingCapacity: true)
    waitingCount = 0
  }

  /// Forgets the references from a serial number on, or all. Returns what was to be delivered: releasing it can run a
  /// `deinit`, which must not happen while this is being changed.
  mutating func take(since serial: UInt32 = 0) -> [Delivery] {
    var taken: [Delivery] = []
    for place in waiting.indices.reversed() {
      guard waiting[place].serial >= serial else { break }
      guard let deliver = waiting[place].deliver else { continue }
      taken.append(deliver)
      waiting[place].deliver = nil
    }
    finishWaiting(taken.count)
    for place in queue.indices.reversed() {
      guard place >= head, queue[place].serial >= serial else { break }
      if let deliver = queue[place].deliver { taken.append(deliver) }
      queue[place].deliver = nil
    }
    return taken
  }
}
