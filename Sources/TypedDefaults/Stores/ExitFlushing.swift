// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

/// The functions that write deferred changes when the process ends.
enum ExitFlushing {
  private static let functions = Locked<[ObjectIdentifier: @Sendable () -> Void]>([:])
  private static let isInstalled: Void = ProcessEnd.install { flush() }

  /// Adds the function of a store.
  static func add(_ store: ObjectIdentifier, _ function: @escaping @Sendable () -> Void) {
    isInstalled
    functions.withLock { $0[store] = function }
  }

  /// Removes the function of a store.
  static func remove(_ store: ObjectIdentifier) { functions.withLock { _ = $0.removeValue(forKey: store) } }

  private static func flush() {
    // Without the lock, because the functions wait for threads, which can release stores.
    for function in functions.withLock({ Array($0.values) }) { function() }
  }
}
