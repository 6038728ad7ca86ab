// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchives
import KeyedArchiving

/// Archives as graphs.
enum ArchiveDoor {
  static func enter(_ bytes: Data) throws {
    guard let archive = try? KeyedArchive(bytes, archivers: .any) else { return }
    let findings = archive.check()
    guard !findings.contains(where: { $0.severity == .error }) else { return }
    let again = try KeyedArchive(archive.data(), archivers: .any)
    guard again.objectCount == archive.objectCount, again.topKeys == archive.topKeys else {
      throw Breach("an archive that is written and opened holds something else")
    }
    guard again.check().map(\.code) == findings.map(\.code) else {
      throw Breach("an archive that is written and opened has other faults")
    }
  }
}
