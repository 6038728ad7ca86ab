// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a library does with a storage, made of its single steps. Interrupted steps are taken again.
struct StorageSteps: Sendable {
  let storage: any DocumentStorage

  /// Takes a step until no signal comes in between.
  func step<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
    while true {
      do {
        return try body()
      } catch {
        guard error.reason == .interrupted else { throw error }
      }
    }
  }

  /// What is at a path; nil if nothing is.
  func status(of path: StoragePath) throws(StorageError) -> StorageStatus? {
    do {
      return try step { () throws(StorageError) in try storage.status(of: path) }
    } catch {
      guard error.reason == .notFound else { throw error }
      return nil
    }
  }

  /// The entries of a folder, sorted, so that what is done with them is done in one order everywhere.
  func entries(of folder: StoragePath) throws(StorageError) -> [(name: StorageName, kind: StorageStatus.Kind)] {
    var entries: [(name: StorageName, kind: StorageStatus.Kind)] = []
    try step { () throws(StorageError) in
      entries = []
      try storage.list(folder) { name, kind in
        entries.append((StorageName(bytes: name.indices.map { name[$0] }), kind))
      }
    }
    entries.sort { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
    for index in entries.indices where entries[index].kind == .unknown {
      entries[index].kind = try status(of: folder / entries[index].name)?.kind ?? .unknown
    }
    return entries
  }

  /// A file's content, of which there may be at most `limit` bytes.
  /// - Returns: nil if there is more.
  func read(_ path: StoragePath, limit: Int) throws(StorageError) -> Data? {
    let file = try step { () throws(StorageError) in try storage.open(path) }
    defer { try? storage.close(file) }
    var bytes = Data()
    while bytes.count <= limit {
      let count = try at(path) { () throws(StorageError) in try storage.read(file, into: &bytes, atMost: 1 << 16) }
      if count == 0 { return bytes }
    }
    return nil
  }

  /// Makes a file with a content, all of it on the disk; nothing is left of it if that fails.
  func write(_ bytes: Data, to path: StoragePath) throws(StorageError) {
    let file = try step { () throws(StorageError) in try storage.create(path) }
    do {
      var rest = bytes
      while !rest.isEmpty {
        let count = try at(path) { () throws(StorageError) in try storage.write(rest, to: file) }
        rest = rest.dropFirst(count)
      }
      try at(path) { () throws(StorageError) in try storage.flush(file) }
    } catch {
      try? storage.close(file)
      try? removeFile(path)
      throw error
    }
    do {
      try storage.close(file)
    } catch {
      // The system lets go of the file in any case; what was flushed is safe.
      guard error.reason != .interrupted else { return }
      try? removeFile(path)
      throw StorageError(error.reason, .close, path)
    }
  }

  func makeFolder(_ path: StoragePath) throws(StorageError) {
    try step { () throws(StorageError) in try storage.makeFolder(path) }
  }

  func flushFolder(_ path: StoragePath) throws(StorageError) {
    try step { () throws(StorageError) in try storage.flushFolder(path) }
  }

  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    try step { () throws(StorageError) in try storage.move(path, to: target, mode) }
  }

  func removeFile(_ path: StoragePath) throws(StorageError) {
    try step { () throws(StorageError) in try storage.removeFile(path) }
  }

  /// Removes a file or a folder with all that is in it; links are removed, not followed.
  func removeAll(_ path: StoragePath) throws(StorageError) {
    guard try status(of: path)?.kind == .folder else { return try removeFile(path) }
    // Not by recursion: a folder can be nested deeper than the stack.
    var pending = [path]
    while let folder = pending.last {
      var isEmpty = true
      for entry in try entries(of: folder) {
        if entry.kind == .folder {
          pending.append(folder / entry.name)
          isEmpty = false
        } else {
          try removeFile(folder / entry.name)
        }
      }
      guard isEmpty else { continue }
      try step { () throws(StorageError) in try storage.removeFolder(folder) }
      pending.removeLast()
    }
  }

  /// Gives the files of a folder, and of those in it, second names in another, without the entries called `excluded`. All
  /// but the other folder itself is flushed.
  func linkAll(_ source: StoragePath, to target: StoragePath, except excluded: Set<StorageName>) throws(StorageError) {
    let top = target
    var pending = [(source, target, excluded)]
    while let (source, target, excluded) = pending.popLast() {
      for entry in try entries(of: source) where !excluded.contains(entry.name) {
        if entry.kind == .folder {
          try makeFolder(target / entry.name)
          pending.append((source / entry.name, target / entry.name, []))
        } else {
          try link(source / entry.name, to: target / entry.name)
        }
      }
      if target != top { try flushFolder(target) }
    }
  }

  /// Gives a file a second name, or a copy where the file system has no second names.
  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    do {
      try step { () throws(StorageError) in try storage.link(path, to: target) }
    } catch {
      guard [.unsupported, .noPermission, .otherDisk].contains(error.reason), let status = try status(of: path),
        status.kind == .file, let bytes = try read(path, limit: .max)
      else { throw error }
      try write(bytes, to: target)
      try step { () throws(StorageError) in try storage.setModified(target, to: status.modified) }
    }
  }

  /// Takes a step on an open file and names the file in its error.
  private func at<Result>(
    _ path: StoragePath, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    do {
      return try step(body)
    } catch {
      throw StorageError(error.reason, error.call, path)
    }
  }
}
