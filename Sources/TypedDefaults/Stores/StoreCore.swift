// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What all stores have in common: values in memory, one writer at a time, and observers.
///
/// A change goes: writer enters the gate -> values are changed and observers' mailboxes filled, with the state locked ->
/// writer leaves the gate -> observers are told, with nothing locked.
final class StoreCore: Sendable {
  typealias Values = [BytewiseString: PropertyListValue]

  struct State {
    var values: Values
    var observers: [ObjectIdentifier: Observer] = [:]
    /// Those who observe certain keys, by key; nil for those who observe all.
    var observersOfKey: [BytewiseString: [Observer]] = [:]
    var observersOfAll: [Observer] = []
  }

  let state: Locked<State>
  private let gate = WriterLock()

  init(_ values: Values = [:]) { state = Locked(State(values: values)) }

  deinit { for observer in state.withLock({ Array($0.observers.values) }) { observer.end() } }

  // MARK: Reading

  @inline(__always)
  func value(_ key: BytewiseString) -> PropertyListValue? { state.withLock { $0.values[key] } }

  func values() -> Values { state.withLock { $0.values } }

  // MARK: Writing

  /// Does something as the only writer. Observers are told when it is over.
  func write<Result>(_ body: (inout [Observer]) throws -> Result) throws -> Result {
    guard gate.enter() else {
      throw DefaultsError(
        .nestedTransaction, "a store was changed within a transaction on itself",
        remedy: "Make the change by the transaction that the closure is given")
    }
    return try writeInside(body)
  }

  /// The same, unless somebody is writing already.
  func writeIfIdle(_ body: (inout [Observer]) throws -> Void) rethrows {
    if gate.enterIfIdle() { try writeInside(body) }
  }

  private func writeInside<Result>(_ body: (inout [Observer]) throws -> Result) rethrows -> Result {
    var touched: [Observer] = []
    defer { for observer in touched { observer.deliver() } }
    defer { gate.leave() }
    return try body(&touched)
  }

  /// Changes one value. Called by the writer.
  func set(
    _ key: BytewiseString, _ value: PropertyListValue?, _ origin: ChangeOrigin, _ touched: inout [Observer]
  ) {
    state.withLock { state in
      let old = state.values[key]
      guard old != value else { return }
      state.values[key] = value
      Self.note(key, old, value, origin, in: state, &touched)
    }
  }

  /// Changes many values. Called by the writer.
  func apply(
    _ changes: [BytewiseString: PropertyListValue?], _ origin: ChangeOrigin, _ touched: inout [Observer]
  ) {
    guard !changes.isEmpty else { return }
    state.withLock { state in
      for (key, value) in changes {
        let old = state.values[key]
        guard old != value else { continue }
        state.values[key] = value
        Self.note(key, old, value, origin, in: state, &touched)
      }
    }
  }

  /// Puts others in the place of all values. Called by the writer.
  func replace(_ values: Values, _ origin: ChangeOrigin, _ touched: inout [Observer]) {
    state.withLock { state in
      let old = state.values
      state.values = values
      guard !state.observers.isEmpty else { return }
      for (key, value) in values where old[key] != value {
        Self.note(key, old[key], value, origin, in: state, &touched)
      }
      for (key, value) in old where values[key] == nil { Self.note(key, value, nil, origin, in: state, &touched) }
    }
  }

  @inline(__always)
  private static func note(
    _ key: BytewiseString, _ old: PropertyListValue?, _ new: PropertyListValue?, _ origin: ChangeOrigin,
    in state: State,
    _ touched: inout [Observer]
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

  /// Begins to observe. With `initial`, what is there at that moment is told first.
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
