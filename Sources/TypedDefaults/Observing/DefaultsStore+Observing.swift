// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What has happened to the value of a key since its observer was told last.
public struct DefaultsValueChange<Value> {
  /// The value that the observer was told last; nil if it is told the first time what is there.
  public let old: Value?
  /// The value now: the key's default if it was removed, or if what is stored cannot be decoded.
  public let new: Value
  /// Who changed it last.
  public let origin: ChangeOrigin
}

extension DefaultsValueChange: Sendable where Value: Sendable {}
extension DefaultsValueChange: Equatable where Value: Equatable {}

extension DefaultsStore {
  /// Calls a function whenever a value was changed, by anybody, in this process or another.
  ///
  /// See ``observe(_:initial:ignoring:_:)`` for when and on which thread. Changes that follow each other quickly may be told
  /// as one; the last value is always told.
  /// - Parameters:
  ///   - key: the key.
  ///   - initial: whether the function is called first with the value that is there.
  ///   - origin: changes of this origin are not told.
  ///   - handler: the function.
  /// - Returns: what ends the observation when it is no longer kept.
  public func observe<Value>(
    _ key: DefaultsKey<Value>, initial: Bool = false, ignoring origin: ChangeOrigin? = nil,
    _ handler: @escaping @Sendable (DefaultsValueChange<Value>) -> Void
  ) -> DefaultsObservation {
    observe([key.name], initial: initial, ignoring: origin) { [weak self] changes in
      for change in changes.changes { handler(key.change(change) { self?.report($0) }) }
    }
  }

  /// Calls a function whenever some keys were changed, once for all that happened.
  public func observe(
    _ keys: [String]?, _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    observe(keys, initial: false, ignoring: nil, handler)
  }

  /// The values of a key to be waited for, beginning with the one that is there.
  ///
  /// ```swift
  /// for await name in store.values(of: .name) { title.text = name }
  /// ```
  ///
  /// Who is slow misses values in between, and never the last one. It ends when the task is cancelled, or when nobody
  /// keeps the store any more.
  public func values<Value: Sendable>(
    of key: DefaultsKey<Value>, ignoring origin: ChangeOrigin? = nil
  ) -> some AsyncSequence<Value, Never> & Sendable {
    changes(of: [key.name], initial: true, ignoring: origin).map { [weak self] changes in
      key.valueOrDefault(changes.changes.last?.new) { self?.report($0) }
    }
  }

  /// The values of two or more keys, all of one moment, to be waited for, beginning with those that are there.
  ///
  /// ```swift
  /// for await (name, age, city) in store.values(of: .name, .age, .city) { … }
  /// ```
  ///
  /// It ends when the task is cancelled, or when nobody keeps the store any more.
  /// - Parameters:
  ///   - first: a key.
  ///   - second: another key.
  ///   - others: any number of further keys.
  /// - Returns: the values in the order of the keys.
  public func values<First: Sendable, Second: Sendable, each Other: Sendable>(
    of first: DefaultsKey<First>, _ second: DefaultsKey<Second>, _ others: repeat DefaultsKey<each Other>
  ) -> some AsyncSequence<(First, Second, repeat each Other), Never> & Sendable {
    var names = [first.name, second.name]
    for other in repeat each others { names.append(other.name) }
    return changes(of: names, initial: true, ignoring: nil).compactMap { [weak self] _ in
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
      // What was there before was reported when it was new.
      old: change.isInitial ? nil : valueOrDefault(change.old) { _ in }, new: valueOrDefault(change.new, report),
      origin: change.origin)
  }
}
