// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import SystemFiles

/// The common part of all stores: values in memory, one writer at a time, and observers.
///
/// A change has four steps: (1) The writer takes the writer lock. (2) With the state locked, it changes values and adds
/// them to the pending changes of observers. (3) It releases the writer lock. (4) It delivers reports and calls the
/// observers without a lock.
final class StoreCore: Sendable {
  typealias Values = [BytewiseString: PropertyListValue]

  struct State {
    var values: Values
    var observers: [Int: Observer] = [:]
    /// The observers of specific keys, by key.
    var observersOfKey: [BytewiseString: Observers] = [:]
    var observersOfAll = Observers()
    /// The number of the next observer.
    var next = 0
  }

  /// Observers in the order in which they were added.
  struct Observers {
    var list: [(number: Int, observer: Observer)] = []

    mutating func remove(_ number: Int) {
      // The numbers are in ascending order. A search from the start would make removing many observers quadratic.
      var range = 0..<list.count
      while !range.isEmpty {
        let middle = (range.lowerBound + range.upperBound) / 2
        if list[middle].number == number {
          list.remove(at: middle)
          return
        }
        range = list[middle].number < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
    }
  }

  /// The observers to call after a change, each once, in the order in which they received pending changes, and the errors
  /// to report before that.
  struct Touched {
    private(set) var list: [Observer] = []
    var reports: [DefaultsError] = []
    private var known: Set<ObjectIdentifier> = []

    mutating func add(_ observer: Observer) {
      // One observer needs no set.
      if list.isEmpty {
        list = [observer]
      } else if list.count == 1 {
        guard list[0] !== observer else { return }
        known = [ObjectIdentifier(list[0]), ObjectIdentifier(observer)]
        list.append(observer)
      } else if known.insert(ObjectIdentifier(observer)).inserted {
        list.append(observer)
      }
    }

    /// Adds a change to the pending ones of observers.
    @inline(__always)
    mutating func add(
      _ key: BytewiseString, _ old: PropertyListValue?, _ new: PropertyListValue?, _ origin: ChangeOrigin,
      to observers: Observers
    ) {
      for (_, observer) in observers.list where observer.add(key, from: old, to: new, origin) { add(observer) }
    }
  }

  let state: ContendedLocked<State>
  private let writerLock = WriterLock()
  private let report: @Sendable (DefaultsError) -> Void

  /// Creates the common part of a store.
  /// - Parameters:
  ///   - values: The initial values.
  ///   - report: A function for the errors that a change adds to ``Touched``. It is called without a lock.
  init(_ values: Values = [:], report: @escaping @Sendable (DefaultsError) -> Void = { _ in }) {
    state = ContendedLocked(State(values: values))
    self.report = report
  }

  deinit { for observer in state.withLock({ Array($0.observers.values) }) { observer.end() } }

  // MARK: Reading

  @inline(__always)
  func value(_ key: BytewiseString) -> PropertyListValue? { state.withLock { $0.values[key] } }

  func values() -> Values { state.withLock { $0.values } }

  /// Adds a value that the store has for a key without storing it, such as a registered default, unless the key has a
  /// value. No observer is told, because the key had this value before.
  func add(unstored value: PropertyListValue, for key: BytewiseString) {
    state.withLock { if $0.values[key] == nil { $0.values[key] = value } }
  }

  // MARK: Writing

  /// Calls a function with the writer lock, and delivers reports and notifies observers after it returns.
  func write<Result>(_ body: (inout Touched) throws -> Result) throws -> Result {
    guard writerLock.enter() else {
      throw DefaultsError(
        .nestedTransaction, "nested change: the store was changed inside of a transaction on itself",
        remedy: "Change the transaction that the closure receives")
    }
    return try writeInside(body)
  }

  /// Calls a function with the writer lock, or returns `false` if a thread has it.
  func writeIfIdle(_ body: (inout Touched) throws -> Void) rethrows -> Bool {
    guard writerLock.enterIfIdle() else { return false }
    try writeInside(body)
    return true
  }

  private func writeInside<Result>(_ body: (inout Touched) throws -> Result) rethrows -> Result {
    var touched = Touched()
    // Both can use the store.
    defer {
      for error in touched.reports { report(error) }
      for observer in touched.list { observer.deliver() }
    }
    defer { writerLock.leave() }
    return try writerLock.change { try body(&touched) }
  }

  /// Changes one value. The caller must hold the writer lock.
  func set(
    _ key: BytewiseString, _ value: PropertyListValue?, _ origin: ChangeOrigin, _ touched: inout Touched
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
    _ changes: [BytewiseString: PropertyListValue?], _ origin: ChangeOrigin, _ touched: inout Touched
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
  /// - Parameters:
  ///   - values: The new values.
  ///   - origin: The origin of the changes.
  ///   - keys: The keys that have this origin; nil for all. Changes of others have the origin ``ChangeOrigin/external``.
  ///   - touched: The observers to call.
  func replace(
    _ values: Values, _ origin: ChangeOrigin, of keys: Set<BytewiseString>? = nil, _ touched: inout Touched
  ) {
    state.withLock { state in
      let old = state.values
      state.values = values
      guard !state.observers.isEmpty else { return }
      func originOfChange(_ key: BytewiseString) -> ChangeOrigin { keys?.contains(key) == false ? .external : origin }
      for (key, value) in values where old[key] != value {
        Self.record(key, old[key], value, originOfChange(key), in: state, &touched)
      }
      for (key, value) in old where values[key] == nil {
        Self.record(key, value, nil, originOfChange(key), in: state, &touched)
      }
    }
  }

  @inline(__always)
  private static func record(
    _ key: BytewiseString, _ old: PropertyListValue?, _ new: PropertyListValue?, _ origin: ChangeOrigin,
    in state: State, _ touched: inout Touched
  ) {
    guard !state.observers.isEmpty else { return }
    touched.add(key, old, new, origin, to: state.observersOfAll)
    if let observers = state.observersOfKey[key] { touched.add(key, old, new, origin, to: observers) }
  }

  // MARK: Observing

  /// Adds an observer. If `initial` is true, it receives the current values first.
  func add(_ observer: Observer, initial: Bool) -> DefaultsObservation {
    let number = state.withLock { state in
      let number = state.next
      state.next += 1
      state.observers[number] = observer
      if let keys = observer.keys {
        for key in keys { state.observersOfKey[key, default: Observers()].list.append((number, observer)) }
      } else {
        state.observersOfAll.list.append((number, observer))
      }
      if initial {
        for key in observer.keys ?? Array(state.values.keys) { observer.addInitial(key, state.values[key]) }
      }
      return number
    }
    if initial { observer.deliver() }
    return DefaultsObservation { [weak self, weak observer] in
      observer?.cancel()
      self?.removeObserver(number)
    }
  }

  private func removeObserver(_ number: Int) {
    // Released without the lock. The handler can hold the last reference to an object that uses this store when it is
    // released, for example another observation.
    let removed = state.withLock { state -> Observer? in
      guard let observer = state.observers.removeValue(forKey: number) else { return nil }
      state.observersOfAll.remove(number)
      for key in observer.keys ?? [] {
        state.observersOfKey[key]?.remove(number)
        if state.observersOfKey[key]?.list.isEmpty == true { state.observersOfKey[key] = nil }
      }
      return observer
    }
    withExtendedLifetime(removed) {}
  }
}
