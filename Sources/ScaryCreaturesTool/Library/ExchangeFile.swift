// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries

/// A file that a command imports or verifies.
enum ExchangeFile {
  /// A file of `export`. Only one from a pipe, which has no random access, is in memory.
  case backup(BackupSource)
  case other(Data)

  /// Opens a file, and recognizes one of `export` by the first bytes of a ZIP file.
  init(_ path: String, on console: Console) throws(Failure) {
    let signature: [UInt8] = [0x50, 0x4B]
    if FileKind(path) == .file, try InputFile.read(path, at: 0, count: 2).elementsEqual(signature) {
      do {
        self = .backup(try BackupSource(contentsOf: URL(filePath: path)))
      } catch {
        throw Failure(error)
      }
      return
    }
    let data = try InputFile.read(path, on: console)
    self = data.starts(with: signature) ? .backup(BackupSource(data)) : .other(data)
  }
}
