// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat
import SystemFiles

/// A store that combines two stores: values of the overrides replace values of the base.
///
/// Examples are launch arguments over saved values, or temporary values over real ones:
///
/// ```swift
/// let store = LayeredStore(MemoryStore(["launches": 1000]), over: try FileStore(at: url))
/// let sandbox = LayeredStore(MemoryStore(), over: store, changing: .overrides)
/// ```
///
/// Changes go to one of the two stores. Removing a value there reveals the value of the other store, if it has one. If the
/// overrides have a value for a key, they hide a changed value of the base. It is stored, but readers and observers do not
/// get it. A change in place, such as ``DefaultsStore/modify(_:origin:_:)``, then starts from the value of the base.
public final class LayeredStore: ObservedStore {
  /// One of the two stores.
  public enum Layer: Sendable, Hashable {
    /// The store with priority.
    case overrides
    /// The store for all other keys.
    case base
  }

  /// The store with priority.
  public let overrides: any DefaultsStore
  /// The store for all other keys.
  public let base: any DefaultsStore
  private let changed: Layer
  /// The combined values that were reported to observers.
  let core: StoreCore
  private let observations: ContendedLocked<[DefaultsObservation]>

  /// Creates a store that combines two stores.
  /// - Parameters:
  ///   - overrides: The store with priority.
  ///   - base: The store for all other keys.
  ///   - changed: The store to which changes go.
  public init(_ overrides: any DefaultsStore, over base: any DefaultsStore, changing changed: Layer = .base) {
    self.overrides = overrides
    self.base = base
    self.changed = changed
    core = StoreCore()
    observations = ContendedLocked([])
    let found = [overrides, base].map { layer in
      layer.observe(nil, initial: false, ignoring: nil) { [weak self] in self?.follow($0) }
    }
    observations.withLock { $0 = found }
    // Not as initial changes of the layers: another thread can be the one that delivers these, after this function. The
    // call cannot throw, because this thread has no lock of this store.
    try? core.write { touched in core.replace(snapshot().merged, .external, &touched) }
  }

  /// Reports changes of a layer to observers.
  private func follow(_ changes: DefaultsChanges) {
    // This cannot throw: no caller's function runs while this thread holds the writer lock.
    try? core.write { touched in
      for change in changes.changes {
        // The current value, because both layers can change at the same time.
        core.set(BytewiseString(change.key), rawValue(for: change.key), change.origin, &touched)
      }
    }
  }

  private var target: any DefaultsStore { changed == .base ? base : overrides }

  /// Returns the property-list value for a key.
  /// - Parameter key: The key.
  /// - Returns: The value of the overrides, or else that of the base; nil if neither has one.
  public func rawValue(for key: String) -> PropertyListValue? {
    overrides.rawValue(for: key) ?? base.rawValue(for: key)
  }

  /// Returns the property-list value that a change of a key replaces.
  /// - Parameter key: The key.
  /// - Returns: The value of the base if changes go to it, and otherwise that of the overrides, or else that of the base.
  public func replacedValue(for key: String) -> PropertyListValue? {
    switch changed {
    case .overrides: overrides.replacedValue(for: key) ?? base.rawValue(for: key)
    case .base: base.replacedValue(for: key)
    }
  }

  /// Returns the combined values of both stores.
  public func snapshot() -> DefaultsSnapshot {
    DefaultsSnapshot(overrides.snapshot(), over: base.snapshot(), changing: changed)
  }

  func addUnstored(_ keys: [String]) {
    for key in keys.exact where core.value(key) == nil {
      // A stored value comes from the store that holds it, as a change.
      guard let value = rawValue(for: key.text), snapshot().storedOnly.value(key) == nil else { continue }
      core.add(unstored: value, for: key)
    }
  }

  /// Stores or removes a property-list value in the store to which changes go.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: The errors of that store.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    try target.setRawValue(value, for: key, origin: origin)
  }

  /// Changes several keys at once in the store to which changes go.
  /// - Parameters:
  ///   - origin: The origin to report to observers.
  ///   - body: A function that makes the changes. It sees its own changes as this store will show them. For example, a value
  ///     of the overrides hides a changed one of the base.
  /// - Returns: The result of the function.
  /// - Throws: The errors of that store and of the function.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try target.update(origin: origin) { inner in
      let (result, changes) = try DefaultsTransaction.run(on: snapshot(), body)
      for (key, value) in changes { inner.setRawValue(value, for: key.text) }
      return result
    }
  }

  /// Reads changes by other processes now.
  /// - Throws: The error of a store, after both have tried: that of the overrides if both fail.
  public func refresh() throws { try both { try $0.refresh() } }

  /// Writes deferred changes now.
  /// - Throws: The error of a store, after both have tried: that of the overrides if both fail.
  public func flush() throws { try both { try $0.flush() } }

  /// Calls a function with both stores, with the second one also if the first one fails.
  private func both(_ body: (any DefaultsStore) throws -> Void) throws {
    let first = Result { try body(overrides) }
    let second = Result { try body(base) }
    try first.get()
    try second.get()
  }

  /// Reports an error of a function that does not throw to the store to which changes go.
  /// - Parameter error: The error.
  public func report(_ error: DefaultsError) { target.report(error) }
}
