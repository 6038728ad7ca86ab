// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import SystemFiles

/// A temporary file for a backup that arrives in pieces, for example from a pipe, or from another library. Reading a backup
/// needs access to all of it, so it would be in memory otherwise.
///
/// The file has no name, so nothing is left when the process ends.
package final class BackupSpool {
  private let file: OpenFile

  /// Creates the file in the system's temporary folder.
  /// - Throws: ``LibraryError``.
  package init() throws(LibraryError) {
    let url = FileManager.default.temporaryDirectory.appending(path: ".\(UUID().uuidString)")
    do {
      let name = FileName(url.path)
      let descriptor = try SystemError.repeating { () throws(SystemError) in
        try Descriptor.working.open(name, for: .locking(creates: true))
      }
      file = OpenFile(descriptor)
      try SystemError.repeating { () throws(SystemError) in try Descriptor.working.removeFile(name) }
    } catch {
      throw Self.error(error, .create, url)
    }
  }

  /// Appends bytes.
  /// - Parameter bytes: The bytes.
  /// - Throws: ``LibraryError``.
  package func write(_ bytes: Data) throws(LibraryError) {
    do {
      try file.append(bytes)
    } catch {
      throw Self.error(error, .write, FileManager.default.temporaryDirectory)
    }
  }

  /// The bytes so far.
  package func source() -> BackupSource { BackupSource(file) }

  private static func error(_ error: SystemError, _ call: StorageError.Call, _ url: URL) -> LibraryError {
    let storage = DiskStorage(url.deletingLastPathComponent())
    let name = StorageName(url.lastPathComponent)
    var result = LibraryError(StorageError(StorageError.Reason(error), call, .root / name), .cannotWrite, in: storage)
    // The folder was not passed by the caller, so the message says why it is used.
    result.path = FileManager.default.temporaryDirectory.path
    result.detail = "\(call.words) a temporary file in the folder failed: \(StorageError.Reason(error))"
    if error.reason == .noSpace { result.remedy = "Free space there, or name a folder on another disk in TMPDIR" }
    return result
  }
}
