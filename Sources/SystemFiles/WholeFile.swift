// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Reading and writing whole files.
///
/// Files are read into memory and not mapped. If another program truncates a mapped file, an access to the lost part
/// ends the process.
package enum WholeFile {
  /// Reads a file into one block of memory, and follows symbolic links.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum number of bytes. A sparse file can have more than the memory.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError``; its reason is ``SystemError/Reason/notAFile`` for a folder, a pipe or a device. It is
  ///   ``SystemError/tooLarge`` for a file above the limit.
  package static func bytes(at path: String, limit: Int = 1 << 30) throws(SystemError) -> [UInt8] {
    let file = try SystemError.repeating { () throws(SystemError) in
      try Descriptor.working.open(FileName(path), for: .reading, followingLinks: true)
    }
    defer { try? file.close() }
    let status = try file.status()
    guard status.kind == .file else { throw .notAFile }
    guard status.byteCount <= limit else { throw .tooLarge }
    return try file.readAll(expecting: status.byteCount)
  }

  /// Replaces a file atomically, and by default durably.
  ///
  /// A symbolic link remains, and the file that it leads to is replaced. The new file has the permissions of the old one.
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file.
  ///   - isDurable: Whether the content outlasts a loss of power.
  /// - Throws: ``SystemFailure``; the old file is then untouched.
  package static func write(_ data: Data, to url: URL, durably isDurable: Bool = true) throws(SystemFailure) {
    let file = try AtomicFile(PathCalls(url.resolvingSymlinksInPath()))
    try file.write(data)
    try file.commit(durably: isDurable)
  }

  /// Writes to an existing file that cannot be replaced, such as a device or a pipe.
  /// - Throws: ``SystemFailure``.
  package static func write(_ data: Data, toDevice url: URL) throws(SystemFailure) {
    do {
      let device = try SystemError.repeating { () throws(SystemError) in
        try Descriptor.working.open(FileName(url.path), for: .writing, followingLinks: true)
      }
      defer { try? device.close() }
      var rest = data
      while !rest.isEmpty {
        rest = rest.dropFirst(try SystemError.repeating { () throws(SystemError) in try device.write(rest) })
      }
    } catch {
      throw SystemFailure(error, "write \(url.path)")
    }
  }
}

/// A file that is written in pieces, and replaces the old one atomically and durably at the end.
package final class ReplacedFile {
  private let file: AtomicFile<PathCalls>

  /// Creates the temporary file in the folder of a file, which must exist. If the file is a symbolic link, the one that it
  /// leads to is replaced.
  /// - Throws: ``SystemFailure``.
  package init(_ url: URL) throws(SystemFailure) { file = try AtomicFile(PathCalls(url.resolvingSymlinksInPath())) }

  /// Appends bytes.
  /// - Throws: ``SystemFailure``.
  package func write(_ data: Data) throws(SystemFailure) { try file.write(data) }

  /// Replaces the old file. The release of an object that was not committed removes the temporary file.
  /// - Throws: ``SystemFailure``; the old file is then untouched.
  package func commit() throws(SystemFailure) { try file.commit() }
}

/// The system's calls for a file that is named by a path.
private final class PathCalls: AtomicFileCalls {
  private let path: String
  private let folder: String
  /// The temporary file; nil before it is created.
  private var temporary: FileName?
  /// The permissions of the file to replace; nil for a new file.
  private let permissions: UInt32?

  init(_ url: URL) {
    path = url.path
    folder = url.deletingLastPathComponent().path
    permissions = try? Descriptor.working.status(of: FileName(path), followingLinks: true).permissions
  }

  private func attempt<Result>(
    _ call: String, _ body: () throws(SystemError) -> Result
  ) throws(SystemFailure) -> Result {
    do {
      return try SystemError.repeating(body)
    } catch {
      throw SystemFailure(error, "\(call) \(path)")
    }
  }

  func create() throws(SystemFailure) -> Descriptor {
    // Other users must not read the bytes before the file has its permissions.
    let (file, temporary) = try attempt("write") { () throws(SystemError) in
      try TemporaryFiles.create(beside: path, permissions: permissions == nil ? 0o666 : 0o600)
    }
    self.temporary = temporary
    guard let permissions else { return file }
    do throws(SystemFailure) {
      try attempt("write") { () throws(SystemError) in try file.setPermissions(permissions) }
    } catch {
      remove()
      close(file)
      throw error
    }
    return file
  }

  func write(_ bytes: Data, to file: Descriptor) throws(SystemFailure) -> Int {
    try attempt("write") { () throws(SystemError) in try file.write(bytes) }
  }

  func flush(_ file: Descriptor) throws(SystemFailure) {
    try attempt("write") { () throws(SystemError) in try file.flush() }
  }

  func close(_ file: Descriptor) { try? file.close() }

  func rename() throws(SystemFailure) {
    guard let temporary else { return }
    try attempt("replace") { () throws(SystemError) in
      try TemporaryFiles.end(temporary, in: .working) { () throws(SystemError) in
        try Descriptor.working.move(temporary, to: .working, FileName(path))
      }
    }
  }

  func flushFolder() throws(SystemFailure) {
    // Some file systems cannot flush a folder; the file itself is safe by now.
    guard let folder = try? Descriptor.folder(folder) else { return }
    try? folder.flush()
    try? folder.close()
  }

  func remove() {
    guard let temporary else { return }
    TemporaryFiles.end(temporary, in: .working) { try? Descriptor.working.removeFile(temporary) }
  }
}
