// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// A store of property-list values by key that can be observed.
///
/// A key is any string, and two keys are equal if their bytes are. Reading never waits for a disk or another process, except in
/// a ``UserDefaultsStore``. It sees changes by other processes after ``refresh()``, or after the store itself has read them. Stores can be used
/// from any thread.
///
/// Most code uses the typed functions, such as ``value(for:)`` and ``set(_:for:origin:)``. To check a custom store, use
/// `StoreConformance` of the module `TypedDefaultsTesting`.
public protocol DefaultsStore: AnyObject, Sendable {
  /// Returns the stored property-list value for a key.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  func rawValue(for key: String) -> PropertyListValue?

  /// Returns the property-list value that a change of a key replaces. A change in place starts from it.
  ///
  /// By default it is the stored value. A ``LayeredStore`` returns none of a layer with priority over the changed one, because a
  /// change in place would copy it. A store that forwards calls to another store also forwards this one.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  func replacedValue(for key: String) -> PropertyListValue?

  /// Returns all values at one moment.
  /// - Returns: The values.
  func snapshot() -> DefaultsSnapshot

  /// Stores or removes a property-list value. Storing an equal value does not count as a change.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError``. The store is then unchanged, unless the code is ``DefaultsError/Code/notDurable``.
  func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws

  /// Changes several keys at once: in one write, with one notification, and without changes by others in between.
  /// - Parameters:
  ///   - origin: The origin to report to observers.
  ///   - body: A function that makes the changes. It sees its own changes.
  /// - Returns: The result of the function.
  /// - Throws: ``DefaultsError`` and the errors of the function. The store is then unchanged, unless the code is
  ///   ``DefaultsError/Code/notDurable``.
  func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result

  /// Calls a function after each change of the given keys, also by other threads and processes.
  ///
  /// The store calls the function on the thread that made the change, or on a thread that is already delivering
  /// changes, and never concurrently. Changes during a call are delivered after it. Each key is reported once with its
  /// last value. The function can write to the store.
  ///
  /// A change with the ignored origin is reported if the function is handling another change of the key. The function could
  /// use the older value last. If it changes the key again while it handles such a report, on the same thread, that change is
  /// not reported. A function that ignores no origin is called for each change that it makes itself, also for one that sets the
  /// former value again.
  /// - Parameters:
  ///   - keys: The keys to observe; nil for all keys.
  ///   - initial: Whether to report the current values first.
  ///   - origin: The origin of changes that are not reported.
  ///   - handler: The function.
  /// - Returns: The observation, which ends when it is released or canceled.
  func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation

  /// Returns an asynchronous sequence of changes. Until a task requests them, each key is kept once with its last
  /// value.
  /// - Parameters:
  ///   - keys: The keys to observe; nil for all keys.
  ///   - initial: Whether to report the current values first.
  ///   - origin: The origin of changes that are not reported.
  /// - Returns: A sequence for one task.
  func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence

  /// Reads changes by other processes now.
  /// - Throws: ``DefaultsError`` if the store cannot be read. Its values are then unchanged.
  func refresh() throws

  /// Writes deferred changes now.
  /// - Throws: ``DefaultsError`` if the store cannot be written. It tries again later.
  func flush() throws

  /// Reports an error of a function that does not throw.
  /// - Parameter error: The error.
  func report(_ error: DefaultsError)
}

extension DefaultsStore {
  /// The key of the names of the migrations that ran.
  public static var migrationsKey: String { "TypedDefaults.migrations" }

  /// Returns the stored property-list value for a key.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  public func replacedValue(for key: String) -> PropertyListValue? { rawValue(for: key) }

  /// Stores or removes a property-list value.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  /// - Throws: ``DefaultsError``. The store is then unchanged.
  public func setRawValue(_ value: PropertyListValue?, for key: String) throws {
    try setRawValue(value, for: key, origin: .program)
  }

  /// Changes several keys at once.
  /// - Parameter body: A function that makes the changes.
  /// - Returns: The result of the function.
  /// - Throws: ``DefaultsError`` and the errors of the function. The store is then unchanged.
  public func update<Result>(_ body: (inout DefaultsTransaction) throws -> Result) throws -> Result {
    try update(origin: .program, body)
  }

  /// Removes the values of several keys at once.
  /// - Parameters:
  ///   - keys: The keys.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError``. The store is then unchanged.
  public func remove(_ keys: [String], origin: ChangeOrigin = .program) throws {
    try update(origin: origin) { for key in keys { $0.setRawValue(nil, for: key) } }
  }

  /// Removes all values at once, also the record of migrations, which then run again.
  /// - Parameter origin: The origin to report to observers.
  /// - Throws: ``DefaultsError``. The store is then unchanged.
  public func removeAll(origin: ChangeOrigin = .program) throws {
    try update(origin: origin) { for key in $0.keys { $0.setRawValue(nil, for: key) } }
  }

  /// The keys with a value, in the order of their bytes.
  public var keys: [String] { snapshot().keys }
}

/// Functions for the errors that stores report.
public enum DefaultsReports {
  /// A function that writes a line to the standard error. Stores use it by default.
  public static let standardError: @Sendable (DefaultsError) -> Void = { FileCalls.complain(line("\($0)")) }

  /// Returns a line for a terminal. Untrusted keys and file names can contain characters that control the terminal or
  /// reorder text, which it escapes.
  static func line(_ text: String) -> String { "TypedDefaults: " + EscapedText.plain(text) }
}
