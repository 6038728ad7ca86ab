// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An asynchronous sequence of decoded values for one task.
///
/// ``DefaultsStore/values(of:ignoring:)`` returns it. Like ``DefaultsChangeSequence``, it ends when the task is canceled
/// or the store is released.
///
/// ```swift
/// for await name in store.values(of: .name) { title.text = name }
/// ```
public struct DefaultsValueSequence<Element>: AsyncSequence, Sendable {
  private let changes: DefaultsChangeSequence
  private let decode: @Sendable (DefaultsChanges) -> Element?

  /// Creates a sequence of the results of `decode` that are not nil.
  init(_ changes: DefaultsChangeSequence, _ decode: @escaping @Sendable (DefaultsChanges) -> Element?) {
    self.changes = changes
    self.decode = decode
  }

  /// The iterator of the sequence.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var changes: DefaultsChangeSequence.AsyncIterator
    fileprivate let decode: @Sendable (DefaultsChanges) -> Element?

    /// Waits for a value.
    /// - Returns: The value, or nil if the task is canceled or the store is released.
    public mutating func next() async -> Element? {
      while let changes = await changes.next() {
        if let element = decode(changes) { return element }
      }
      return nil
    }

    /// Waits for a value on an actor.
    /// - Parameter actor: The actor.
    /// - Returns: The value, or nil if the task is canceled or the store is released.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      while let changes = await changes.next(isolation: actor) {
        if let element = decode(changes) { return element }
      }
      return nil
    }
  }

  /// Returns an iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(changes: changes.makeAsyncIterator(), decode: decode)
  }
}
