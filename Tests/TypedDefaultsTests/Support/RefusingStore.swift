// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import TypedDefaults

/// An empty store, all of whose functions that can fail do so, with its own error type.
final class RefusingStore: ForwardingStore {
  /// The function that failed.
  enum Refused: Error { case writing, refreshing, flushing }
  let values = MemoryStore(reports: { _ in })

  func rawValue(for key: String) -> PropertyListValue? { nil }
  func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws { throw Refused.writing }
  func update<Result>(origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result) throws -> Result {
    throw Refused.writing
  }
  func refresh() throws { throw Refused.refreshing }
  func flush() throws { throw Refused.flushing }
}
