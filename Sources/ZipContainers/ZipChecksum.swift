// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The checksum and the size that a container has of each file, such as ``ZipEntry/crc32``.
package struct ZipChecksum {
  private var crc = CRC32()
  /// The number of added bytes.
  package private(set) var byteCount: UInt64 = 0

  package init() {}

  /// The checksum of all added bytes.
  package var value: UInt32 { crc.value }

  /// Adds the next bytes of a file.
  package mutating func add(_ bytes: Data) {
    byteCount += UInt64(bytes.count)
    crc.add(bytes.bytes, in: 0..<bytes.count)
  }
}
