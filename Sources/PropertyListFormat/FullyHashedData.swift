// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Data as a dictionary key. `Data` itself hashes its first bytes only, so data with equal beginnings all collide.
package struct FullyHashedData: Hashable {
  package let data: Data

  package init(_ data: Data) { self.data = data }

  package func hash(into hasher: inout Hasher) {
    let bytes = data.span
    hasher.combine(bytes.count)
    var place = 0
    while place &+ 8 <= bytes.count {
      hasher.combine(bytes.bigEndian(at: place, width: 8))
      place &+= 8
    }
    while place < bytes.count {
      hasher.combine(bytes[place])
      place &+= 1
    }
  }
}
