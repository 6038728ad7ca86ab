// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What could not be done in a folder, and why.
package struct SystemFailure: Error, Sendable {
  /// Why.
  package let error: SystemError
  /// What could not be done.
  package let call: String

  init(_ error: SystemError, _ call: String) {
    self.error = error
    self.call = call
  }

  /// Whether there is no such file.
  package var isNotFound: Bool { error.reason == .notFound }
  /// Whether there is a file of that name.
  package var isTaken: Bool { error.reason == .exists }
  /// Whether a file cannot have a second name there.
  package var isNoLink: Bool { [.otherDisk, .noPermission, .unsupported, .tooManyNames].contains(error.reason) }

  /// What could not be done and why.
  package var text: String { "could not \(call): \(error.reason == .link ? "it is a link" : error.message)" }
}

/// An open folder, in which files are found by their names and nothing else: no call follows a symbolic link, or accepts a
/// name that leads elsewhere, so nothing that somebody puts into the folder leads out of it, not even between two calls.
package final class OpenFolder: Sendable {
  private let descriptor: Descriptor

  private init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  deinit { try? descriptor.close() }

  /// Opens a folder. The way to it is the caller's, and may have links in it.
  package convenience init(_ path: String) throws(SystemFailure) {
    self.init(try Self.saying("open the folder") { () throws(SystemError) in try .folder(path.isEmpty ? "." : path) })
  }

  /// Makes a call and says what it was for if it fails.
  private static func saying<Result>(
    _ call: String, _ name: FileName? = nil, _ body: () throws(SystemError) -> Result
  ) throws(SystemFailure) -> Result {
    guard name?.isPlain ?? true else { throw SystemFailure(.notFound, call) }
    do {
      return try body()
    } catch {
      throw SystemFailure(error, call)
    }
  }

  /// Opens a folder in it.
  package func folder(_ name: FileName) throws(SystemFailure) -> OpenFolder {
    OpenFolder(
      try Self.saying("open the folder", name) { () throws(SystemError) in try descriptor.open(name, for: .folder) })
  }

  /// Opens a folder in it, which is made if it is not there.
  package func makeFolder(_ name: FileName) throws(SystemFailure) -> OpenFolder {
    try Self.saying("make the folder", name) { () throws(SystemError) in
      do throws(SystemError) {
        try descriptor.makeFolder(name)
        flush()
      } catch {
        guard error.reason == .exists else { throw error }
      }
    }
    return try folder(name)
  }

  /// The names in it, in no order.
  package func names() throws(SystemFailure) -> [FileName] {
    var names: [FileName] = []
    try Self.saying("list the folder") { () throws(SystemError) in
      try descriptor.open(FileName("."), for: .folder).listAndClose { name, _ in
        names.append(FileName(bytes: name.indices.map { name[$0] }))
      }
    }
    return names.filter(\.isPlain)
  }

  /// What it is itself.
  package func status() throws(SystemFailure) -> FileStatus {
    try Self.saying("look at the folder") { () throws(SystemError) in try descriptor.status() }
  }

  /// What is under a name.
  package func status(of name: FileName) throws(SystemFailure) -> FileStatus {
    try Self.saying("look at the file", name) { () throws(SystemError) in try descriptor.status(of: name) }
  }

  /// The bytes of a file, with its status when it was opened.
  /// - Parameters:
  ///   - name: the file.
  ///   - limit: more bytes are not read.
  ///   - beginning: how many of the first bytes `isWanted` is shown at most.
  ///   - isWanted: is shown the first bytes, and says whether to read on.
  /// - Returns: nil if it is not wanted, or is no file.
  /// - Throws: ``SystemFailure``.
  package func read(
    _ name: FileName, limit: Int = .max, beginning: Int = 512, if isWanted: (Data) -> Bool = { _ in true }
  ) throws(SystemFailure) -> (data: Data, status: FileStatus)? {
    try Self.saying("read the file", name) { () throws(SystemError) in
      let file = try descriptor.open(name, for: .reading)
      defer { try? file.close() }
      let status = try file.status()
      guard status.kind == .file else { return nil }
      var data = Data()
      try Self.read(file, into: &data, upTo: min(beginning, limit))
      guard isWanted(data) else { return nil }
      // It may grow while it is read; then it is not the same in the end.
      try Self.read(file, into: &data, upTo: min(limit, status.byteCount))
      return (data, status)
    }
  }

  /// Reads on until there are `count` bytes, or the end is reached.
  private static func read(_ file: Descriptor, into data: inout Data, upTo count: Int) throws(SystemError) {
    while data.count < count {
      let wanted = min(count - data.count, 1 << 20)
      let read = try SystemError.repeating { () throws(SystemError) in try file.read(into: &data, atMost: wanted) }
      if read == 0 { return }
    }
  }

  /// Gives a file a second name, in this folder or another one.
  package func link(_ name: FileName, to other: OpenFolder, as newName: FileName) throws(SystemFailure) {
    guard name.isPlain, newName.isPlain else { throw SystemFailure(.notFound, "link the file") }
    try Self.saying("keep the old file") { () throws(SystemError) in
      try descriptor.link(name, to: other.descriptor, newName)
    }
  }

  /// Waits until what happened in it is on the disk, where the file system can tell.
  package func flush() { try? descriptor.flush() }

  // MARK: Replacing

  /// Puts a file in a folder in one step: it is there in its old form or in its new one, whatever happens.
  ///
  /// The bytes go to a file of another name first, which is locked as long as somebody writes to it. One that is not locked
  /// was left by a program that was killed, and is removed.
  /// - Parameters:
  ///   - name: the file.
  ///   - data: its new content.
  ///   - status: whose owner, permissions and time of change it gets.
  ///   - temporary: the other name.
  ///   - last: is called when all is on the disk, right before the file gets its name; if it throws, it does not.
  /// - Returns: what failed; nil if the file was replaced.
  /// - Throws: what `last` throws.
  package func replace<Failure: Error>(
    _ name: FileName, with data: Data, attributesOf status: FileStatus, by temporary: FileName,
    last: () throws(Failure) -> Void
  ) throws(Failure) -> SystemFailure? {
    let file: Descriptor
    do throws(SystemFailure) {
      file = try create(temporary)
    } catch {
      return error
    }
    defer { try? file.close() }
    do throws(SystemError) {
      var rest = data
      while !rest.isEmpty {
        rest = rest.dropFirst(try SystemError.repeating { () throws(SystemError) in try file.write(rest) })
      }
      // The owner, where that is allowed.
      try? file.setOwner(status.owner, group: status.group)
      try file.setPermissions(status.permissions)
      try file.setModified(status.modified)
      try file.flush()
    } catch {
      try? descriptor.removeFile(temporary)
      return SystemFailure(error, "write the file")
    }
    do {
      try last()
    } catch {
      try? descriptor.removeFile(temporary)
      throw error
    }
    do throws(SystemError) {
      try descriptor.move(temporary, to: descriptor, name)
      return nil
    } catch {
      try? descriptor.removeFile(temporary)
      return SystemFailure(error, "replace the file")
    }
  }

  /// Makes a file and locks it; one that was left over is removed. Nobody else may read it until it has its permissions.
  private func create(_ name: FileName) throws(SystemFailure) -> Descriptor {
    for _ in 0..<8 {
      let created = try Self.saying("write the file", name) { () throws(SystemError) -> Descriptor? in
        do throws(SystemError) {
          return try descriptor.open(name, for: .creating(permissions: 0o600))
        } catch {
          guard error.reason == .exists else { throw error }
          return nil
        }
      }
      if let file = created {
        // Somebody may have taken it for a leftover before it was locked.
        if Self.takesLock(of: file), let status = try? file.status(), status.nameCount > 0 { return file }
        try? file.close()
      }
      try removeLeftover(name)
    }
    throw SystemFailure(.exists, "write the file, for another program does")
  }

  /// Locks a file unless somebody else has.
  private static func takesLock(of file: Descriptor) -> Bool { (try? file.lock()) ?? false }

  /// Removes a file that a killed program left, and returns whether it did; one that somebody writes to stays.
  @discardableResult
  package func removeLeftover(_ name: FileName) throws(SystemFailure) -> Bool {
    try Self.saying("remove what was left over") { () throws(SystemError) in
      let file: Descriptor
      do throws(SystemError) {
        file = try descriptor.open(name, for: .reading)
      } catch {
        guard error.reason == .notFound else { throw error }
        return false
      }
      defer { try? file.close() }
      guard let locked = try? file.status(), locked.kind == .file, Self.takesLock(of: file),
        let status = try? descriptor.status(of: name), status.identity == locked.identity
      else { return false }
      try descriptor.removeFile(name)
      return true
    }
  }
}
