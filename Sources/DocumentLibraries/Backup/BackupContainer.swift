// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import ZipContainers

/// A backup, classified by its directory.
struct BackupContainer {
  /// The units, in the order of their restoration: documents by number, other entries by name, the trash.
  private(set) var units: [BackupUnit] = []
  /// The entries that no unit can have.
  private(set) var rejected: [ImportReport.Refusal] = []
  /// The folder of the Finder, if the backup has it.
  private(set) var omitted: [String] = []
  let reader: ZipReader
  private var indexes: [StoragePath: Int] = [:]
  /// The units with an unusable entry, with the reason.
  private var incomplete: [StoragePath: LibraryError] = [:]

  init(_ source: BackupSource, folderExtension: String) throws(LibraryError) {
    // A library may be large, each entry has a record in the file, and uncompressed files are read in pieces.
    reader = try source.reader(
      ZipLimits(maximumEntryCount: .max, maximumDirectoryByteCount: .max, maximumEntryByteCount: .max))
    for entry in reader.entries {
      let otherName = reader.otherName(of: entry)
      // The Finder adds its own folder to files that it compresses.
      guard otherName != nil || !entry.name.hasPrefix("__MACOSX/") else {
        omitted = ["__MACOSX"]
        continue
      }
      do throws(LibraryError) {
        guard let otherName else {
          try add(entry)
          continue
        }
        let error = LibraryError(
          .badContainer, entry.name, "inconsistent name: the entry's own header has \(otherName.debugDescription)",
          remedy: "Use another copy of the backup")
        // Without this entry, a unit of either name would be incomplete.
        for name in [entry.name, otherName] { incomplete[Self.unitPath(StoragePath(text: name))] = error }
        throw error
      } catch {
        rejected.append(.init(source: entry.name, error: error))
      }
    }
    classify(folderExtension)
  }

  /// The path of the unit that an entry belongs to.
  private static func unitPath(_ path: StoragePath) -> StoragePath {
    StoragePath(Array(path.names.prefix(path.names.first == TrashFolder.path.names.first ? 2 : 1)))
  }

  private mutating func add(_ entry: ZipEntry) throws(LibraryError) {
    let path: StoragePath
    do {
      path = StoragePath(try entry.safePath().map { StorageName($0) })
    } catch {
      throw LibraryError(error, of: entry)
    }
    let unit = Self.unitPath(path)
    if path == TrashFolder.path, entry.kind == .folder { return }
    // Some disks ignore case.
    let first = path.names.first?.bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    guard first != WorkFolder.path.names.first?.bytes, unit != TrashFolder.path else {
      throw LibraryError(
        .badContainer, entry.name, "the name is reserved", remedy: "Use another copy of the backup")
    }
    let index = indexes[unit] ?? units.count
    if index == units.count {
      indexes[unit] = index
      units.append(BackupUnit(path: unit))
    }
    let rest = Array(path.names.dropFirst(unit.names.count))
    switch entry.kind {
    case .folder where entry.byteCount > 0:
      incomplete[unit] = LibraryError(
        .badContainer, entry.name, "found a folder with content; expected a file",
        remedy: "Use another copy of the backup")
    case .folder where rest.isEmpty:
      units[index].isFolder = true
      units[index].modified = entry.modified
    case .folder, .file:
      if !rest.isEmpty { units[index].isFolder = true }
      units[index].entries.append((rest, entry))
    case .symbolicLink, .special:
      incomplete[unit] = LibraryError(
        .badContainer, entry.name, "found a link or a special file; expected a file",
        remedy: "Use another copy of the backup")
    }
  }

  /// Determines which units are documents, and sorts the units.
  private mutating func classify(_ folderExtension: String) {
    var numbers: [DocumentNumber: Int] = [:]
    for index in units.indices {
      units[index].error = incomplete[units[index].path]
      guard units[index].path.names.count == 1, let name = units[index].path.names.first else {
        units[index].place = .trash
        continue
      }
      guard units[index].isFolder,
        let (number, isCanonical) = FolderName.document(name.bytes, extension: folderExtension)
      else { continue }
      // Of two folders with one number, the one in lower case is the document.
      if let other = numbers[number] {
        guard isCanonical else { continue }
        units[other].place = .other
      }
      numbers[number] = index
      units[index].place = .document(number)
    }
    units.sort { $0.order < $1.order }
  }
}

/// An entry of a library's folder or of its trash in a backup. It is restored completely or not at all.
struct BackupUnit {
  enum Place: Equatable {
    case document(DocumentNumber), other, trash
  }

  /// The path in the library that was backed up.
  let path: StoragePath
  var place = Place.other
  /// Whether it is a folder. Otherwise it has one entry, with an empty path.
  var isFolder = false
  /// The date of the folder, if the backup has it.
  var modified: Date?
  /// The files, and the folders that the backup names, by their paths in the folder.
  var entries: [(path: [StorageName], entry: ZipEntry)] = []
  /// The reason why the unit cannot be restored.
  var error: LibraryError?

  init(path: StoragePath) { self.path = path }

  var name: String { path.description }

  /// The files without those that say nothing about a document's content.
  var files: [[StorageName]: ZipEntry] {
    let files = entries.filter { $0.entry.kind == .file && !StorageTree.isIgnored($0.path) }
    return Dictionary(files.map { ($0.path, $0.entry) }) { $1 }
  }

  /// ``files`` in the order of their paths.
  var sortedFiles: [(path: [StorageName], entry: ZipEntry)] {
    files.sorted { a, b in
      a.key.lexicographicallyPrecedes(b.key) { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
    .map { (path: $0.key, entry: $0.value) }
  }

  /// The folders inside of the unit.
  var folders: Set<[StorageName]> {
    var folders: Set<[StorageName]> = []
    for (path, entry) in entries {
      let count = entry.kind == .folder ? path.count : path.count - 1
      for depth in stride(from: 1, through: count, by: 1) { folders.insert(Array(path.prefix(depth))) }
    }
    return folders
  }

  /// The date of an entry to the second.
  static func date(_ date: Date?) -> StorageDate? {
    date.map { StorageDate(seconds: Int64($0.timeIntervalSince1970)) }
  }

  fileprivate var order: Order {
    switch place {
    case .document(let number): Order(group: 0, number: number.rawValue, name: [])
    case .other: Order(group: 1, number: 0, name: path.names.last?.bytes ?? [])
    case .trash: Order(group: 2, number: 0, name: path.names.last?.bytes ?? [])
    }
  }

  fileprivate struct Order: Comparable {
    var group: Int
    var number: Int
    var name: [UInt8]

    static func < (a: Self, b: Self) -> Bool {
      guard (a.group, a.number) == (b.group, b.number) else { return (a.group, a.number) < (b.group, b.number) }
      return a.name.lexicographicallyPrecedes(b.name)
    }
  }
}

extension StoragePath {
  /// Splits a name from a container, which may be unsafe, at its slashes.
  fileprivate init(text: String) {
    self.init(text.utf8.split(separator: UInt8(ascii: "/")).map { StorageName(bytes: Array($0)) })
  }
}

extension LibraryError {
  /// Creates the error for a file that is not a container.
  init(opening error: ZipError) {
    self.init(
      .badContainer, "the file", error.located, remedy: "Pass a file that was exported from a library",
      underlying: error)
  }

  /// Creates the error for an invalid entry of a container.
  init(_ error: ZipError, of entry: ZipEntry) {
    self.init(
      .badContainer, entry.name, error.located, remedy: error.remedy, underlying: error)
  }
}
