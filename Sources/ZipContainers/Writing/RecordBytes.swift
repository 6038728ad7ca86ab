// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Records in the making: numbers with their lowest byte first (APPNOTE 4.4.1.1).
struct RecordBytes {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: number))
    bytes.append(UInt8(truncatingIfNeeded: number >> 8))
  }

  mutating func append(_ number: UInt32) {
    append(UInt16(truncatingIfNeeded: number))
    append(UInt16(truncatingIfNeeded: number >> 16))
  }

  mutating func append(_ number: UInt64) {
    append(UInt32(truncatingIfNeeded: number))
    append(UInt32(truncatingIfNeeded: number >> 32))
  }

  mutating func append(_ more: [UInt8]) { bytes += more }
}
