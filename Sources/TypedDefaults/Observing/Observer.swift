// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What is kept for an observer until it can be told.
///
/// Changes go in while the store is locked, in the order in which they are made. They come out one batch at a time, on
/// whichever thread finds nobody telling already; who tells goes on until nothing is left. So an observer is never told
/// two things at once, never something old after something new, and always the last value in the end. What it writes
/// itself meanwhile is told when it returns, not from within.
final class Observer: Sendable {
  private struct Pending {
    var old: PropertyListValue?
    var new: PropertyListValue?
    var origin: ChangeOrigin
    var isInitial: Bool
  }

  private struct Mailbox {
    var pending: [BytewiseString: Pending] = [:]
    /// The keys that somebody is being told of at this moment.
    var told: Set<BytewiseString> = []
    var isTelling = false
    var isCancelled = false
  }

  /// The keys; nil for all.
  let keys: [BytewiseString]?
  private let ignored: ChangeOrigin?
  private let mailbox = Locked(Mailbox())
  private let tell: @Sendable (DefaultsChanges) -> Void
  /// Whether changes wait until somebody fetches them; who does is woken by an empty batch.
  private let isFetched: Bool
  /// Called when there is no store any more to tell of.
  let end: @Sendable () -> Void

  init(
    keys: [String]?, ignoring ignored: ChangeOrigin?, isFetched: Bool = false,
    tell: @escaping @Sendable (DefaultsChanges) -> Void, end: @escaping @Sendable () -> Void = {}
  ) {
    // Each key once.
    self.keys = keys.map { Array(Set($0.exact)) }
    self.ignored = ignored
    self.isFetched = isFetched
    self.tell = tell
    self.end = end
  }

  /// Takes a change in.
  /// - Returns: whether there is something to tell.
  func add(_ key: BytewiseString, from old: PropertyListValue?, to new: PropertyListValue?, _ origin: ChangeOrigin)
    -> Bool
  {
    mailbox.withLock { box in
      guard !box.isCancelled else { return false }
      if var pending = box.pending[key] {
        pending.new = new
        pending.origin = origin
        // There and back again is no change, unless the observer knows nothing yet.
        box.pending[key] = pending.old == new && !pending.isInitial ? nil : pending
        return true
      }
      // What the observer did itself it knows, unless it may just be told of something older.
      if origin == ignored, !box.told.contains(key) { return false }
      box.pending[key] = Pending(old: old, new: new, origin: origin, isInitial: false)
      return true
    }
  }

  /// Takes in what is there when observing begins.
  func addInitial(_ key: BytewiseString, _ value: PropertyListValue?) {
    mailbox.withLock {
      $0.pending[key] = Pending(old: nil, new: value, origin: .program, isInitial: true)
    }
  }

  func cancel() {
    mailbox.withLock { box in
      box.isCancelled = true
      box.pending = [:]
    }
  }

  /// Tells what there is, unless somebody is at it. Nothing may be locked.
  func deliver() {
    if isFetched { return tell(DefaultsChanges(changes: [])) }
    var goesOn = false
    while let batch = next(goesOn) {
      goesOn = true
      tell(batch)
    }
  }

  /// What there is to be told, which is then this thread's to tell.
  private func next(_ goesOn: Bool) -> DefaultsChanges? {
    mailbox.withLock { box in
      guard goesOn || !box.isTelling else { return nil }
      guard let batch = Self.take(&box) else {
        box.isTelling = false
        box.told = []
        return nil
      }
      box.isTelling = true
      return batch
    }
  }

  /// What there is, for those who fetch it.
  func fetch() -> DefaultsChanges? {
    mailbox.withLock { box in
      // Until it is fetched again, somebody is at work with what was fetched.
      box.told = []
      return Self.take(&box)
    }
  }

  private static func take(_ box: inout Mailbox) -> DefaultsChanges? {
    guard !box.isCancelled, !box.pending.isEmpty else { return nil }
    let changes = box.pending.map { key, pending in
      DefaultsChange(
        key: key.text, old: pending.old, new: pending.new, origin: pending.origin, isInitial: pending.isInitial)
    }
    box.told = Set(box.pending.keys)
    box.pending.removeAll(keepingCapacity: true)
    guard changes.count > 1 else { return DefaultsChanges(changes: changes) }
    return DefaultsChanges(changes: changes.sorted { $0.key.bytesPrecede($1.key) })
  }
}
