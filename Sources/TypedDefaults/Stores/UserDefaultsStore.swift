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
/// synchronizes after each change there, and reading waits for that.
///
/// Apple's systems notify the store of changes that other code of this process makes. They do not notify it of changes by
/// other processes: it reports these after its next transaction, notification or ``refresh()``, and ``rawValue(for:)`` has
/// them before. On other platforms, the store reads all changes that bypass it in ``refresh()`` and transactions.
///
/// The system calls its observers inside of a change of this store. They can read the store, but not change it, which is an
/// error with code ``DefaultsError/Code/nestedTransaction``. Observers of the store can change it. A thread that an observer
/// of the system waits for must not use the store.
///
/// If keys are canonically equal, such as `é` as one scalar and as two, snapshots have one of them. So have the files of other
/// platforms, which lose the value of the other key. A ``FileStore`` distinguishes them.
///
/// A key without a stored value has its registered default (`register(defaults:)`). Transactions and observers see it, too.
/// Migrations see stored values only, and ``DefaultsSnapshot/values`` has only these.
///
/// A launch argument of the program hides the stored value of its key from ``rawValue(for:)``, as it does in
/// `UserDefaults`. No argument is stored as a setting. Transactions, changes in place, snapshots and observers get the stored
/// value or the registered default. On other platforms, Foundation does not tell the registered default of such a key.
///
/// A `Float` is read as a `Double` with the same value. On other platforms, the store keeps dates in whole seconds, as the
/// files of `UserDefaults` do. These have no negative zero, so it becomes zero when the file is read again. There, the store
/// refuses dates that are infinite or not a number, because Foundation cannot read a file with them.
public final class UserDefaultsStore: ObservedStore {
  private let system: any SystemDefaults
  private let domain: String
  /// The values for observers: those of the domain, and the registered defaults of observed and changed keys.
  let core: StoreCore
  /// The values of the domain, as of the last change or refresh.
  private let stored: ContendedLocked<StoreCore.Values>
  private let unstored: UnstoredValues
  private let reports: @Sendable (DefaultsError) -> Void
  /// The observation of the system's notifications.
  private let announcements = ContendedLocked<(any Sendable)?>(nil)
  private let notices = ContendedLocked(Notices())

  private struct Notices {
    /// Whether values changed that this store has not read yet.
    var isMissed = false
    /// Other stores with missed changes. They read them after a change of this store has left its locks.
    var others: [UserDefaultsStore] = []
  }

  /// A store that sets values now. The system notifies all stores of it, on the same thread.
  private final class Setting: Sendable {
    let store: ObjectIdentifier
    private let thread = SystemThread.current
    /// The other stores that were notified; nil afterwards.
    private let others = Locked<[UserDefaultsStore]?>([])

    init(_ store: UserDefaultsStore) { self.store = ObjectIdentifier(store) }

    /// Whether the running code is a notification of these values, and not a task that was started by one.
    var isRunning: Bool { thread == SystemThread.current && others.withLock { $0 != nil } }

    func add(_ store: UserDefaultsStore) { others.withLock { $0?.append(store) } }

    func end() -> [UserDefaultsStore] {
      others.withLock { others in
        defer { others = nil }
        return others ?? []
      }
    }
  }

  @TaskLocal private static var setting: Setting?

  package init(_ system: any SystemDefaults, domain: String, reports: @escaping @Sendable (DefaultsError) -> Void) {
    self.system = system
    self.domain = domain
    self.reports = reports
    unstored = UnstoredValues(system, domain: domain)
    let values = DefaultsSnapshot(system.values(in: domain)).merged
    core = StoreCore(values)
    stored = ContendedLocked(values)
    let observation = system.observe { [weak self] in self?.takeNotice() }
    announcements.withLock { $0 = observation }
  }

  /// Reads the domain after a notification of the system.
  ///
  /// The system notifies all stores on the thread that changes a value. That thread can be the writer of another store. It
  /// must not wait for the writer of this one, because that writer can wait for it in turn. Nor must it call observers of this
  /// store, because they can use the other one.
  private func takeNotice() {
    let setting = Self.setting.flatMap { $0.isRunning ? $0 : nil }
    guard setting?.store != ObjectIdentifier(self) else { return }
    notices.withLock { $0.isMissed = true }
    if let setting { setting.add(self) } else { readMissed() }
  }

  /// Reads changes that were notified, unless a thread is writing. That thread calls this function afterwards.
  private func readMissed() {
    while notices.withLock(\.isMissed) {
      let isRead = core.writeIfIdle { touched in
        notices.withLock { $0.isMissed = false }
        read(&touched)
      }
      guard isRead else { return }
    }
  }

  private func write<Result>(_ body: (inout StoreCore.Touched) throws -> Result) throws -> Result {
    defer {
      readMissed()
      for other in takeOthers() { other.readMissed() }
    }
    return try core.write(body)
  }

  private func takeOthers() -> [UserDefaultsStore] {
    notices.withLock { notices in
      defer { notices.others = [] }
      return notices.others
    }
  }

  private func set(_ objects: [(key: String, object: Any?)]) {
    let setting = Setting(self)
    Self.$setting.withValue(setting) { system.set(objects) }
    notices.withLock { $0.others += setting.end() }
  }

  /// Returns the property-list value that is stored for a key or registered as its default.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if `UserDefaults` has none.
  public func rawValue(for key: String) -> PropertyListValue? { system.value(for: key) }

  /// Returns the property-list value that a change of a key replaces.
  /// - Parameter key: The key.
  /// - Returns: The value that the domain has now, or else the registered default.
  public func replacedValue(for key: String) -> PropertyListValue? {
    system.objects(in: domain, for: [key]).first?.object.flatMap(type(of: system).value(of:))
      ?? system.unstoredValue(for: key)
  }

  /// Returns all values of the domain, as of the last change or refresh of this store.
  public func snapshot() -> DefaultsSnapshot {
    DefaultsSnapshot(.init(values: stored.withLock { $0 }) { [unstored] in unstored.values(for: [$0]).first?.value })
  }

  /// Stores or removes a property-list value.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError`` if `UserDefaults` cannot hold the value or cannot be synchronized. The store is then
  ///   unchanged.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    try write { try put([(key, value)], origin, &$0) }
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
    try write { touched in
      read(&touched)
      let values = stored.withLock { $0 }
      let base = DefaultsSnapshot.Layer(values: values) { [system, unstored] key in
        // This store changes nothing meanwhile, so a key that had no value needs no search in the whole domain.
        values[key] == nil ? system.unstoredValue(for: key.text) : unstored.values(for: [key]).first?.value
      }
      var transaction = DefaultsTransaction(DefaultsSnapshot(base))
      let result = try body(&transaction)
      let changes = transaction.changedValues
      if !changes.isEmpty { try put(changes, origin, &touched) }
      return result
    }
  }

  /// Reads the values of the domain. The caller must hold the writer lock.
  private func read(_ touched: inout StoreCore.Touched) {
    let values = DefaultsSnapshot(system.values(in: domain)).merged
    stored.withLock { $0 = values }
    var known = values
    for key in core.values().keys where values[key] == nil { known[key] = system.unstoredValue(for: key.text) }
    core.replace(known, .external, &touched)
  }

  func addUnstored(_ keys: [String]) {
    let keys = keys.exact.filter { core.value($0) == nil }
    guard !keys.isEmpty else { return }
    for (key, value) in unstored.values(for: keys) { core.add(unstored: value, for: key) }
  }

  private func put(
    _ changes: [(key: String, value: PropertyListValue?)], _ origin: ChangeOrigin, _ touched: inout StoreCore.Touched
  ) throws {
    // The conversion comes first, because it can fail.
    var objects = try changes.map { key, value in
      (key: key, object: try value.map { try type(of: system).object(for: $0, key) })
    }
    // If the process is killed before the last key is set, migrations run again. If their record was set first, the other
    // changes would be lost.
    if let record = objects.firstIndex(where: { $0.key.hasSameBytes(as: Self.migrationsKey) }) {
      objects.append(objects.remove(at: record))
    }
    addUnstored(changes.map(\.key))
    // Not the values that the store knows, because other code can have set newer ones.
    let former = system.needsSynchronizing ? system.objects(in: domain, for: changes.map(\.key)) : []
    set(objects)
    if system.needsSynchronizing {
      do {
        try synchronize()
      } catch {
        // What a caller was told has failed must not be there after all, nor be written by a later change.
        set(former)
        throw error
      }
    }
    // Snapshots and observers get what `UserDefaults` returns, which has a double for a `Float`.
    var values: [BytewiseString: PropertyListValue?] = [:]
    for (key, object) in objects { values[BytewiseString(key)] = .some(object.flatMap(type(of: system).value(of:))) }
    stored.withLock { for (key, value) in values { $0[key] = value } }
    for (key, value) in values where value == nil { values[key] = .some(system.unstoredValue(for: key.text)) }
    core.apply(values, origin, &touched)
  }

  /// Reads changes that bypassed this store.
  /// - Throws: ``DefaultsError`` inside of a transaction of this store.
  public func refresh() throws {
    try write { read(&$0) }
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

/// The values that `UserDefaults` has for keys that a domain lacks, such as registered defaults.
private final class UnstoredValues: Sendable {
  private let system: any SystemDefaults
  private let domain: String
  /// The values found so far. `UserDefaults` does not return that of a key with a stored value.
  private let found = ContendedLocked<StoreCore.Values>([:])

  init(_ system: any SystemDefaults, domain: String) {
    self.system = system
    self.domain = domain
  }

  /// Returns the values of those keys that have one.
  func values(for keys: [BytewiseString]) -> [(key: BytewiseString, value: PropertyListValue)] {
    let current = system.unstoredValues(in: domain, for: keys.map(\.text))
    return found.withLock { found in
      for (key, value) in current { found[BytewiseString(key)] = value }
      return keys.compactMap { key in found[key].map { (key, $0) } }
    }
  }
}

#if canImport(Darwin)
  extension UserDefaultsStore {
    /// The store of `UserDefaults.standard`.
    package static let ofProgram = UserDefaultsStore(
      SharedDefaults(.standard), domain: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
      reports: DefaultsReports.standardError)
  }
#endif
