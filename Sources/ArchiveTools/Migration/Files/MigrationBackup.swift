// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// Where old files are kept. A file that is there already is never written over; one with the same bytes is the one that a
/// killed run kept.
struct MigrationBackup: Sendable {
  private let folder: OpenFolder?
  private let path: String
  /// Which folder it is.
  let folderIdentity: FileStatus.Identity?
  /// What the names of files that are kept beside the new ones end with.
  let suffix: [UInt8]?

  init(_ backup: FileMigration.Backup, isDryRun: Bool) throws(KeyedArchiveError) {
    switch backup {
    case .none: (folder, path, folderIdentity, suffix) = (nil, "", nil, nil)
    case .beside(let suffix):
      guard FileName("x" + suffix).isPlain, !suffix.isEmpty else {
        throw KeyedArchiveError(.fileAccess, "'\(suffix)' is no suffix of a file's name")
      }
      (folder, path, folderIdentity, self.suffix) = (nil, "", nil, Array(suffix.utf8))
    case .folder(let url):
      suffix = nil
      path = url.path
      do {
        if !isDryRun { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
      } catch {
        throw KeyedArchiveError(.fileNotWritten, "could not make the folder \(url.path): \(error)")
      }
      var opened: OpenFolder?
      var identity: FileStatus.Identity?
      do throws(SystemFailure) {
        opened = try OpenFolder(url.path)
        identity = try opened?.status().identity
      } catch {
        guard isDryRun, error.isNotFound else { throw KeyedArchiveError(.fileNotWritten, "\(url.path): \(error.text)") }
      }
      (folder, folderIdentity) = (opened, identity)
    }
  }

  /// Keeps a file that is about to be replaced, and returns where.
  func keep(_ file: MigrationWalk.File, _ status: FileStatus, _ data: Data) throws(KeyedArchiveError) -> String? {
    do throws(SystemFailure) {
      if let suffix {
        let place = try keep(file, status, data, in: file.folder, FileName(bytes: file.name.bytes + suffix))
        return file.folderPath + place.text
      }
      guard var target = folder else { return nil }
      for name in file.names.dropLast() { target = try target.makeFolder(name) }
      let place = try keep(file, status, data, in: target, file.name)
      return ([path] + file.names.dropLast().map(\.text) + [place.text]).joined(separator: "/")
    } catch {
      throw KeyedArchiveError(
        .fileNotWritten, "the old file cannot be kept: \(error.text)", remedy: "Keep old files in another place")
    }
  }

  private func keep(
    _ file: MigrationWalk.File, _ status: FileStatus, _ data: Data, in target: OpenFolder, _ wanted: FileName
  ) throws(SystemFailure) -> FileName {
    var count = 1
    while true {
      let name = count == 1 ? wanted : FileName(bytes: wanted.bytes + Array(".\(count)".utf8))
      do throws(SystemFailure) {
        try file.folder.link(file.name, to: target, as: name)
        target.flush()
        return name
      } catch {
        if error.isNoLink, try !isThere(name, in: target) { return try copy(data, status, to: target, name) }
        guard error.isTaken || error.isNoLink else { throw error }
        if let kept = try target.read(name, limit: data.count + 1), kept.data == data { return name }
        count += 1
        guard count < 10_000 else { throw error }
      }
    }
  }

  private func isThere(_ name: FileName, in folder: OpenFolder) throws(SystemFailure) -> Bool {
    do {
      _ = try folder.status(of: name)
      return true
    } catch {
      guard error.isNotFound else { throw error }
      return false
    }
  }

  /// Where a file cannot have a second name, as on another disk.
  private func copy(
    _ data: Data, _ status: FileStatus, to folder: OpenFolder, _ name: FileName
  ) throws(SystemFailure) -> FileName {
    let temporary = FileMigrationJob.temporary(for: name)
    let failure = folder.replace(name, with: data, attributesOf: status, by: temporary) { () throws(Never) in }
    if let failure { throw failure }
    folder.flush()
    return name
  }
}
