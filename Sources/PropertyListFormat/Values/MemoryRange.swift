// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The memory of the bytes of a string or data, which copies of the value share.
///
/// It identifies the bytes as long as one of the copies exists. Finding it takes no longer for long values.
package struct MemoryRange: Hashable, Sendable {
  private let address: UInt
  private let count: Int

  /// Creates the range of a string's bytes; nil for a few bytes, which are in the value itself.
  package init?(_ text: String) {
    guard let address = text.address else { return nil }
    (self.address, count) = (address, text.utf8.count)
  }

  /// Creates the range of the bytes of data; nil for a few bytes, which are in the value itself.
  package init?(_ data: Data) {
    guard let address = data.address else { return nil }
    (self.address, count) = (address, data.count)
  }
}
