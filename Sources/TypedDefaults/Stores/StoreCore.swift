// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import SystemFiles

/// The common part of all stores: values in memory, one writer at a time, and observers.
///
/// A change has four steps: (1) The writer takes the writer lock. (2) With the state locked, it changes values and adds
/// them to the pending changes of observers. (3) It releases the writer lock. (4) It calls the observers without a
/// lock.
final class StoreCore: Sendable {
  typealias Values = [BytewiseString: PropertyListValue]

  struct State {
    var values: Values
    var observers: [ObjectIdentifier: Observer] = [:]
    /// The observers of specific keys, by key.
    var observersOfKey: [BytewiseString: [Observer]] = [:]
    var observersOfAll: [Observer] = []
  }

  let state: ContendedLocked<State>
  private let writerLock = WriterLock()

  init(_ values: Values = [:]) { state = ContendedLocked(State(values: values)) }

  deinit { for observer in state.withLock({ Array($0.observers.values) }) { observer.end() } }

  // MARK: Reading

  @inline(__always)
  func value(_ key: BytewiseString) -> PropertyListValue? { state.withLock { $0.values[key] } }

  func values() -> Values { state.withLock { $0.values } }

  // MARK: Writing

  /// Calls a function with the writer lock, and notifies observers after it returns.
  func write<Result>(_ body: (inout [Observer]) throws -> Result) throws -> Result {
    guard writerLock.enter() else {
      throw DefaultsError(
        .nestedTransaction, "nested change: the store was changed inside of a transaction on itself",
        remedy: "Change the transaction that the closure receives")
    }
    return try writeInside(body)
  }

  /// Calls a function with the writer lock, or returns `false` if a thread has it.
  func writeIfIdle(_ body: (inout [Observer]) throws -> Void) rethrows -> Bool {
    guard writerLock.enterIfIdle() else { return false }
    try writeInside(body)
    return true
  }

  private func writeInside<Result>(_ body: (inout [Observer]) throws -> Result) rethrows -> Result {
    var touched: [Observer] = []
    defer { for observer in touched { observer.deliver() } }
    defer { writerLock.leave() }
    return try body(&touched)
  }

  /// Changes one value. The caller must hold the writer lock.
  func set(
    _ key: BytewiseString, _ value: PropertyListValue?, _ origin: ChangeOrigin, _ touched: inout [Observer]
  ) {
    state.withLock { state in
      let old = state.values[key]
      guard old != value else { return }
      state.values[key] = value
      Self.record(key, old, value, origin, in: state, &touched)
    }
  }

  /// Changes several values. The caller must hold the writer lock.
  func apply(
    _ changes: [BytewiseString: PropertyListValue?], _ origin: ChangeOrigin, _ touched: inout [Observer]
  ) {
    guard !changes.isEmpty else { return }
    state.withLock { state in
      for (key, value) in changes {
        let old = state.values[key]
        guard old != value else { continue }
        state.values[key] = value
        Self.record(key, old, value, origin, in: state, &touched)
      }
    }
  }

  /// Replaces all values. The caller must hold the writer lock.
  func replace(_ values: Values, _ origin: ChangeOrigin, _ touched: inout [Observer]) {
    state.withLock { state in
      let old = state.values
      state.values = values
      guard !state.observers.isEmpty else { return }
      for (key, value) in values where old[key] != value {
        Self.record(key, old[key], value, origin, in: state, &touched)
      }
      for (key, value) in old where values[key] == nil { Self.record(key, value, nil, origin, in: state, &touched) }
    }
  }

  @inline(__always)
  private static func record(
    _ key: BytewiseString, _ old: PropertyListValue?, _ new: PropertyListValue?, _ origin: ChangeOrigin,
    in state: State, _ touched: inout [Observer]
  ) {
    guard !state.observers.isEmpty else { return }
    for observer in state.observersOfAll where observer.add(key, from: old, to: new, origin) {
      touch(observer, &touched)
    }
    for observer in state.observersOfKey[key] ?? [] where observer.add(key, from: old, to: new, origin) {
      touch(observer, &touched)
    }
  }

  private static func touch(_ observer: Observer, _ touched: inout [Observer]) {
    if !touched.contains(where: { $0 === observer }) { touched.append(observer) }
  }

  // MARK: Observing

  /// Adds an observer. If `initial` is true, it receives the current values first.
  func add(_ observer: Observer, initial: Bool) -> DefaultsObservation {
    state.withLock { state in
      state.observers[ObjectIdentifier(observer)] = observer
      if let keys = observer.keys {
        for key in keys { state.observersOfKey[key, default: []].append(observer) }
      } else {
        state.observersOfAll.append(observer)
      }
      guard initial else { return }
      for key in observer.keys ?? Array(state.values.keys) { observer.addInitial(key, state.values[key]) }
    }
    if initial { observer.deliver() }
    return DefaultsObservation { [weak self, weak observer] in
      guard let observer else { return }
      observer.cancel()
      self?.remove(observer)
    }
  }

  private func remove(_ observer: Observer) {
    state.withLock { state in
      guard state.observers.removeValue(forKey: ObjectIdentifier(observer)) != nil else { return }
      state.observersOfAll.removeAll { $0 === observer }
      for key in observer.keys ?? [] {
        state.observersOfKey[key]?.removeAll { $0 === observer }
        if state.observersOfKey[key]?.isEmpty == true { state.observersOfKey[key] = nil }
      }
    }
  }
}
