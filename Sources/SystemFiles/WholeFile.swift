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
  /// - Parameter path: The path of the file.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError``; its reason is ``SystemError/Reason/notAFile`` for a folder, a pipe or a device.
  package static func bytes(at path: String) throws(SystemError) -> [UInt8] {
    let file = try SystemError.repeating { () throws(SystemError) in
      try Descriptor.working.open(FileName(path), for: .reading, followingLinks: true)
    }
    defer { try? file.close() }
    let status = try file.status()
    guard status.kind == .file else { throw .notAFile }
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

/// The system's calls for a file that is named by a path.
private struct PathCalls: AtomicFileCalls {
  let path: String
  let folder: String
  let temporary: FileName
  /// The permissions of the file to replace; nil for a new file.
  let permissions: UInt32?

  init(_ url: URL) {
    path = url.path
    let folder = url.deletingLastPathComponent()
    self.folder = folder.path
    temporary = FileName(folder.appending(path: ".\(UUID().uuidString)").path)
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
    let file = try attempt("write") { () throws(SystemError) in
      // Other users must not read the bytes before the file has its permissions.
      try Descriptor.working.open(temporary, for: .creating(permissions: permissions == nil ? 0o666 : 0o600))
    }
    guard let permissions else { return file }
    do throws(SystemFailure) {
      try attempt("write") { () throws(SystemError) in try file.setPermissions(permissions) }
    } catch {
      close(file)
      remove()
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
    try attempt("replace") { () throws(SystemError) in
      try Descriptor.working.move(temporary, to: .working, FileName(path))
    }
  }

  func flushFolder() throws(SystemFailure) {
    // Some file systems cannot flush a folder; the file itself is safe by now.
    guard let folder = try? Descriptor.folder(folder) else { return }
    try? folder.flush()
    try? folder.close()
  }

  func remove() { try? Descriptor.working.removeFile(temporary) }
}
