// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// How much may be shown of an archive: parts of it may be shared a million times over.
struct OutputLimit {
  /// As many times the archive's size as may be made of it in memory; small ones count as 256 KiB.
  let byteCount: Int

  init(archiveOf byteCount: Int) {
    self.byteCount = min(max(byteCount, 1 << 18), 1 << 40) * ReadLimits.default.maximumExpansion
  }

  init(_ archive: KeyedArchive) { self.init(archiveOf: archive.propertyList.bytes.count) }

  /// The error for more than that; `form` is what would be too large.
  func failure(_ form: String, remedy: String) -> Failure {
    Failure(
      .limitReached, "limitReached",
      "\(form) would have more than \(byteCount) bytes, for the archive's parts are shared many times over",
      remedy: remedy)
  }
}
