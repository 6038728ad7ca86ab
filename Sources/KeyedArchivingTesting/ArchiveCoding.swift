// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
import PropertyListFormat

/// The decoding and archiving of a fixture's type.
struct ArchiveCoding<Value>: Sendable {
  /// Decodes a value, and reports the keys that decoding did not read.
  let decode: @Sendable (Data) throws -> (value: Value, report: KeyReport)
  let encode: @Sendable (Value) throws -> Data
}
