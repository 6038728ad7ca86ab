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

/// The folder that `migrate --backup` copies old files to.
struct OldFiles {
  private let path: String
  private let folder: OpenFolder

  /// Opens the folder, and creates it if it does not exist.
  init(_ path: String) throws(Failure) {
    self.path = path
    let url = try URL(argument: path, isFolder: true)
    folder = try Self.attempt(path) { () throws(SystemFailure) in try .making(url.absoluteURL) }
  }

  /// Keeps an old file, without replacing one that was kept earlier. A repeated migration finds the same file.
  func keep(_ number: DocumentNumber, _ bytes: Data) throws(Failure) {
    let folderName = "\(number).\(ScaryCreatureData.folderExtension)"
    try Self.attempt("\(path)/\(folderName)") { () throws(SystemFailure) in
      let folder = try folder.makeFolder(FileName(folderName))
      var name = ScaryCreatureData.dataFileName
      var count = 1
      while try folder.has(FileName(name)) {
        if try folder.read(FileName(name), limit: bytes.count + 1)?.data == bytes { return }
        count += 1
        name = "Data \(count).plist"
      }
      try folder.write(bytes, to: FileName(name))
    }
  }

  private static func attempt<Result>(
    _ place: String, _ body: () throws(SystemFailure) -> Result
  ) throws(Failure) -> Result {
    do {
      return try body()
    } catch {
      throw Failure(
        .notWritten, "cannotWrite", error.text, place: [place],
        remedy: "Pass a folder that you may write to, on a disk with free space")
    }
  }
}
