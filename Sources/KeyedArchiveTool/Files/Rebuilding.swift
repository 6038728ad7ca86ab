// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import KeyedArchiving

/// What becomes of a file that is decoded to values and archived anew.
struct Rebuilding {
  /// Why the bytes are others; nil if they are the same.
  private(set) var failure: (reason: String, detail: String)?
  /// Whether they are the same with nodes in place of all values. Found out only if they are not with values.
  private(set) var isSameFromNodes = true

  init(of data: Data, archivers: AcceptedArchivers) {
    do {
      let difference = try RebuiltArchive(of: data, archivers: archivers).difference
      failure = difference.map { ($0.name, $0.description) }
    } catch let error as KeyedArchiveError {
      failure = (error.code.name, error.description)
    } catch {
      failure = ("failed", "\(error)")
    }
    guard failure != nil else { return }
    let fromNodes = try? RebuiltArchive(of: data, makingValues: [], archivers: archivers)
    isSameFromNodes = fromNodes.map { $0.difference == nil } ?? false
  }
}
