// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// A store in memory. Use it for tests, previews and temporary values.
///
/// It converts values as a file store does, so that code behaves the same with both.
public final class MemoryStore: ObservedStore {
  let core: StoreCore
  private let reports: @Sendable (DefaultsError) -> Void

  /// Creates a store.
  /// - Parameters:
  ///   - values: The initial values.
  ///   - reports: A function for errors of functions that do not throw.
  public init(
    _ values: PropertyListDictionary = [:],
    reports: @escaping @Sendable (DefaultsError) -> Void = DefaultsReports.standardError
  ) {
    core = StoreCore(DefaultsSnapshot(values).merged)
    self.reports = reports
  }

  /// Creates an independent copy of a store, for example to try a migration.
  /// - Parameter store: The store to copy. It also reports the errors of the copy.
  public convenience init(copying store: any DefaultsStore) {
    self.init(store.snapshot().values) { [weak store] in store?.report($0) }
  }

  /// Returns the stored property-list value for a key.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  public func rawValue(for key: String) -> PropertyListValue? { core.value(BytewiseString(key)) }

  /// Returns all values at one moment.
  public func snapshot() -> DefaultsSnapshot { DefaultsSnapshot(core.values()) }

  /// Stores or removes a property-list value.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/nestedTransaction`` inside of a transaction of the
  ///   store, or ``DefaultsError/Code/cannotWrite`` if a binary file cannot hold the value.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    let key = BytewiseString(key)
    try core.write { core.set(key, try value?.stored(in: .binary, key: key, path: nil), origin, &$0) }
  }

  /// Changes several keys at once.
  /// - Parameters:
  ///   - origin: The origin to report to observers.
  ///   - body: A function that makes the changes. It sees its own changes.
  /// - Returns: The result of the function.
  /// - Throws: The errors of ``setRawValue(_:for:origin:)`` and of the function. The store is then unchanged.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try core.write { touched in
      var (result, changes) = try DefaultsTransaction.run(on: snapshot(), body)
      for (key, value) in changes { changes[key] = .some(try value?.stored(in: .binary, key: key, path: nil)) }
      core.apply(changes, origin, &touched)
      return result
    }
  }

  /// The store has no changes to read, so this function has no effect.
  public func refresh() {}

  /// The store has no deferred changes, so this function has no effect.
  public func flush() {}

  /// Reports an error of a function that does not throw.
  /// - Parameter error: The error.
  public func report(_ error: DefaultsError) { reports(error) }
}
