// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// An asynchronous sequence of changes for one task.
///
/// Changes before the task waits are not lost: the sequence keeps each key once with its last value. It ends when the
/// task is canceled or the store is released.
///
/// ```swift
/// for await changes in store.changes(of: ["name", "age"]) { print(changes.keys) }
/// ```
public struct DefaultsChangeSequence: AsyncSequence, Sendable {
  private let signals: AsyncStream<Void>
  private let fetch: @Sendable () -> DefaultsChanges?
  private let observation: DefaultsObservation

  init(_ core: StoreCore, _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) {
    // One buffered signal is enough, because the task fetches all changes at once.
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

  /// The iterator of the sequence.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var signals: AsyncStream<Void>.Iterator
    fileprivate let fetch: @Sendable () -> DefaultsChanges?
    fileprivate let observation: DefaultsObservation

    /// Waits for changes.
    /// - Returns: All changes since the last call, or nil if the task is canceled or the store is released.
    public mutating func next() async -> DefaultsChanges? {
      while !Task.isCancelled {
        if let changes = fetch() { return changes }
        guard await signals.next() != nil else { return nil }
      }
      return nil
    }

    /// Waits for changes on an actor.
    /// - Parameter actor: The actor.
    /// - Returns: All changes since the last call, or nil if the task is canceled or the store is released.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public mutating func next(isolation actor: isolated (any Actor)?) async -> DefaultsChanges? {
      while !Task.isCancelled {
        if let changes = fetch() { return changes }
        guard await signals.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }
  }

  /// Returns an iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(signals: signals.makeAsyncIterator(), fetch: fetch, observation: observation)
  }
}
