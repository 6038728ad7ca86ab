// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools

/// The search for archives in one file after the other. Several threads can use it.
struct FileSearch: Sendable {
  /// A result of the search.
  enum Report: Sendable {
    /// The line about an archive.
    case line([UInt8])
    /// An error, and the line about it.
    case failure(String, Failure, line: [UInt8])
  }

  let schema: Int?
  let followsNested: Bool

  /// Calls `report` with each archive in a file, and with the error that ends the search.
  func visit(_ item: FolderWalk.Item, _ report: (Report) -> Void) {
    switch item {
    case .failure(let path, let failure): report(.failure(path, failure, line: line(path) { $0.error(failure) }))
    case .file(let path, let byteCount):
      visit(path, report) { () throws(Failure) in
        guard try ArchiveFinder.isCandidate(path, byteCount: byteCount, followingNested: followsNested) else {
          return nil
        }
        return try InputFile.read(path)
      }
    case .pipe(let path): visit(path, report) { () throws(Failure) in try InputFile.read(path) }
    }
  }

  /// Searches the bytes that `read` returns, if any.
  private func visit(_ path: String, _ report: (Report) -> Void, _ read: () throws(Failure) -> Data?) {
    do throws(Failure) {
      guard let data = try read() else { return }
      try ArchiveFinder.find(in: data, followingNested: followsNested) { (found) throws(Failure) in
        report(
          .line(
            line(path) { line in
              if let inside = found.inside { line.field("inside", inside) }
              line.info(found.archive, byteCount: found.byteCount)
            }))
      }
    } catch {
      report(.failure(path, error, line: line(path) { $0.error(error) }))
    }
  }

  private func line(_ path: String, _ fields: (inout JSONWriter) -> Void) -> [UInt8] {
    var line = JSONWriter()
    line.beginObject()
    if let schema { line.field("schema", schema) }
    line.field("file", path)
    fields(&line)
    line.endObject()
    line.newline()
    return line.bytes
  }
}
