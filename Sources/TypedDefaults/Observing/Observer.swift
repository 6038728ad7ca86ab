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
    /// The keys in the batch that is being delivered, each with whether its change has the ignored origin. It stays empty if no
    /// origin is ignored.
    var delivering: [BytewiseString: Bool] = [:]
    /// The task that works with the batch that it fetched, and the observer inside of whose handler it fetched the batch.
    var reader: CurrentTask?
    var outer: ObjectIdentifier?
    /// The thread that runs the handler, as ``SystemThread/current`` numbers it.
    var deliverer: UInt?
    var isCancelled = false
  }

  /// The observed keys; nil for all.
  let keys: [BytewiseString]?
  private let ignored: ChangeOrigin?
  private let state = ContendedLocked(State())
  private let handler: @Sendable (DefaultsChanges) -> Void
  /// Whether a task fetches the changes. The handler then only receives an empty batch as a signal.
  private let isFetched: Bool
  /// A function to call when the store is released.
  let end: @Sendable () -> Void
  /// The observer whose handler runs. Tasks that it starts inherit it.
  @TaskLocal private static var running: Observer?
  private static var outer: ObjectIdentifier? { running.map(ObjectIdentifier.init) }

  init(
    keys: [String]?, ignoring ignored: ChangeOrigin?, isFetched: Bool = false,
    handler: @escaping @Sendable (DefaultsChanges) -> Void, end: @escaping @Sendable () -> Void = {}
  ) {
    self.keys = keys.map { Array(Set($0.exact)) }
    self.ignored = ignored
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
        // Also if it changed back: an observer that reads current values can have read the value between.
        state.pending[key] = pending
        return true
      }
      if origin == ignored, knows(key, state) { return false }
      state.pending[key] = Pending(old: old, new: new, origin: origin, isInitial: false)
      return true
    }
  }

  /// Returns whether the observer knows a change of a key with the ignored origin.
  private func knows(_ key: BytewiseString, _ state: State) -> Bool {
    // Another change of the key is being delivered. The observer could handle this older one last.
    guard let isOwn = state.delivering[key] else { return true }
    // An observer that changes the key again when it receives its own change would otherwise receive changes without end.
    guard isOwn else { return false }
    guard isFetched else { return state.deliverer == SystemThread.current }
    // The handler of another observer can run in the same task.
    return state.reader != nil && state.reader == CurrentTask() && state.outer == Self.outer
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
    Self.$running.withValue(self) {
      var continues = false
      while let batch = next(continues) {
        continues = true
        handler(batch)
      }
    }
  }

  /// Returns the next batch, which this thread must deliver.
  private func next(_ continues: Bool) -> DefaultsChanges? {
    state.withLock { state in
      guard continues || state.deliverer == nil else { return nil }
      guard let batch = take(&state) else {
        state.deliverer = nil
        state.delivering = [:]
        return nil
      }
      state.deliverer = SystemThread.current
      return batch
    }
  }

  /// Returns the next batch for a task that fetches it.
  func fetch() -> DefaultsChanges? {
    state.withLock { state in
      // The task works with the previous batch until it fetches again.
      state.delivering = [:]
      state.reader = ignored == nil ? nil : CurrentTask()
      state.outer = Self.outer
      return take(&state)
    }
  }

  private func take(_ state: inout State) -> DefaultsChanges? {
    guard !state.isCancelled, !state.pending.isEmpty else { return nil }
    let changes = state.pending.map { key, pending in
      DefaultsChange(
        key: key.text, old: pending.old, new: pending.new, origin: pending.origin, isInitial: pending.isInitial)
    }
    if ignored != nil { state.delivering = state.pending.mapValues { $0.origin == ignored && !$0.isInitial } }
    state.pending.removeAll(keepingCapacity: true)
    guard changes.count > 1 else { return DefaultsChanges(changes: changes) }
    return DefaultsChanges(changes: changes.sorted { $0.key.bytesPrecede($1.key) })
  }
}
