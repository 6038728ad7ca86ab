// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A store whose observers receive the changes of a `StoreCore`.
protocol ObservedStore: DefaultsStore {
  var core: StoreCore { get }

  /// Adds values to the core that the store has for keys without storing them, such as registered defaults. Observers then
  /// receive them as initial and old values.
  func addUnstored(_ keys: [String])
}

extension ObservedStore {
  func addUnstored(_ keys: [String]) {}

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
    addUnstored(keys ?? [])
    return core.add(Observer(keys: keys, ignoring: origin, handler: handler), initial: initial)
  }

  /// Returns an asynchronous sequence of changes.
  /// - Parameters:
  ///   - keys: The keys to observe; nil for all keys.
  ///   - initial: Whether to report the current values first.
  ///   - origin: The origin of changes that are not reported.
  /// - Returns: A sequence for one task.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    addUnstored(keys ?? [])
    return DefaultsChangeSequence(core, keys, initial: initial, ignoring: origin)
  }
}
