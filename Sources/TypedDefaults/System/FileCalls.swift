// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// The kinds of system calls that a store makes.
package enum FileCall: String, Sendable, CaseIterable {
  case open, openLock, create, setOwner, read, write, flush, link, rename, flushFolder, status, lock, readCount,
    writeCount,
    remove
}

/// The error of a system call.
struct FileFailure: Error {
  let error: SystemError
  let call: FileCall
  /// The file or folder of the call. For a second name and a new name, it is that name.
  let path: String

  var isAbsence: Bool { error.reason == .notFound || error.reason == .notAFolder }
}

/// An open file. Releasing it closes it.
final class OpenFile: Sendable {
  fileprivate let descriptor: Descriptor
  fileprivate let path: String
  fileprivate init(_ descriptor: Descriptor, _ path: String) { (self.descriptor, self.path) = (descriptor, path) }
  deinit { try? descriptor.close() }
}

/// System calls on files. A call that a signal interrupts is repeated.
struct FileCalls: Sendable {
  /// A function that makes calls fail with the error number it returns. Tests set it.
  var fault: (@Sendable (FileCall) -> Int32)?

  private func attempt<Result>(
    _ call: FileCall, _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(FileFailure) -> Result {
    do throws(SystemError) {
      if let number = fault?(call), number != 0 { throw SystemError(number) }
      return try SystemError.repeating(body)
    } catch {
      throw FileFailure(error: error, call: call, path: path)
    }
  }

  private func open(
    _ path: String, _ purpose: Descriptor.Purpose, followingLinks: Bool = false, _ call: FileCall
  ) throws(FileFailure) -> OpenFile {
    let descriptor = try attempt(call, path) { () throws(SystemError) in
      try Descriptor.working.open(FileName(path), for: purpose, followingLinks: followingLinks)
    }
    return OpenFile(descriptor, path)
  }

  func open(_ path: String) throws(FileFailure) -> OpenFile { try open(path, .reading, followingLinks: true, .open) }

  /// Opens the file with the lock of another file. Those who may read and write the other file may then also lock it, if the
  /// system allows this process to change that.
  /// - Parameters:
  ///   - path: The path of the file with the lock.
  ///   - other: The path of the other file.
  ///   - creates: Whether to create the file if necessary.
  /// - Returns: The open file.
  /// - Throws: The failure of a call.
  func openLock(_ path: String, for other: String, creates: Bool) throws(FileFailure) -> OpenFile {
    let file: OpenFile
    do throws(FileFailure) {
      // In some shared folders, a call that can create a file may not open that of another user.
      file = try open(path, .locking(creates: false), .openLock)
    } catch {
      guard creates, error.isAbsence else { throw error }
      file = try open(path, .locking(creates: true), .openLock)
    }
    // The access to the other file can have changed after the lock was created.
    if let status = try? status(other) { setAccess(file, like: status, 0o666) }
    return file
  }

  /// Gives a file the owner of another one, if the system allows that, and its permissions.
  private func setAccess(_ file: OpenFile, like other: FileStatus, _ mask: UInt32) {
    // The owner comes first, because a new one can clear permissions.
    try? attempt(.setOwner, file.path) { () throws(SystemError) in try file.descriptor.setOwner(like: other) }
    guard let own = try? file.descriptor.status() else { return }
    try? file.descriptor.setPermissions(own.permissions(other.permissions & mask, of: other))
  }

  /// Creates a file. It replaces a file that a killed process left behind, and follows no symbolic link.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - other: The status of a file whose owner and permissions the new one gets. Without it, only the user of the process
  ///     has access.
  /// - Returns: The open file.
  /// - Throws: The failure of a call.
  func create(_ path: String, like other: FileStatus?) throws(FileFailure) -> OpenFile {
    let name = FileName(path)
    // Other users must not read the file before it has its owner.
    let permissions = (other?.permissions ?? 0o600) & 0o700
    let descriptor = try attempt(.create, path) { () throws(SystemError) in
      do throws(SystemError) {
        return try Descriptor.working.open(name, for: .creating(permissions: permissions))
      } catch {
        guard error.reason == .exists else { throw error }
        try Descriptor.working.removeFile(name)
        return try Descriptor.working.open(name, for: .creating(permissions: permissions))
      }
    }
    let file = OpenFile(descriptor, path)
    // The process's umask must not restrict the permissions of a replaced file.
    if let other { setAccess(file, like: other, 0o777) }
    return file
  }

  /// Reads a whole file, up to about a limit, because the file can grow while it is read.
  func read(_ file: OpenFile, expecting count: Int, limit: Int) throws(FileFailure) -> Data {
    var bytes = Data()
    var capacity = min(max(512, count), 1 << 20) + 1
    while true {
      let read = try attempt(.read, file.path) { () throws(SystemError) in
        try file.descriptor.read(into: &bytes, atMost: capacity - bytes.count, at: bytes.count)
      }
      if read == 0 { return bytes }
      guard bytes.count == capacity else { continue }
      if capacity > limit { return bytes }
      capacity *= 2
    }
  }

  func write(_ bytes: Data, to file: OpenFile) throws(FileFailure) -> Int {
    try attempt(.write, file.path) { () throws(SystemError) in try file.descriptor.write(bytes) }
  }

  func flush(_ file: OpenFile) throws(FileFailure) {
    try attempt(.flush, file.path) { () throws(SystemError) in try file.descriptor.flush() }
  }

  /// Flushes the entries of a folder, unless this process may change but not list it.
  func flushFolder(_ path: String) throws(FileFailure) {
    let folder: OpenFile
    do throws(FileFailure) {
      folder = try open(path, .folder, followingLinks: true, .flushFolder)
    } catch {
      guard error.error.reason == .noPermission else { throw error }
      return
    }
    do throws(SystemError) {
      try folder.descriptor.flushEntries()
    } catch {
      throw FileFailure(error: error, call: .flushFolder, path: path)
    }
  }

  func rename(_ old: String, _ new: String) throws(FileFailure) {
    try attempt(.rename, new) { () throws(SystemError) in
      try Descriptor.working.move(FileName(old), to: .working, FileName(new))
    }
  }

  /// Gives a file a second name.
  func link(_ path: String, _ new: String) throws(FileFailure) {
    try attempt(.link, new) { () throws(SystemError) in
      try Descriptor.working.link(FileName(path), to: .working, FileName(new))
    }
  }

  func remove(_ path: String) throws(FileFailure) {
    try attempt(.remove, path) { () throws(SystemError) in try Descriptor.working.removeFile(FileName(path)) }
  }

  func status(_ path: String) throws(FileFailure) -> FileStatus {
    try attempt(.status, path) { () throws(SystemError) in
      try Descriptor.working.status(of: FileName(path), followingLinks: true)
    }
  }

  func status(_ file: OpenFile) throws(FileFailure) -> FileStatus {
    try attempt(.status, file.path) { () throws(SystemError) in try file.descriptor.status() }
  }

  /// Takes the lock between processes, and returns `false` if another process has it.
  func lock(_ file: OpenFile) throws(FileFailure) -> Bool {
    try attempt(.lock, file.path) { () throws(SystemError) in try file.descriptor.lock() }
  }

  func unlock(_ file: OpenFile) { file.descriptor.unlock() }

  /// Returns the little-endian number of eight bytes in a file, or 0 if it has none yet.
  func count(in file: OpenFile) throws(FileFailure) -> UInt64 {
    var bytes = Data()
    let count = try attempt(.readCount, file.path) { () throws(SystemError) in
      try file.descriptor.read(into: &bytes, atMost: 8, at: 0)
    }
    return count == 8 ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } : 0
  }

  /// Writes the number of eight bytes, and what follows it, in one call.
  func setCount(_ number: UInt64, followedBy rest: Data, in file: OpenFile) throws(FileFailure) {
    let bytes = Data((0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }) + rest
    _ = try attempt(.writeCount, file.path) { () throws(SystemError) in try file.descriptor.write(bytes, at: 0) }
  }

  /// Returns what follows the number of eight bytes in a file, up to a limit.
  func bytesAfterCount(in file: OpenFile, limit: Int) throws(FileFailure) -> Data {
    var bytes = Data()
    _ = try attempt(.readCount, file.path) { () throws(SystemError) in
      try file.descriptor.read(into: &bytes, atMost: limit, at: 8)
    }
    return bytes
  }

  /// Gives a file a second name, or a copy if the disk has no links. No file may have the new name.
  func duplicate(_ path: String, as new: String) throws(FileFailure) {
    do throws(FileFailure) {
      return try link(path, new)
    } catch {
      // A copy cannot do better then.
      if error.isAbsence || error.error.reason == .exists { throw error }
    }
    let source = try open(path)
    let status = try status(source)
    do throws(FileFailure) {
      let copy = try create(new, like: status)
      var offset = 0
      while true {
        var bytes = Data()
        let count = try attempt(.read, path) { () throws(SystemError) in
          try source.descriptor.read(into: &bytes, atMost: 1 << 20, at: offset)
        }
        if count == 0 { break }
        offset += count
        while !bytes.isEmpty { bytes = bytes.dropFirst(try write(bytes, to: copy)) }
      }
      // A repair reports it as the time of the values.
      try? copy.descriptor.setModified(status.modified)
      try flush(copy)
    } catch {
      try? remove(new)
      throw error
    }
  }

  /// Writes a line to the standard error.
  static func complain(_ line: String) { _ = try? Descriptor(number: 2).write(Data((line + "\n").utf8)) }
}

/// The calls that replace a store's file.
struct StoreFileReplacement: AtomicFileCalls {
  let calls: FileCalls
  let path: String
  let temporaryPath: String
  let folder: String
  /// The status of the file to replace; nil for a new file.
  let old: FileStatus?

  func create() throws(FileFailure) -> OpenFile { try calls.create(temporaryPath, like: old) }
  func write(_ bytes: Data, to file: OpenFile) throws(FileFailure) -> Int { try calls.write(bytes, to: file) }
  func flush(_ file: OpenFile) throws(FileFailure) { try calls.flush(file) }
  /// An open file closes itself.
  func close(_ file: OpenFile) {}
  func rename() throws(FileFailure) { try calls.rename(temporaryPath, path) }
  func flushFolder() throws(FileFailure) { try calls.flushFolder(folder) }
  func remove() { try? calls.remove(temporaryPath) }
}
