// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A store in memory, for tests, previews and values that need not last.
///
/// Values are converted as for a file, so that what works here works there.
public final class MemoryStore: DefaultsStore {
  private let core: StoreCore
  private let reports: @Sendable (DefaultsError) -> Void

  /// A store with these values.
  public init(
    _ values: PropertyListDictionary = [:],
    reports: @escaping @Sendable (DefaultsError) -> Void = DefaultsReports.standardError
  ) {
    core = StoreCore(DefaultsSnapshot(values).merged)
    self.reports = reports
  }

  /// A store with the values of another, which changes no more with it: to try a migration on, for one.
  public convenience init(copying store: any DefaultsStore) {
    self.init(store.snapshot().values) { [weak store] in store?.report($0) }
  }

  /// What is stored for a key, whatever it is; nil if there is nothing.
  public func rawValue(for key: String) -> PropertyListValue? { core.value(BytewiseString(key)) }

  /// All values of one moment.
  public func snapshot() -> DefaultsSnapshot { DefaultsSnapshot([core.values()]) }

  /// Stores an object, or removes what is there if it is nil.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/nestedTransaction`` within a transaction of this store.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    try core.write { core.set(BytewiseString(key), value, origin, &$0) }
  }

  /// Changes several keys at once.
  /// - Throws: as ``setRawValue(_:for:origin:)``, and what the closure throws; nothing is changed then.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try core.write { touched in
      let (result, changes) = try DefaultsTransaction.run(on: snapshot(), body)
      core.apply(changes, origin, &touched)
      return result
    }
  }

  /// Calls a function whenever one of some keys was changed.
  public func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    core.observe(keys, initial: initial, ignoring: origin, handler)
  }

  /// Changes of some keys to be waited for.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    DefaultsChangeSequence(core, keys, initial: initial, ignoring: origin)
  }

  /// Looks for changes by others now.
  public func refresh() {}

  /// Writes now what was not written yet.
  public func flush() {}

  /// Tells of something that went wrong and that nobody could be thrown.
  public func report(_ error: DefaultsError) { reports(error) }
}

extension DefaultsTransaction {
  /// Runs a transaction and lets go of what it was made on, so that whoever applies it need not copy the rest.
  static func run<Result>(
    on base: DefaultsSnapshot, _ body: (inout DefaultsTransaction) throws -> Result
  ) rethrows -> (Result, [BytewiseString: PropertyListValue?]) {
    var transaction = DefaultsTransaction(base)
    let result = try body(&transaction)
    return (result, transaction.changes)
  }
}
