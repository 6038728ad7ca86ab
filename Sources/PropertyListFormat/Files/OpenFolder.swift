// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A call of the system that failed.
package struct SystemFailure: Error, Sendable {
  /// The system's number for the reason.
  package let number: Int32
  /// What could not be done.
  package let call: String

  init(_ number: Int32, _ call: String) {
    self.number = number
    self.call = call
  }

  /// Whether there is no such file.
  package var isNotFound: Bool { number == FolderCall.notFound }
  /// Whether there is a file of that name.
  package var isTaken: Bool { number == FolderCall.exists }
  /// Whether a file cannot have a second name there.
  package var isNoLink: Bool { FolderCall.cannotLink(number) }

  /// What could not be done and why.
  package var text: String {
    "could not \(call): \(number == FolderCall.isLink ? "it is a link" : SystemCall.message(number))"
  }
}

/// An open folder, in which files are found by their names and nothing else: no call follows a symbolic link, or accepts a
/// name that leads elsewhere, so nothing that somebody puts into the folder leads out of it, not even between two calls.
package final class OpenFolder: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { FolderCall.close(descriptor) }

  /// Opens a folder. The way to it is the caller's, and may have links in it.
  package convenience init(_ path: String) throws(SystemFailure) {
    let descriptor = FolderCall.open(path.isEmpty ? "." : path)
    guard descriptor >= 0 else { throw SystemFailure(-descriptor, "open the folder") }
    self.init(descriptor)
  }

  private static func check(_ name: FileName, _ call: String) throws(SystemFailure) {
    guard name.isPlain else { throw SystemFailure(FolderCall.notFound, call) }
  }

  private static func check(_ number: Int32, _ call: String) throws(SystemFailure) {
    guard number == 0 else { throw SystemFailure(number, call) }
  }

  /// Opens a folder in it.
  package func folder(_ name: FileName) throws(SystemFailure) -> OpenFolder {
    try Self.check(name, "open the folder")
    let opened = FolderCall.openFolder(descriptor, name)
    guard opened >= 0 else { throw SystemFailure(-opened, "open the folder") }
    return OpenFolder(opened)
  }

  /// Opens a folder in it, which is made if it is not there.
  package func makeFolder(_ name: FileName) throws(SystemFailure) -> OpenFolder {
    try Self.check(name, "make the folder")
    let number = FolderCall.makeFolder(descriptor, name)
    if number == 0 { flush() } else if number != FolderCall.exists { throw SystemFailure(number, "make the folder") }
    return try folder(name)
  }

  /// The names in it, in no order.
  package func names() throws(SystemFailure) -> [FileName] {
    let opened = FolderCall.openFolder(descriptor, FileName("."))
    guard opened >= 0 else { throw SystemFailure(-opened, "list the folder") }
    let (names, failure) = FolderCall.names(closing: opened)
    try Self.check(failure, "list the folder")
    return names
  }

  /// What it is itself.
  package func status() throws(SystemFailure) -> FileStatus {
    let (status, failure) = FolderCall.status(descriptor)
    try Self.check(failure, "look at the folder")
    return status
  }

  /// What is under a name.
  package func status(of name: FileName) throws(SystemFailure) -> FileStatus {
    try Self.check(name, "look at the file")
    let (status, failure) = FolderCall.status(descriptor, name)
    try Self.check(failure, "look at the file")
    return status
  }

  /// The bytes of a file, with its status when it was opened.
  /// - Parameters:
  ///   - name: the file.
  ///   - limit: more bytes are not read.
  ///   - isWanted: is shown the first bytes, up to 512, and says whether to read on.
  /// - Returns: nil if it is not wanted, or is no file.
  /// - Throws: ``SystemFailure``.
  package func read(
    _ name: FileName, limit: Int = .max, if isWanted: (Data) -> Bool = { _ in true }
  ) throws(SystemFailure) -> (data: Data, status: FileStatus)? {
    try Self.check(name, "read the file")
    let file = FolderCall.openFile(descriptor, name)
    guard file >= 0 else { throw SystemFailure(-file, "read the file") }
    defer { FolderCall.close(file) }
    let (status, failure) = FolderCall.status(file)
    try Self.check(failure, "read the file")
    guard status.kind == .file else { return nil }
    var data = Data()
    try Self.check(FolderCall.read(file, into: &data, upTo: min(512, limit)), "read the file")
    guard isWanted(data) else { return nil }
    // It may grow while it is read; then it is not the same in the end.
    try Self.check(FolderCall.read(file, into: &data, upTo: min(limit, status.byteCount)), "read the file")
    return (data, status)
  }

  /// Gives a file a second name, in this folder or another one.
  package func link(_ name: FileName, to other: OpenFolder, as newName: FileName) throws(SystemFailure) {
    try Self.check(name, "link the file")
    try Self.check(newName, "link the file")
    try Self.check(FolderCall.link(descriptor, name, other.descriptor, newName), "keep the old file")
  }

  /// Waits until what happened in it is on the disk, where the file system can tell.
  package func flush() { _ = FolderCall.flush(descriptor) }

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
    let file: Int32
    do throws(SystemFailure) {
      file = try create(temporary)
    } catch {
      return error
    }
    defer { FolderCall.close(file) }
    let written = [
      { FolderCall.write(data, to: file) }, { FolderCall.copyAttributes(of: status, to: file) },
      { FolderCall.flush(file) },
    ].lazy.map { $0() }.first { $0 != 0 }
    if let written {
      _ = FolderCall.remove(descriptor, temporary)
      return SystemFailure(written, "write the file")
    }
    do {
      try last()
    } catch {
      _ = FolderCall.remove(descriptor, temporary)
      throw error
    }
    let renamed = FolderCall.rename(descriptor, temporary, to: name)
    guard renamed != 0 else { return nil }
    _ = FolderCall.remove(descriptor, temporary)
    return SystemFailure(renamed, "replace the file")
  }

  /// Makes a file and locks it; one that was left over is removed.
  private func create(_ name: FileName) throws(SystemFailure) -> Int32 {
    try Self.check(name, "write the file")
    for _ in 0..<8 {
      let file = FolderCall.create(descriptor, name)
      if file >= 0 {
        // Somebody may have taken it for a leftover before it was locked.
        if FolderCall.lock(file), FolderCall.status(file).0.nameCount > 0 { return file }
        FolderCall.close(file)
      } else if -file != FolderCall.exists {
        throw SystemFailure(-file, "write the file")
      }
      try removeLeftover(name)
    }
    throw SystemFailure(FolderCall.exists, "write the file, for another program does")
  }

  /// Removes a file that a killed program left, and returns whether it did; one that somebody writes to stays.
  @discardableResult
  package func removeLeftover(_ name: FileName) throws(SystemFailure) -> Bool {
    let file = FolderCall.openFile(descriptor, name)
    if -file == FolderCall.notFound { return false }
    guard file >= 0 else { throw SystemFailure(-file, "remove what was left over") }
    defer { FolderCall.close(file) }
    guard FolderCall.status(file).0.kind == .file, FolderCall.lock(file) else { return false }
    let (status, failure) = FolderCall.status(descriptor, name)
    guard failure == 0, status.identity == FolderCall.status(file).0.identity else { return false }
    try Self.check(FolderCall.remove(descriptor, name), "remove what was left over")
    return true
  }
}
