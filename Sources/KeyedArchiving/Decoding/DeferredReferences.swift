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
    /// The next one that waits for the same object; -1 if there is none.
    var next: Int32
  }

  private var waiting: [Waiting] = []
  private var firstForObject: [UInt32: Int32] = [:]
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

  mutating func wait(for uid: UInt32, _ deliver: @escaping Delivery) {
    waiting.append(Waiting(deliver: deliver, next: firstForObject[uid] ?? -1))
    firstForObject[uid] = Int32(truncatingIfNeeded: waiting.count - 1)
  }

  /// Takes out those that wait for an object, in the order in which they came.
  mutating func take(awaiting uid: UInt32) -> [Delivery] {
    var place = firstForObject.removeValue(forKey: uid) ?? -1
    var deliveries: [Delivery] = []
    while place >= 0 {
      if let deliver = waiting[Int(place)].deliver { deliveries.append(deliver) }
      waiting[Int(place)].deliver = nil
      place = waiting[Int(place)].next
    }
    if firstForObject.isEmpty { waiting.removeAll(keepingCapacity: true) }
    return deliveries.reversed()
  }

  mutating func forget() { self = DeferredReferences() }
}
