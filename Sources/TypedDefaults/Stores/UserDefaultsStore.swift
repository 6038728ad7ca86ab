// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(Darwin)
  import Foundation
#endif
public import PropertyListFormat
import SystemFiles

/// Foundation's `UserDefaults` as a store.
///
/// On Apple's systems it is the default store of a program, ``StandardDefaults/store``. The module
/// `TypedDefaultsFoundation` has `UserDefaultsStore.standard`, and creates stores of suites and of other `UserDefaults`.
///
/// Use it for settings of apps on Apple's platforms. On other platforms a ``FileStore`` is better: there `UserDefaults`
/// does not see changes by other processes and loses values that are not synchronized. Therefore this store
/// synchronizes after each change there. The store sees changes that bypass it after the system's notification on
/// Apple's platforms, and after ``refresh()`` on others.
///
/// A `Float` is read as a `Double` with the same value. On other platforms, the store keeps dates in whole seconds, as the
/// files of `UserDefaults` do. These have no negative zero, so it becomes zero when the file is read again.
public final class UserDefaultsStore: DefaultsStore {
  private let system: any SystemDefaults
  private let domain: String
  private let known: ObservedValues
  private let reports: @Sendable (DefaultsError) -> Void
  /// The observation of the system's notifications.
  private let announcements = ContendedLocked<(any Sendable)?>(nil)

  package init(_ system: any SystemDefaults, domain: String, reports: @escaping @Sendable (DefaultsError) -> Void) {
    self.system = system
    self.domain = domain
    self.reports = reports
    known = ObservedValues(system.values(in: domain))
    let observation = system.observe { [weak self] in
      // This fails while the thread is writing. The notification is then about its own change.
      try? self?.refresh()
    }
    announcements.withLock { $0 = observation }
  }

  /// Returns the property-list value that is stored for a key or registered as its default.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if `UserDefaults` has none.
  public func rawValue(for key: String) -> PropertyListValue? {
    system.withLock { $0.object(forKey: key).flatMap(type(of: system).value(of:)) }
  }

  /// Returns all values of the domain, as of the last change or refresh of this store.
  public func snapshot() -> DefaultsSnapshot { known.snapshot() }

  /// Stores or removes a property-list value.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError`` if `UserDefaults` cannot hold the value or cannot be synchronized. The store is then
  ///   unchanged.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    try known.write { try put([(key, value)], origin, &$0) }
  }

  /// Changes several keys at once.
  /// - Parameters:
  ///   - origin: The origin to report to observers.
  ///   - body: A function that makes the changes. It sees its own changes.
  /// - Returns: The result of the function.
  /// - Throws: The errors of ``setRawValue(_:for:origin:)`` and of the function.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try known.write { writer in
      writer.replace(system.values(in: domain), origin: .external)
      var transaction = DefaultsTransaction(known.snapshot())
      let result = try body(&transaction)
      try put(transaction.changedValues, origin, &writer)
      return result
    }
  }

  private func put(
    _ changes: [(key: String, value: PropertyListValue?)], _ origin: ChangeOrigin,
    _ writer: inout ObservedValues.Writer
  ) throws {
    // The conversion comes first, because it can fail.
    let objects = try changes.map { key, value in
      (key: key, object: try value.map { try type(of: system).object(for: $0, key) })
    }
    // Not the values that the store knows, because other code can have set newer ones.
    let former = system.needsSynchronizing ? system.objects(in: domain, for: changes.map(\.key)) : []
    system.set(objects)
    if system.needsSynchronizing {
      do {
        try synchronize()
      } catch {
        // What a caller was told has failed must not be there after all, nor be written by a later change.
        system.set(former)
        throw error
      }
    }
    // Observers get what `UserDefaults` returns, which has a double for a `Float`.
    writer.set(objects.map { ($0.key, $0.object.flatMap(type(of: system).value(of:))) }, origin: origin)
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
    known.observe(keys, initial: initial, ignoring: origin, handler)
  }

  /// Returns an asynchronous sequence of changes.
  /// - Parameters:
  ///   - keys: The keys to observe; nil for all keys.
  ///   - initial: Whether to report the current values first.
  ///   - origin: The origin of changes that are not reported.
  /// - Returns: A sequence for one task.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    known.changes(of: keys, initial: initial, ignoring: origin)
  }

  /// Reads changes that bypassed this store.
  /// - Throws: ``DefaultsError`` inside of a transaction of this store.
  public func refresh() throws {
    try known.write { $0.replace(system.values(in: domain), origin: .external) }
  }

  /// Makes the system write its deferred changes.
  /// - Throws: ``DefaultsError`` if that fails.
  public func flush() throws { try synchronize() }

  private func synchronize() throws {
    guard !system.withLock({ $0.synchronize() }) else { return }
    throw DefaultsError(
      .cannotWrite, "UserDefaults cannot be synchronized: no file has the changes",
      remedy: "Check the permissions of the preferences folder")
  }

  /// Reports an error of a function that does not throw.
  /// - Parameter error: The error.
  public func report(_ error: DefaultsError) { reports(error) }
}

#if canImport(Darwin)
  extension UserDefaultsStore {
    /// The store of `UserDefaults.standard`.
    package static let ofProgram = UserDefaultsStore(
      SharedDefaults(.standard), domain: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
      reports: DefaultsReports.standardError)
  }
#endif
