// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import ScaryCreatures
import SystemFiles

/// The place of an output file or folder, with all links resolved.
struct OutputPlace {
  private let path: String
  private let names: [[UInt8]]

  init(_ path: String) throws(Failure) {
    self.path = path
    names = try Self.names(path)
  }

  /// Throws an error if the place is in a library's folder. The output could replace a creature's file, and no undo brings
  /// that back. With `isFolder`, the library's folder itself is wrong, too, because files are written to the output.
  func check(outside database: ScaryCreatureDatabase, isFolder: Bool = false) throws(Failure) {
    let library = try Self.names(database.folder.path)
    guard names.starts(with: library), isFolder || names.count > library.count else { return }
    throw Failure(
      .usage, "invalidValue", "'\(path)' is inside the library, whose files only the library may write",
      remedy: "Pass a place outside of \(database.folder.path)")
  }

  /// The components of the absolute path. Components that do not exist follow those of the last existing folder.
  private static func names(_ path: String) throws(Failure) -> [[UInt8]] {
    // The writer creates the missing target of a link. A circle of links is an error of the writer.
    let end = (try? WholeFile.linkEnd(of: path))?.bytes ?? Array(path.utf8)
    let absolute = end.first == 0x2F ? end : try Array((InputFile.currentFolder() + "/").utf8) + end
    let parts = absolute.split(separator: 0x2F).map { Array($0) }
    var count = parts.count
    func prefix() -> FileName { FileName(bytes: [0x2F] + Array(parts.prefix(count).joined(separator: [0x2F]))) }
    while count > 0, (try? Descriptor.working.status(of: prefix(), followingLinks: true)) == nil { count -= 1 }
    let real = try? Descriptor.realPath(prefix())
    var names = real.map { $0.bytes.split(separator: 0x2F).map { Array($0) } } ?? Array(parts.prefix(count))
    for part in parts.dropFirst(count) {
      switch part {
      case [0x2E]: break
      case [0x2E, 0x2E]: _ = names.popLast()
      default: names.append(part)
      }
    }
    return names
  }
}
