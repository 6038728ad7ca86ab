// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import SystemFiles

/// An observer with its pending changes.
///
/// Changes are added in their order, while the store is locked. A thread that finds no other thread delivering delivers
/// them in batches until none is left. Therefore an observer receives one batch at a time, never an old value after a
/// new one, and always the last value. If it changes the store itself, it receives these changes after it returns.
final class Observer: Sendable {
  private struct Pending {
    var old: PropertyListValue?
    var new: PropertyListValue?
    var origin: ChangeOrigin
    var isInitial: Bool
  }

  private struct State {
    var pending: [BytewiseString: Pending] = [:]
    /// The keys in the batch that is being delivered.
    var delivering: Set<BytewiseString> = []
    var isDelivering = false
    var isCancelled = false
  }

  /// The observed keys; nil for all.
  let keys: [BytewiseString]?
  private let ignored: ChangeOrigin?
  private let state = ContendedLocked(State())
  private let handler: @Sendable (DefaultsChanges) -> Void
  /// Whether a value that changed and changed back counts as a change.
  private let countsReversals: Bool
  /// Whether a task fetches the changes. The handler then only receives an empty batch as a signal.
  private let isFetched: Bool
  /// A function to call when the store is released.
  let end: @Sendable () -> Void

  init(
    keys: [String]?, ignoring ignored: ChangeOrigin?, countsReversals: Bool = false, isFetched: Bool = false,
    handler: @escaping @Sendable (DefaultsChanges) -> Void, end: @escaping @Sendable () -> Void = {}
  ) {
    self.keys = keys.map { Array(Set($0.exact)) }
    self.ignored = ignored
    self.countsReversals = countsReversals
    self.isFetched = isFetched
    self.handler = handler
    self.end = end
  }

  /// Adds a change, and returns whether the observer must deliver its pending changes.
  func add(_ key: BytewiseString, from old: PropertyListValue?, to new: PropertyListValue?, _ origin: ChangeOrigin)
    -> Bool
  {
    state.withLock { state in
      guard !state.isCancelled else { return false }
      if var pending = state.pending[key] {
        pending.new = new
        pending.origin = origin
        // A value that changed back does not count as a change, unless the observer has received no value yet.
        let isReversal = pending.old == new && !pending.isInitial && !countsReversals
        state.pending[key] = isReversal ? nil : pending
        return true
      }
      // The observer knows its own changes, unless an older change of the key is being delivered.
      if origin == ignored, !state.delivering.contains(key) { return false }
      state.pending[key] = Pending(old: old, new: new, origin: origin, isInitial: false)
      return true
    }
  }

  /// Adds an initial value.
  func addInitial(_ key: BytewiseString, _ value: PropertyListValue?) {
    state.withLock {
      $0.pending[key] = Pending(old: nil, new: value, origin: .program, isInitial: true)
    }
  }

  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.pending = [:]
    }
  }

  /// Delivers all pending changes, unless another thread is delivering. The caller must hold no lock.
  func deliver() {
    if isFetched { return handler(DefaultsChanges(changes: [])) }
    var continues = false
    while let batch = next(continues) {
      continues = true
      handler(batch)
    }
  }

  /// Returns the next batch, which this thread must deliver.
  private func next(_ continues: Bool) -> DefaultsChanges? {
    state.withLock { state in
      guard continues || !state.isDelivering else { return nil }
      guard let batch = Self.take(&state) else {
        state.isDelivering = false
        state.delivering = []
        return nil
      }
      state.isDelivering = true
      return batch
    }
  }

  /// Returns the next batch for a task that fetches it.
  func fetch() -> DefaultsChanges? {
    state.withLock { state in
      // The task works with the previous batch until it fetches again.
      state.delivering = []
      return Self.take(&state)
    }
  }

  private static func take(_ state: inout State) -> DefaultsChanges? {
    guard !state.isCancelled, !state.pending.isEmpty else { return nil }
    let changes = state.pending.map { key, pending in
      DefaultsChange(
        key: key.text, old: pending.old, new: pending.new, origin: pending.origin, isInitial: pending.isInitial)
    }
    state.delivering = Set(state.pending.keys)
    state.pending.removeAll(keepingCapacity: true)
    guard changes.count > 1 else { return DefaultsChanges(changes: changes) }
    return DefaultsChanges(changes: changes.sorted { $0.key.bytesPrecede($1.key) })
  }
}
