// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// Observable values in memory with one writer at a time, as a building block for stores.
///
/// A custom store keeps the values that it reported to observers in this type, and needs no locks. It changes them
/// inside of ``write(_:)``, which notifies observers at its end.
public final class ObservedValues: Sendable {
  private let core: StoreCore

  /// Creates observable values.
  /// - Parameter values: The initial values.
  public init(_ values: PropertyListDictionary = [:]) { core = StoreCore(DefaultsSnapshot(values).merged) }

  /// Returns the value for a key.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if the key has none.
  public func rawValue(for key: String) -> PropertyListValue? { core.value(BytewiseString(key)) }

  /// Returns all values at one moment.
  /// - Returns: The values.
  public func snapshot() -> DefaultsSnapshot { DefaultsSnapshot(core.values()) }

  /// The exclusive access to change values.
  public struct Writer {
    fileprivate let core: StoreCore
    fileprivate var touched: StoreCore.Touched

    /// Sets or removes a value. Setting an equal value has no effect.
    /// - Parameters:
    ///   - value: The value, or nil to remove it.
    ///   - key: The key.
    ///   - origin: The origin of the change.
    public mutating func set(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) {
      core.set(BytewiseString(key), value, origin, &touched)
    }

    /// Sets or removes several values at once, so that no snapshot contains only a part of them.
    /// - Parameters:
    ///   - changes: The values by key, as in ``DefaultsTransaction/changedValues``. If keys are equal, the last one
    ///     counts.
    ///   - origin: The origin of the changes.
    public mutating func set(_ changes: [(key: String, value: PropertyListValue?)], origin: ChangeOrigin) {
      core.apply(Dictionary(changes.map { (BytewiseString($0.key), $0.value) }) { $1 }, origin, &touched)
    }

    /// Replaces all values.
    /// - Parameters:
    ///   - values: The new values.
    ///   - origin: The origin of the changes.
    public mutating func replace(_ values: PropertyListDictionary, origin: ChangeOrigin) {
      core.replace(DefaultsSnapshot(values).merged, origin, &touched)
    }
  }

  /// Calls a function with exclusive access, and notifies observers after it returns.
  /// - Parameter body: The function.
  /// - Returns: The result of the function.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/nestedTransaction`` if this thread has the access
  ///   already, and the errors of the function.
  public func write<Result>(_ body: (inout Writer) throws -> Result) throws -> Result {
    try core.write { touched in
      var writer = Writer(core: core, touched: touched)
      defer { touched = writer.touched }
      return try body(&writer)
    }
  }

  /// Calls a function after each change, as ``DefaultsStore/observe(_:initial:ignoring:_:)`` does.
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
    core.add(Observer(keys: keys, ignoring: origin, handler: handler), initial: initial)
  }

  /// Returns an asynchronous sequence of changes, as ``DefaultsStore/changes(of:initial:ignoring:)`` does.
  /// - Parameters:
  ///   - keys: The keys to observe; nil for all keys.
  ///   - initial: Whether to report the current values first.
  ///   - origin: The origin of changes that are not reported.
  /// - Returns: A sequence for one task.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    DefaultsChangeSequence(core, keys, initial: initial, ignoring: origin)
  }
}
