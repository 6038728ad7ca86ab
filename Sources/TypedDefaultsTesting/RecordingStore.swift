// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Synchronization
public import TypedDefaults

/// A store that notes what is done to another, for tests of code that uses stores.
public final class RecordingStore: DefaultsStore {
  /// What was done.
  public enum Call: Hashable, Sendable {
    /// A value was read.
    case read(String)
    /// All values were read.
    case snapshot
    /// A value was stored, or removed if there is none.
    case set(String, PropertyListValue?, ChangeOrigin)
    /// Some values were stored or removed at once.
    case update([String: PropertyListValue?], ChangeOrigin)
    /// Changes by others were looked for.
    case refresh
    /// What was not written yet was written.
    case flush
    /// Something went wrong.
    case report(DefaultsError.Code)
  }

  /// The store that does it.
  public let store: any DefaultsStore
  private let log = Mutex<[Call]>([])

  /// Notes what is done to a store, a new one in memory unless another is given.
  public init(_ store: (any DefaultsStore)? = nil) { self.store = store ?? MemoryStore(reports: { _ in }) }

  /// What was done so far.
  public var calls: [Call] { log.withLock { $0 } }

  private func note(_ call: Call) { log.withLock { $0.append(call) } }

  /// Forgets what was done, and removes all values.
  /// - Throws: what the store throws.
  public func reset() throws {
    try store.removeAll()
    log.withLock { $0 = [] }
  }

  /// What is stored for a key, whatever it is; nil if there is nothing.
  public func rawValue(for key: String) -> PropertyListValue? {
    note(.read(key))
    return store.rawValue(for: key)
  }

  /// All values of one moment.
  public func snapshot() -> DefaultsSnapshot {
    note(.snapshot)
    return store.snapshot()
  }

  /// Stores an object, or removes what is there if it is nil.
  /// - Throws: what the store throws.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    note(.set(key, value, origin))
    try store.setRawValue(value, for: key, origin: origin)
  }

  /// Changes several keys at once.
  /// - Throws: what the store throws, and the closure.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try store.update(origin: origin) { transaction in
      let result = try body(&transaction)
      note(.update(Dictionary(transaction.changedValues.map { ($0.key, $0.value) }) { $1 }, origin))
      return result
    }
  }

  /// Calls a function whenever one of some keys was changed.
  public func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    store.observe(keys, initial: initial, ignoring: origin, handler)
  }

  /// Changes of some keys to be waited for.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    store.changes(of: keys, initial: initial, ignoring: origin)
  }

  /// Looks for changes by others now.
  /// - Throws: what the store throws.
  public func refresh() throws {
    note(.refresh)
    try store.refresh()
  }

  /// Writes now what was not written yet.
  /// - Throws: what the store throws.
  public func flush() throws {
    note(.flush)
    try store.flush()
  }

  /// Tells of something that went wrong and that nobody could be thrown.
  public func report(_ error: DefaultsError) {
    note(.report(error.code))
    store.report(error)
  }
}
