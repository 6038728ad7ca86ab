// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Changes to be waited for, for one task.
///
/// What happens before it is waited for is not lost: each key is kept once, with the last value. It ends when the task is
/// cancelled, or when nobody keeps the store any more.
///
/// ```swift
/// for await changes in store.changes(of: ["name", "age"]) { print(changes.keys) }
/// ```
public struct DefaultsChangeSequence: AsyncSequence, Sendable {
  private let signals: AsyncStream<Void>
  private let fetch: @Sendable () -> DefaultsChanges?
  private let observation: DefaultsObservation

  init(_ core: StoreCore, _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) {
    // One signal is as good as many: whoever is woken fetches everything.
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observer = Observer(keys: keys, ignoring: origin, isFetched: true) { _ in
      continuation.yield()
    } end: {
      continuation.finish()
    }
    self.signals = signals
    fetch = { observer.fetch() }
    observation = core.add(observer, initial: initial)
  }

  /// Waits for changes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var signals: AsyncStream<Void>.Iterator
    fileprivate let fetch: @Sendable () -> DefaultsChanges?
    fileprivate let observation: DefaultsObservation

    /// What has happened since the last call, as soon as something has.
    /// - Returns: nil when the task is cancelled, or nobody keeps the store any more.
    public mutating func next() async -> DefaultsChanges? {
      while !Task.isCancelled {
        if let changes = fetch() { return changes }
        guard await signals.next() != nil else { return nil }
      }
      return nil
    }

    /// As ``next()``.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> DefaultsChanges? {
      while !Task.isCancelled {
        if let changes = fetch() { return changes }
        guard await signals.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }
  }

  /// Begins to wait.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(signals: signals.makeAsyncIterator(), fetch: fetch, observation: observation)
  }
}

extension StoreCore {
  /// What stores promise of ``DefaultsStore/observe(_:initial:ignoring:_:)``.
  func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    add(Observer(keys: keys, ignoring: origin, tell: handler), initial: initial)
  }
}
