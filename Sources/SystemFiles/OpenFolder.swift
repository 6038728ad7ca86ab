// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An error of an operation in a folder.
package struct SystemFailure: Error, Sendable {
  /// The error of the system call.
  package let error: SystemError
  /// The operation, as in "could not read the file".
  package let call: String

  init(_ error: SystemError, _ call: String) {
    self.error = error
    self.call = call
  }

  /// Whether the file does not exist.
  package var isNotFound: Bool { error.reason == .notFound }
  /// Whether a file of that name exists.
  package var isTaken: Bool { error.reason == .exists }
  /// Whether the file system cannot link the file there.
  package var isNoLink: Bool { [.otherDisk, .noPermission, .unsupported, .tooManyNames].contains(error.reason) }

  /// The operation and the reason as text.
  package var text: String { "could not \(call): \(error.reason == .link ? "it is a link" : error.message)" }
}

/// Makes system calls, again if a signal interrupts one of them, and adds the operation to their error.
private func attempt<Result>(
  _ call: String, _ name: FileName? = nil, _ body: () throws(SystemError) -> Result
) throws(SystemFailure) -> Result {
  guard name?.isPlain ?? true else { throw SystemFailure(.notFound, call) }
  do {
    return try SystemError.repeating(body)
  } catch {
    throw SystemFailure(error, call)
  }
}

/// An open folder. No call follows a symbolic link or accepts a name that is not plain. No entry therefore leads out of
/// the folder, not even if another process changes the folder during a call.
package final class OpenFolder: Sendable {
  private let descriptor: Descriptor

  private init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  deinit { try? descriptor.close() }

  /// Opens a folder by its path, which can have symbolic links.
  package convenience init(_ path: String) throws(SystemFailure) {
    self.init(try attempt("open the folder") { () throws(SystemError) in try .folder(path.isEmpty ? "." : path) })
  }

  package func folder(_ name: FileName) throws(SystemFailure) -> OpenFolder {
    OpenFolder(
      try attempt("open the folder", name) { () throws(SystemError) in try descriptor.open(name, for: .folder) })
  }

  /// Opens a subfolder, and creates it if it does not exist.
  package func makeFolder(_ name: FileName) throws(SystemFailure) -> OpenFolder {
    try attempt("make the folder", name) { () throws(SystemError) in
      do throws(SystemError) {
        try descriptor.makeFolder(name)
        try descriptor.flushEntries()
      } catch {
        guard error.reason == .exists else { throw error }
      }
    }
    return try folder(name)
  }

  /// Opens the folder at a path, and creates the folders that are missing.
  package static func making(_ url: URL) throws(SystemFailure) -> OpenFolder {
    do {
      return try OpenFolder(url.path)
    } catch {
      guard error.isNotFound, FileName(url.lastPathComponent).isPlain else { throw error }
    }
    return try making(url.deletingLastPathComponent()).makeFolder(FileName(url.lastPathComponent))
  }

  /// The names of the entries, in any order.
  package func names() throws(SystemFailure) -> [FileName] {
    try attempt("list the folder") { () throws(SystemError) in
      var names: [FileName] = []
      try descriptor.open(FileName("."), for: .folder).listAndClose { name, _ in
        names.append(FileName(bytes: name.indices.map { name[$0] }))
      }
      return names.filter(\.isPlain)
    }
  }

  package func status() throws(SystemFailure) -> FileStatus {
    try attempt("look at the folder") { () throws(SystemError) in try descriptor.status() }
  }

  package func status(of name: FileName) throws(SystemFailure) -> FileStatus {
    try attempt("look at the file", name) { () throws(SystemError) in try descriptor.status(of: name) }
  }

  /// Returns whether the folder has an entry.
  package func has(_ name: FileName) throws(SystemFailure) -> Bool {
    do {
      _ = try status(of: name)
      return true
    } catch {
      guard error.isNotFound else { throw error }
      return false
    }
  }

  /// Reads a file.
  /// - Parameters:
  ///   - name: The file.
  ///   - limit: The maximum number of bytes to read.
  ///   - beginning: The maximum number of bytes that `isWanted` gets.
  ///   - isWanted: Receives the first bytes, and returns whether to read the rest.
  /// - Returns: The bytes, and the status when the file was opened; nil if the file is not wanted or not a regular
  ///   file.
  /// - Throws: ``SystemFailure``.
  package func read(
    _ name: FileName, limit: Int = .max, beginning: Int = 512, if isWanted: (Data) -> Bool = { _ in true }
  ) throws(SystemFailure) -> (data: Data, status: FileStatus)? {
    try attempt("read the file", name) { () throws(SystemError) in
      let file = try descriptor.open(name, for: .reading)
      defer { try? file.close() }
      let status = try file.status()
      guard status.kind == .file else { return nil }
      var data = Data()
      try Self.read(file, into: &data, upTo: min(beginning, limit))
      guard isWanted(data) else { return nil }
      // A file that grows meanwhile has another status afterward.
      try Self.read(file, into: &data, upTo: min(limit, status.byteCount))
      return (data, status)
    }
  }

  /// Reads until `data` has `count` bytes or the file ends.
  private static func read(_ file: Descriptor, into data: inout Data, upTo count: Int) throws(SystemError) {
    while data.count < count {
      let wanted = min(count - data.count, 1 << 20)
      // Repeated here, because the bytes before it are in `data` already.
      let read = try SystemError.repeating { () throws(SystemError) in try file.read(into: &data, atMost: wanted) }
      if read == 0 { return }
    }
  }

  /// Links a file into this folder or another one.
  package func link(_ name: FileName, to other: OpenFolder, as newName: FileName) throws(SystemFailure) {
    guard name.isPlain, newName.isPlain else { throw SystemFailure(.notFound, "link the file") }
    try attempt("keep the old file") { () throws(SystemError) in
      try descriptor.link(name, to: other.descriptor, newName)
    }
  }

  /// Waits until changes to the folder's entries are on the disk, if the file system supports it.
  /// - Throws: ``SystemFailure``.
  package func flush() throws(SystemFailure) {
    try attempt("write the folder's entries to the disk") { () throws(SystemError) in try descriptor.flushEntries() }
  }

  /// Flushes the folder's entries, and returns the failure.
  package var flushFailure: SystemFailure? {
    do {
      try flush()
      return nil
    } catch {
      return error
    }
  }

  // MARK: Replacing

  /// The calls that replace a file of this folder, by a temporary file that is locked while it is written.
  private struct Replacement: AtomicFileCalls {
    let folder: OpenFolder
    let name: FileName
    let temporary: FileName

    func create() throws(SystemFailure) -> Descriptor { try folder.create(temporary) }

    func write(_ bytes: Data, to file: Descriptor) throws(SystemFailure) -> Int {
      try attempt("write the file") { () throws(SystemError) in try file.write(bytes) }
    }

    func flush(_ file: Descriptor) throws(SystemFailure) {
      try attempt("write the file") { () throws(SystemError) in try file.flush() }
    }

    func close(_ file: Descriptor) { try? file.close() }

    func rename() throws(SystemFailure) {
      try attempt("replace the file") { () throws(SystemError) in
        try TemporaryFiles.end(temporary, in: folder.descriptor) { () throws(SystemError) in
          try folder.descriptor.move(temporary, to: folder.descriptor, name)
        }
      }
    }

    func flushFolder() throws(SystemFailure) {
      try attempt("flush the folder after replacing the file") { () throws(SystemError) in
        try folder.descriptor.flushEntries()
      }
    }

    func remove() {
      TemporaryFiles.end(temporary, in: folder.descriptor) { try? folder.descriptor.removeFile(temporary) }
    }
  }

  /// Creates or replaces a file atomically and durably. Only the owner can use it.
  package func write(_ data: Data, to name: FileName) throws(SystemFailure) {
    let temporary = FileName(bytes: Array(".".utf8) + name.bytes + Array(".new".utf8))
    let file = try AtomicFile(Replacement(folder: self, name: name, temporary: temporary))
    try file.write(data)
    try file.commit()
  }

  /// Replaces a file atomically.
  ///
  /// The temporary file is locked while it is written. If another process writes it, the call waits until that process has
  /// replaced the file. One that is not locked was left by a killed program, and is removed.
  /// The caller flushes the folder, once for all files that it replaces.
  /// - Parameters:
  ///   - name: The file.
  ///   - data: Its new content.
  ///   - status: The status whose owner, permissions and modification time the file gets.
  ///   - temporary: The name of the temporary file.
  ///   - last: Called after the flush and right before the rename. If it throws, the old file remains.
  /// - Returns: The failure; nil if the file was replaced.
  /// - Throws: The error of `last`.
  package func replace<Failure: Error>(
    _ name: FileName, with data: Data, attributesOf status: FileStatus, by temporary: FileName,
    last: () throws(Failure) -> Void
  ) throws(Failure) -> SystemFailure? {
    let new: AtomicFile<Replacement>
    do throws(SystemFailure) {
      new = try AtomicFile(Replacement(folder: self, name: name, temporary: temporary))
      try new.write(data)
      try attempt("write the file") { () throws(SystemError) in
        try new.file.setAccess(like: status)
        try new.file.setModified(status.modified)
      }
      try new.flush()
    } catch {
      return error
    }
    try last()
    do {
      try new.commit(durably: false)
      return nil
    } catch {
      return error
    }
  }

  /// Creates a file and locks it, after removing a leftover. Other users cannot read it before it has its permissions.
  private func create(_ name: FileName) throws(SystemFailure) -> Descriptor {
    for _ in 0..<64 {
      let created = try attempt("write the file", name) { () throws(SystemError) -> Descriptor? in
        do throws(SystemError) {
          return try TemporaryFiles.begin(name, in: descriptor, owner: self) { () throws(SystemError) in
            try descriptor.open(name, for: .creating(permissions: 0o600))
          }
        } catch {
          guard error.reason == .exists else { throw error }
          return nil
        }
      }
      if let file = created {
        // Another process may have removed it as a leftover before it was locked. Not every disk has locks.
        if (try? file.lock()) ?? true, descriptor.has(name, as: file) { return file }
        TemporaryFiles.end(name, in: descriptor) {}
        try? file.close()
      }
      if try !removeLeftover(name), !waitsForWriter(of: name) { break }
    }
    throw SystemFailure(.exists, "write the file: remove '\(name.text)' unless another process is writing it")
  }

  /// Waits until no process has a lock of a file. Returns `false` if that takes too long, or the disk has no locks.
  private func waitsForWriter(of name: FileName) -> Bool {
    guard let file = try? descriptor.open(name, for: .reading) else { return true }
    defer { try? file.close() }
    let lock = try? LockWait.take(within: .seconds(10)) { () throws(SystemError) -> Bool? in
      try file.lock(exclusive: false) ? true : nil
    }
    return lock == true
  }

  /// Removes a file that a killed program left, and returns whether it did. A file that another process writes to
  /// remains.
  @discardableResult
  package func removeLeftover(_ name: FileName) throws(SystemFailure) -> Bool {
    try attempt("remove what was left over") { () throws(SystemError) in try descriptor.removeUnlocked(name) }
  }
}
