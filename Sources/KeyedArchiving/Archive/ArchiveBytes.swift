// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What bytes may be, as far as their beginning tells.
package enum ArchiveBytes {
  /// Whether bytes begin like a property list, binary or XML; if not, they are no archive.
  package static func mayBePropertyList(_ data: Data) -> Bool {
    if data.starts(with: "bplist".utf8) { return true }
    // Marks of byte order, and white space that somebody put in front.
    let start = data.prefix(64).drop { [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return start.starts(with: "<".utf8)
  }
}
