// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation
public import TypedDefaults

/// Foundation's `UserDefaults` as a store.
///
/// Use it on Apple's systems for settings that belong there. Elsewhere a `FileStore` is the better choice: Foundation's
/// `UserDefaults` does not see what other processes write, and loses what is not synchronized; this store synchronizes
/// after each change there. Changes that are made around it are seen on Apple's systems as soon as they are announced,
/// elsewhere by ``refresh()``.
public final class UserDefaultsStore: DefaultsStore, ObjectSavable {
  private let shared: SharedDefaults
  private let domain: String
  private let known: ObservedValues
  private let reports: @Sendable (DefaultsError) -> Void
  #if canImport(Darwin)
    private let synchronizes = false
    private let announcements: Announcements
  #else
    private let synchronizes = true
  #endif

  /// The defaults of a suite; nil if there can be none of that name.
  public convenience init?(
    suiteName: String, reports: @escaping @Sendable (DefaultsError) -> Void = DefaultsReports.standardError
  ) {
    guard let defaults = UserDefaults(suiteName: suiteName) else { return nil }
    self.init(defaults, domain: suiteName, reports: reports)
  }

  /// Defaults that are there already.
  /// - Parameters:
  ///   - defaults: the defaults.
  ///   - domain: the name of what they change: the suite's, or for the standard ones the bundle's identifier.
  ///   - reports: who is told what went wrong.
  public init(
    _ defaults: UserDefaults, domain: String,
    reports: @escaping @Sendable (DefaultsError) -> Void = DefaultsReports.standardError
  ) {
    shared = SharedDefaults(defaults)
    self.domain = domain
    self.reports = reports
    known = ObservedValues(shared.values(in: domain))
    #if canImport(Darwin)
      announcements = Announcements()
      announcements.begin { [weak self] in
        // Not while this thread is writing: then the change is its own.
        try? self?.refresh()
      }
    #endif
  }

  /// What is stored for a key, or registered as its default; nil if there is nothing.
  public func rawValue(for key: String) -> PropertyListValue? {
    shared.withLock { $0.object(forKey: key).flatMap(PropertyListValue.init(foundation:)) }
  }

  /// All values that are stored, at one moment.
  public func snapshot() -> DefaultsSnapshot {
    // What others write is not of one moment; what is written by this store is.
    known.snapshot()
  }

  /// Stores an object, or removes what is there if it is nil.
  /// - Throws: `DefaultsError` for what `UserDefaults` cannot hold, and where it cannot be synchronized.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    try write([(key, value)], origin)
  }

  /// Changes several keys at once.
  /// - Throws: as ``setRawValue(_:for:origin:)``, and what the closure throws.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try known.write { writer in
      writer.replace(shared.values(in: domain), origin: .external)
      var transaction = DefaultsTransaction(known.snapshot())
      let result = try body(&transaction)
      try put(transaction.changedValues, origin, &writer)
      return result
    }
  }

  private func write(_ changes: [(key: String, value: PropertyListValue?)], _ origin: ChangeOrigin) throws {
    try known.write { try put(changes, origin, &$0) }
  }

  private func put(
    _ changes: [(key: String, value: PropertyListValue?)], _ origin: ChangeOrigin,
    _ writer: inout ObservedValues.Writer
  ) throws {
    // First all that may fail.
    let objects = try changes.map { key, value in (key, try value.map { try $0.foundation(for: key) }) }
    shared.withLock { defaults in
      for (key, object) in objects {
        if let object { defaults.set(object, forKey: key) } else { defaults.removeObject(forKey: key) }
      }
    }
    writer.set(changes, origin: origin)
    if synchronizes, !shared.withLock({ $0.synchronize() }) {
      throw DefaultsError(
        .cannotWrite, "UserDefaults could not be synchronized", remedy: "The changes are in memory only")
    }
  }

  /// Calls a function whenever one of some keys was changed.
  public func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    known.observe(keys, initial: initial, ignoring: origin, handler)
  }

  /// Changes of some keys to be waited for.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    known.changes(of: keys, initial: initial, ignoring: origin)
  }

  /// Looks for changes that were made around this store.
  /// - Throws: `DefaultsError` within a transaction of this store.
  public func refresh() throws {
    try known.write { $0.replace(shared.values(in: domain), origin: .external) }
  }

  /// Has the system write what it has not written yet.
  /// - Throws: `DefaultsError` if that fails.
  public func flush() throws {
    guard shared.withLock({ $0.synchronize() }) else {
      throw DefaultsError(.cannotWrite, "UserDefaults could not be synchronized")
    }
  }

  /// Tells of something that went wrong and that nobody could be thrown.
  public func report(_ error: DefaultsError) { reports(error) }
}
