// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import TypedDefaults

/// A store for tests that does what a store in memory does, except for what it implements itself.
protocol ForwardingStore: DefaultsStore {
  var values: MemoryStore { get }
}

extension ForwardingStore {
  func rawValue(for key: String) -> PropertyListValue? { values.rawValue(for: key) }
  func snapshot() -> DefaultsSnapshot { values.snapshot() }
  func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    try values.setRawValue(value, for: key, origin: origin)
  }
  func update<Result>(origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result) throws -> Result {
    try values.update(origin: origin, body)
  }
  func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation { values.observe(keys, initial: initial, ignoring: origin, handler) }
  func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    values.changes(of: keys, initial: initial, ignoring: origin)
  }
  func refresh() throws {}
  func flush() throws {}
  func report(_ error: DefaultsError) { values.report(error) }
}
