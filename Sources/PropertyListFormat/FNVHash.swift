// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The 64-bit hash FNV-1a (<https://www.rfc-editor.org/rfc/rfc9923>).
///
/// Unlike `Hasher`, it gives the same result in each process. It offers no protection against chosen collisions.
package enum FNVHash {
  /// Returns the hash of bytes.
  package static func of(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
    return hash
  }
}
