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

/// Finds the files of a migration one by one, in the order of paths and names. Iterative, because folders may be deep.
struct MigrationWalk {
  /// A file that may be an archive.
  struct File: Sendable {
    let folder: OpenFolder
    let name: FileName
    let path: String
    /// The path of the folder, up to the last slash; for a named link, the folder of its target.
    let folderPath: String
    /// The names on the absolute path of the requested file or folder, without symbolic links.
    let origin: [FileName]
    /// The names on the absolute path of the file. Its backup is found by them.
    let location: [FileName]
    let identity: FileStatus.Identity
    /// Whether the caller named the file itself, and expects an archive.
    let isNamed: Bool
  }

  enum Item: Sendable {
    case file(File)
    /// A missing file, or a folder that cannot be listed.
    case problem(path: String, KeyedArchiveError)

    var identity: FileStatus.Identity? { if case .file(let file) = self { file.identity } else { nil } }
  }

  /// A folder that is being traversed. The folder is not kept open, because there may be many levels.
  private struct Level {
    let path: String
    /// The names from the start of the traversal.
    let names: [FileName]
    /// The remaining names, in reverse order.
    var rest: [FileName]
  }

  private var paths: ArraySlice<String>
  private let skipped: FileStatus.Identity?
  /// The names on the absolute path of the backup folder, in which no path may be.
  private let backups: [FileName]?
  private let suffix: BackupSuffix?
  private let isDryRun: Bool
  private var root: OpenFolder?
  /// The names on the absolute path of ``root``.
  private var origin: [FileName] = []
  private var levels: [Level] = []
  /// The innermost folder.
  private var folder: OpenFolder?
  /// The number of backups, devices and pipes.
  private(set) var others = 0
  private(set) var links = 0
  private(set) var leftovers = 0
  /// The number of files with the suffix of backups that are not beside an original.
  private(set) var orphans = 0

  /// The maximum depth of folders.
  private static let maximumDepth = 512

  init(
    _ paths: [String], skipping skipped: FileStatus.Identity?, outside backups: [FileName]? = nil,
    suffix: BackupSuffix?, isDryRun: Bool
  ) {
    self.paths = paths[...]
    self.skipped = skipped
    self.backups = backups
    self.suffix = suffix
    self.isDryRun = isDryRun
  }

  /// Returns the next file, or nil at the end.
  mutating func next() -> Item? {
    while true {
      while let last = levels.indices.last {
        guard let name = levels[last].rest.popLast() else {
          levels.removeLast()
          folder = nil
          continue
        }
        if let item = inspect(name, in: levels[last]) { return item }
      }
      guard let path = paths.popFirst() else { return nil }
      if let item = begin(path) { return item }
    }
  }

  // MARK: Paths

  /// Begins with a requested path.
  private mutating func begin(_ path: String) -> Item? {
    func problem(_ detail: String, remedy: String? = nil) -> Item {
      .problem(path: path, KeyedArchiveError(.fileAccess, detail, remedy: remedy))
    }
    guard !path.isEmpty, !path.contains("\0") else { return problem("no such file") }
    // A named link represents its target. The system resolves the path, because Foundation would name another file if `..`
    // follows a link to a folder, or the path begins with `~`.
    let real: FileName
    do throws(SystemError) {
      real = try Descriptor.realPath(FileName(path))
    } catch {
      return problem(
        error.reason == .notFound ? "no such file" : "could not open the file: \(error.message)")
    }
    guard real.isText else { return problem("the path of the file is not valid UTF-8") }
    let names = Self.names(of: real)
    // Later runs would leave out all that is in the folder.
    if let backups, names.starts(with: backups) {
      return problem("is in the folder for backups", remedy: "Name another folder for backups")
    }
    do throws(SystemFailure) {
      guard let name = names.last else { return try descend(OpenFolder("/"), path, names) }
      let folderPath = String(real.text.rest(before: name.text) ?? "/")
      let parent = try OpenFolder(folderPath)
      let status = try parent.status(of: name)
      switch status.kind {
      case .file:
        return .file(
          File(
            folder: parent, name: name, path: path,
            folderPath: Self.folderPath(of: path, in: names.dropLast()) ?? folderPath,
            origin: names, location: names, identity: status.identity, isNamed: true))
      case .folder: return try descend(parent.folder(name), path, names)
      case .link, .other: return problem("neither a file nor a folder")
      }
    } catch {
      return problem(error.isNotFound ? "no such file" : error.text)
    }
  }

  /// Returns the names on an absolute path.
  static func names(of path: FileName) -> [FileName] {
    path.bytes.split(separator: UInt8(ascii: "/")).map { FileName(bytes: Array($0)) }
  }

  /// Returns a requested path up to its last slash, if it leads to a folder; nil if the path is a link to another folder.
  private static func folderPath(of path: String, in folder: ArraySlice<FileName>) -> String? {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { String(path[...$0]) } ?? ""
    guard let real = try? Descriptor.realPath(FileName(start.isEmpty ? "." : start)), names(of: real)[...] == folder
    else { return nil }
    return start
  }

  private mutating func descend(
    _ opened: OpenFolder, _ path: String, _ names: [FileName]
  ) throws(SystemFailure) -> Item? {
    // In a folder that the caller did not name, backups are left out.
    guard try !opened.has(BackupIndex.fileName) else {
      return .problem(
        path: path,
        KeyedArchiveError(
          .fileAccess, "is a folder of backups", remedy: "To migrate a backup, name the file itself"))
    }
    root = opened
    folder = opened
    origin = names
    levels = [Level(path: path, names: [], rest: try listed(opened))]
    return nil
  }

  // MARK: Folders

  /// Returns the names in a folder in reverse order, without temporary files of interrupted runs, which it removes.
  private mutating func listed(_ folder: OpenFolder) throws(SystemFailure) -> [FileName] {
    var names = try folder.names()
    // The backups of an earlier run are not migrated.
    if names.contains(BackupIndex.fileName) { return [] }
    names.sort { $1 < $0 }
    guard names.contains(where: { FileMigrationJob.isTemporary($0) }) else { return names }
    return names.filter { name in
      guard FileMigrationJob.isTemporary(name) else { return true }
      if !isDryRun, (try? folder.removeLeftover(name)) == true { leftovers += 1 }
      return false
    }
  }

  private mutating func inspect(_ name: FileName, in level: Level) -> Item? {
    let path = level.path.hasSuffix("/") ? level.path + name.text : "\(level.path)/\(name.text)"
    do throws(SystemFailure) {
      let folder = try innermost(level)
      let status = try folder.status(of: name)
      switch status.kind {
      case .link: links += 1
      case .other: others += 1
      case .file:
        if let originals = suffix?.originals(of: name), !originals.isEmpty {
          others += 1
          var isOrphan = true
          for original in originals where try folder.has(original) { isOrphan = false }
          if isOrphan { orphans += 1 }
          return nil
        }
        return .file(
          File(
            folder: folder, name: name, path: path, folderPath: String(path.rest(before: name.text) ?? ""),
            origin: origin, location: origin + level.names + [name], identity: status.identity, isNamed: false))
      case .folder:
        guard status.identity != skipped else { return nil }
        guard levels.count < Self.maximumDepth else {
          return .problem(
            path: path,
            KeyedArchiveError(
              .limitReached, "folders nest deeper than \(Self.maximumDepth) levels",
              remedy: "Migrate the deepest folders by their own paths"))
        }
        let inner = try folder.folder(name)
        levels.append(Level(path: path, names: level.names + [name], rest: try listed(inner)))
        self.folder = inner
      }
    } catch {
      // Ignore files that were removed after the folder was listed.
      guard !error.isNotFound else { return nil }
      return .problem(path: path, KeyedArchiveError(.fileAccess, error.text))
    }
    return nil
  }

  /// Returns the folder of the current level; reopens it name by name after its subfolders were traversed.
  private mutating func innermost(_ level: Level) throws(SystemFailure) -> OpenFolder {
    if let folder { return folder }
    guard var opened = root else { return try OpenFolder(level.path) }
    for name in level.names { opened = try opened.folder(name) }
    folder = opened
    return opened
  }
}
