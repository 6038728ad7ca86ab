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

/// The list of what a backup folder has backups of.
///
/// Two migrated folders can have the same name, and a file can be migrated twice. So each entry of a backup folder belongs to
/// the path of one migrated file or folder. An entry has at most one backup of each file. If it has one already, the next backup
/// of the file goes into a later entry.
struct BackupIndex: Sendable, Equatable {
  /// An entry of a backup folder.
  struct Entry: Sendable, Equatable {
    /// The name in the backup folder.
    let name: FileName
    /// The names on the absolute path of the migrated file or folder.
    let origin: [FileName]

    /// Returns the names from the backup folder to the backup of a file, or nil if the entry is not for the file.
    func place(of location: [FileName]) -> [FileName]? {
      guard location.starts(with: origin) else { return nil }
      return [name] + location.dropFirst(origin.count)
    }
  }

  /// The entries in the order of their creation, so the first one with a file has its oldest backup.
  private(set) var entries: [Entry] = []

  /// Returns where the backups of a file can be, the oldest first.
  func places(of location: [FileName]) -> [[FileName]] { entries.compactMap { $0.place(of: location) } }

  /// The name of the index in a backup folder. It marks the folder, so that no migration changes the backups.
  static let fileName = FileName(".keyedarchive-backups")
  private static let version = Array("1".utf8)

  /// Reads the index of a folder; nil if it has none.
  init?(of folder: OpenFolder) throws(KeyedArchiveError) {
    let bytes: Data
    do throws(SystemFailure) {
      guard let read = try folder.read(Self.fileName) else { return nil }
      bytes = read.data
    } catch {
      guard error.isNotFound else { throw KeyedArchiveError(.fileAccess, error.text) }
      return nil
    }
    // The version, then a name and a path for each entry. No name has a NUL.
    let fields = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    guard fields.first.map(Array.init) == Self.version, !fields.count.isMultiple(of: 2) else {
      throw KeyedArchiveError(
        .fileAccess, "\(Self.fileName.text): damaged, or written by a later version",
        remedy: "Name another folder for backups; copy the backups in this one by hand")
    }
    var rest = fields.dropFirst()
    while let name = rest.popFirst(), let path = rest.popFirst() {
      entries.append(
        Entry(
          name: FileName(bytes: Array(name)),
          origin: path.split(separator: UInt8(ascii: "/")).map { FileName(bytes: Array($0)) }))
    }
  }

  private init() {}

  private var bytes: Data {
    var bytes = Data(Self.version + [0])
    for entry in entries {
      bytes.append(contentsOf: entry.name.bytes + [0])
      for name in entry.origin { bytes.append(contentsOf: [UInt8(ascii: "/")] + name.bytes) }
      bytes.append(0)
    }
    return bytes
  }

  private struct Outdated: Error {}

  /// Adds an entry for a path to the index of a folder, and returns the index. If another process has changed the index since
  /// it was read, that index is returned as it is.
  static func adding(
    _ origin: [FileName], to known: BackupIndex?, in folder: OpenFolder
  ) throws(KeyedArchiveError) -> BackupIndex {
    while true {
      let before = try BackupIndex(of: folder)
      if let before, before != known { return before }
      var index = before ?? BackupIndex()
      let name: FileName
      var status: FileStatus
      do throws(SystemFailure) {
        name = try index.unusedName(for: origin, in: folder)
        status = try folder.status()
      } catch {
        throw KeyedArchiveError(.fileNotWritten, error.text)
      }
      index.entries.append(Entry(name: name, origin: origin))
      status.permissions &= 0o666
      // The temporary file is locked, so the index does not change between the comparison and the replacement.
      let failure: SystemFailure?
      do throws(Outdated) {
        failure = try folder.replace(
          fileName, with: index.bytes, attributesOf: status, by: FileMigrationJob.temporary(for: fileName)
        ) { () throws(Outdated) in
          if (try? BackupIndex(of: folder)) != before { throw Outdated() }
        }
      } catch {
        continue
      }
      if let failure { throw KeyedArchiveError(.fileNotWritten, failure.text) }
      do throws(SystemFailure) {
        try folder.flush()
      } catch {
        throw KeyedArchiveError(.fileNotWritten, error.text)
      }
      return index
    }
  }

  /// Returns the last name of a path, with a number if the folder has it already.
  private func unusedName(for origin: [FileName], in folder: OpenFolder) throws(SystemFailure) -> FileName {
    let wanted = origin.last ?? FileName("root")
    var name = wanted
    var number = 1
    while true {
      let isUsed = entries.contains { $0.name == name }
      if !isUsed, try !folder.has(name) { return name }
      number += 1
      name = FileName(bytes: wanted.bytes + Array(".\(number)".utf8))
    }
  }
}

extension OpenFolder {
  /// Reads a file in a folder of this one; nil if the file does not exist.
  func read(at place: [FileName], limit: Int = .max) throws(SystemFailure) -> (data: Data, status: FileStatus)? {
    do throws(SystemFailure) {
      var folder = self
      for name in place.dropLast() { folder = try folder.folder(name) }
      return try place.last.flatMap { name throws(SystemFailure) in try folder.read(name, limit: limit) }
    } catch {
      guard error.isNotFound else { throw error }
      return nil
    }
  }
}
