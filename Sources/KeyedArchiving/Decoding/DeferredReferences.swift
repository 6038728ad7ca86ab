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
  }

  private var waiting: [Waiting] = []
  /// How many there were before the first in ``waiting``: numbers are never given twice.
  private var forgotten: UInt32 = 0
  private var waitingCount = 0
  private var queue: [Delivery?] = []
  private var head = 0
  /// Whether the queue is being worked off further up the stack.
  var isDraining = false

  var isEmpty: Bool { head == queue.count }

  mutating func enqueue(_ deliver: @escaping Delivery) { queue.append(deliver) }

  mutating func next() -> Delivery? {
    guard head < queue.count else { return nil }
    let delivery = queue[head]
    // What was delivered is let go: it may hold on to objects.
    queue[head] = nil
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
  mutating func wait(after former: UInt32?, _ deliver: @escaping Delivery) {
    waiting.append(Waiting(deliver: deliver, former: former))
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
    waitingCount -= deliveries.count
    if waitingCount <= 0 { forgetWaiting() }
    return deliveries.reversed()
  }

  private mutating func forgetWaiting() {
    forgotten = nextNumber
    waiting.removeAll(keepingCapacity: true)
    waitingCount = 0
  }

  mutating func forget() {
    forgetWaiting()
    queue = []
    head = 0
  }
}
