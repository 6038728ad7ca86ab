// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A change of the value of a key since the last report to the observer.
public struct DefaultsValueChange<Value> {
  /// The value before the reported changes, or nil if this is the initial value. Without an ignored origin, it is the value in the
  /// last report.
  public let old: Value?
  /// The current value. It is the default value if none is stored or the stored value cannot be decoded.
  public let new: Value
  /// The origin of the last change.
  public let origin: ChangeOrigin
}

extension DefaultsValueChange: Sendable where Value: Sendable {}
extension DefaultsValueChange: Equatable where Value: Equatable {}

extension DefaultsStore {
  /// Calls a function after each change of a value, also by other threads and processes.
  ///
  /// Changes in quick succession can be reported as one. The last value is always reported. See
  /// ``observe(_:initial:ignoring:_:)`` for the thread of the calls.
  /// - Parameters:
  ///   - key: The key.
  ///   - initial: Whether to report the current value first.
  ///   - origin: The origin of changes that are not reported.
  ///   - handler: The function.
  /// - Returns: The observation, which ends when it is released or canceled.
  public func observe<Value>(
    _ key: DefaultsKey<Value>, initial: Bool = false, ignoring origin: ChangeOrigin? = nil,
    _ handler: @escaping @Sendable (DefaultsValueChange<Value>) -> Void
  ) -> DefaultsObservation {
    observe([key.name], initial: initial, ignoring: origin) { [weak self] changes in
      for change in changes.changes { handler(key.change(change) { self?.report($0) }) }
    }
  }

  /// Calls a function after changes of the given keys.
  /// - Parameters:
  ///   - keys: The keys to observe; nil for all keys.
  ///   - handler: The function.
  /// - Returns: The observation, which ends when it is released or canceled.
  public func observe(
    _ keys: [String]?, _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    observe(keys, initial: false, ignoring: nil, handler)
  }

  /// Returns an asynchronous sequence of the values for a key, starting with the current one.
  ///
  /// ```swift
  /// for await name in store.values(of: .name) { title.text = name }
  /// ```
  ///
  /// A slow task misses intermediate values, but never the last one. The sequence ends when the task is canceled or the
  /// store is released.
  /// - Parameters:
  ///   - key: The key.
  ///   - origin: The origin of changes that are not reported.
  /// - Returns: The sequence.
  public func values<Value: Sendable>(
    of key: DefaultsKey<Value>, ignoring origin: ChangeOrigin? = nil
  ) -> DefaultsValueSequence<Value> {
    DefaultsValueSequence(changes(of: [key.name], initial: true, ignoring: origin)) { [weak self] changes in
      key.valueOrDefault(changes.changes.last?.new) { self?.report($0) }
    }
  }

  /// Returns an asynchronous sequence of the values for two or more keys, starting with the current ones. All values of
  /// an element are of the same moment.
  ///
  /// ```swift
  /// for await (name, age, city) in store.values(of: .name, .age, .city) { … }
  /// ```
  ///
  /// The sequence ends when the task is canceled or the store is released.
  /// - Parameters:
  ///   - first: A key.
  ///   - second: Another key.
  ///   - others: More keys.
  /// - Returns: The sequence of tuples in the order of the keys.
  public func values<First: Sendable, Second: Sendable, each Other: Sendable>(
    of first: DefaultsKey<First>, _ second: DefaultsKey<Second>, _ others: repeat DefaultsKey<each Other>
  ) -> DefaultsValueSequence<(First, Second, repeat each Other)> {
    var names = [first.name, second.name]
    for other in repeat each others { names.append(other.name) }
    return DefaultsValueSequence(changes(of: names, initial: true, ignoring: nil)) { [weak self] _ in
      guard let self else { return nil }
      let snapshot = snapshot()
      return (
        snapshot.valueOrDefault(first, report), snapshot.valueOrDefault(second, report),
        repeat snapshot.valueOrDefault(each others, report)
      )
    }
  }
}

extension DefaultsSnapshot {
  fileprivate func valueOrDefault<Value>(_ key: DefaultsKey<Value>, _ report: (DefaultsError) -> Void) -> Value {
    key.valueOrDefault(value(key.exact), report)
  }
}

extension DefaultsKey {
  func change(_ change: DefaultsChange, _ report: (DefaultsError) -> Void) -> DefaultsValueChange<Value> {
    DefaultsValueChange(
      // An error in the old value was reported when it was new.
      old: change.isInitial ? nil : valueOrDefault(change.old) { _ in }, new: valueOrDefault(change.new, report),
      origin: change.origin)
  }
}
