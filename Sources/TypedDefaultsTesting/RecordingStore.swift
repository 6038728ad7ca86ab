// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat
import SystemFiles
public import TypedDefaults

/// A store that forwards all calls to another store and records them, except those that observe changes. Use it to test
/// code that uses stores.
public final class RecordingStore: DefaultsStore {
  /// A recorded call.
  public enum Call: Hashable, Sendable {
    /// Reading a value.
    case read(String)
    /// Reading all values.
    case snapshot
    /// Storing a value, or removing it if it is nil.
    case set(String, PropertyListValue?, ChangeOrigin)
    /// Storing or removing several values at once. It is recorded when the caller's function returns: a transaction that
    /// this function ends with an error is not.
    case update(Changes, ChangeOrigin)
    /// Reading changes by other processes.
    case refresh
    /// Writing deferred changes.
    case flush
    /// Reporting an error.
    case report(DefaultsError.Code)
  }

  /// The changes of a recorded update, which are nil for removed values. Like stores, it compares keys by their bytes.
  public struct Changes: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    private struct Change: Hashable {
      var key: [UInt8]
      var value: PropertyListValue?
    }

    private let changes: [Change]

    /// Creates changes from a literal.
    /// - Parameter elements: The values by key. Of several values for a key, the last one counts.
    public init(dictionaryLiteral elements: (String, PropertyListValue?)...) { self.init(elements) }

    init(_ elements: [(String, PropertyListValue?)]) {
      let values = Dictionary(elements.map { (Array($0.0.utf8), $0.1) }) { $1 }
      changes = values.map { Change(key: $0.key, value: $0.value) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// The number of changed keys.
    public var count: Int { changes.count }

    /// The new value of a key; nil if it was not changed, and a contained nil if it was removed.
    /// - Parameter key: The key.
    public subscript(key: String) -> PropertyListValue?? {
      changes.first { $0.key.elementsEqual(key.utf8) }?.value
    }
  }

  /// The store to which calls are forwarded.
  public let store: any DefaultsStore
  private let log = Locked<[Call]>([])

  /// Creates a recording store.
  /// - Parameter store: The store to which calls are forwarded. The default is a new store in memory.
  public init(_ store: (any DefaultsStore)? = nil) { self.store = store ?? MemoryStore(reports: { _ in }) }

  /// The recorded calls.
  public var calls: [Call] { log.withLock { $0 } }

  private func record(_ call: Call) { log.withLock { $0.append(call) } }

  /// Removes all recorded calls and all values.
  /// - Throws: The errors of the store.
  public func reset() throws {
    try store.removeAll()
    log.withLock { $0 = [] }
  }

  /// Returns the stored property-list value for a key.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  public func rawValue(for key: String) -> PropertyListValue? {
    record(.read(key))
    return store.rawValue(for: key)
  }

  /// Returns the property-list value that a change of a key replaces. The call is recorded as reading a value.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  public func replacedValue(for key: String) -> PropertyListValue? {
    record(.read(key))
    return store.replacedValue(for: key)
  }

  /// Returns all values at one moment.
  public func snapshot() -> DefaultsSnapshot {
    record(.snapshot)
    return store.snapshot()
  }

  /// Stores or removes a property-list value.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: The errors of the store.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    record(.set(key, value, origin))
    try store.setRawValue(value, for: key, origin: origin)
  }

  /// Changes several keys at once.
  /// - Parameters:
  ///   - origin: The origin to report to observers.
  ///   - body: A function that makes the changes. It sees its own changes.
  /// - Returns: The result of the function.
  /// - Throws: The errors of the store and of the function.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try store.update(origin: origin) { transaction in
      let result = try body(&transaction)
      record(.update(Changes(transaction.changedValues.map { ($0.key, $0.value) }), origin))
      return result
    }
  }

  /// Calls a function after each change of the given keys.
  /// - Parameters:
  ///   - keys: The keys to observe; nil for all keys.
  ///   - initial: Whether to report the current values first.
  ///   - origin: The origin of changes that are not reported.
  ///   - handler: The function.
  /// - Returns: The observation, which ends when it is released or canceled.
  public func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    store.observe(keys, initial: initial, ignoring: origin, handler)
  }

  /// Returns an asynchronous sequence of changes.
  /// - Parameters:
  ///   - keys: The keys to observe; nil for all keys.
  ///   - initial: Whether to report the current values first.
  ///   - origin: The origin of changes that are not reported.
  /// - Returns: A sequence for one task.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    store.changes(of: keys, initial: initial, ignoring: origin)
  }

  /// Reads changes by other processes now.
  /// - Throws: The errors of the store.
  public func refresh() throws {
    record(.refresh)
    try store.refresh()
  }

  /// Writes deferred changes now.
  /// - Throws: The errors of the store.
  public func flush() throws {
    record(.flush)
    try store.flush()
  }

  /// Reports an error of a function that does not throw.
  /// - Parameter error: The error.
  public func report(_ error: DefaultsError) {
    record(.report(error.code))
    store.report(error)
  }
}
