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
    try reading(path, limit) { (file, count) throws(SystemError) in try file.readAll(expecting: count) }
  }

  /// Reads a file into data, and follows symbolic links.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum number of bytes. A sparse file can have more than the memory.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError``; its reason is ``SystemError/Reason/notAFile`` for a folder, a pipe or a device. It is
  ///   ``SystemError/tooLarge`` for a file above the limit.
  package static func data(at path: String, limit: Int = .max) throws(SystemError) -> Data {
    try reading(path, limit) { (file, count) throws(SystemError) in
      // The last read, which finds the end, must not move the bytes to a larger block.
      let least = 1 << 12
      var data = Data(capacity: count < .max - least ? count + least : count)
      while try SystemError.repeating({ () throws(SystemError) in
        try file.read(into: &data, atMost: max(count - data.count, least))
      }) > 0 {}
      return data
    }
  }

  /// Returns whether a path leads to a pipe or a device. It is not opened, because to open and close a pipe can end its
  /// writer.
  package static func isStream(_ path: String) -> Bool {
    (try? Descriptor.working.status(of: FileName(path), followingLinks: true))?.kind == .other
  }

  /// Reads a pipe or a device up to its end, and follows symbolic links.
  /// - Parameters:
  ///   - path: The path of the pipe or device.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError``; it is ``SystemError/tooLarge`` if more bytes come than the limit allows.
  package static func stream(at path: String, limit: Int) throws(SystemError) -> Data {
    let file = try SystemError.repeating { () throws(SystemError) in
      try Descriptor.working.open(FileName(path), for: .waiting, followingLinks: true)
    }
    defer { try? file.close() }
    var data = Data()
    while try SystemError.repeating({ () throws(SystemError) in try file.read(into: &data, atMost: 1 << 16) }) > 0 {
      guard data.count <= limit else { throw .tooLarge }
    }
    return data
  }

  private static func reading<Result>(
    _ path: String, _ limit: Int, _ body: (_ file: Descriptor, _ byteCount: Int) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    let file = try SystemError.repeating { () throws(SystemError) in
      try Descriptor.working.open(FileName(path), for: .reading, followingLinks: true)
    }
    defer { try? file.close() }
    let status = try file.status()
    guard status.kind == .file else { throw .notAFile }
    guard status.byteCount <= limit else { throw .tooLarge }
    return try body(file, status.byteCount)
  }

  /// Replaces a file atomically, and by default durably.
  ///
  /// A symbolic link remains, and the file that it leads to is replaced, or created. The new file has the permissions of
  /// the old one, and its owner if the system allows that.
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file.
  ///   - isDurable: Whether the content outlasts a loss of power.
  /// - Throws: ``SystemFailure``; the old file is then untouched, unless only the folder could not be flushed.
  package static func write(_ data: Data, to url: URL, durably isDurable: Bool = true) throws(SystemFailure) {
    let file = try AtomicFile(PathCalls(try linkEnd(of: url.path)))
    try file.write(data)
    try file.commit(durably: isDurable)
  }

  /// Returns the path at the end of a chain of symbolic links. No file need exist there.
  ///
  /// Only the links of the last name are followed, because only these would be replaced. The system interprets the path to
  /// them. For the system, `..` behind a link is the parent of the link's target. Foundation's resolution removes both names
  /// instead.
  /// - Throws: ``SystemFailure`` if the links lead in a circle.
  package static func linkEnd(of path: String) throws(SystemFailure) -> FileName {
    var end = FileName(path)
    // The system follows as many.
    for _ in 0..<40 {
      guard let target = try? Descriptor.working.target(ofLink: end) else { return end }
      end = target.bytes.first == 0x2F ? target : FileName(bytes: end.folderBytes + target.bytes)
    }
    do {
      _ = try Descriptor.working.status(of: FileName(path), followingLinks: true)
    } catch {
      throw SystemFailure(error, "write \(path)")
    }
    return end
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
  package init(_ url: URL) throws(SystemFailure) {
    file = try AtomicFile(PathCalls(try WholeFile.linkEnd(of: url.path)))
  }

  /// Appends bytes.
  /// - Throws: ``SystemFailure``.
  package func write(_ data: Data) throws(SystemFailure) { try file.write(data) }

  /// Replaces the old file. The release of an object that was not committed removes the temporary file.
  /// - Throws: ``SystemFailure``; the old file is then untouched, unless only the folder could not be flushed.
  package func commit() throws(SystemFailure) { try file.commit() }
}

/// The system's calls for a file that is named by a path.
private final class PathCalls: AtomicFileCalls {
  private let path: FileName
  /// The temporary file; nil before it is created.
  private var temporary: FileName?
  /// The status of the file to replace; nil for a new file.
  private let old: FileStatus?

  init(_ path: FileName) {
    self.path = path
    old = try? Descriptor.working.status(of: path, followingLinks: true)
  }

  private func attempt<Result>(
    _ call: String, _ body: () throws(SystemError) -> Result
  ) throws(SystemFailure) -> Result {
    do {
      return try SystemError.repeating(body)
    } catch {
      throw SystemFailure(error, "\(call) \(path.text)")
    }
  }

  func create() throws(SystemFailure) -> Descriptor {
    // Other users must not read the bytes before the file has its permissions.
    let (file, temporary) = try attempt("write") { () throws(SystemError) in
      try TemporaryFiles.create(beside: path, permissions: old == nil ? 0o666 : 0o600)
    }
    self.temporary = temporary
    guard let old else { return file }
    do throws(SystemFailure) {
      try attempt("write") { () throws(SystemError) in try file.setAccess(like: old) }
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
        try Descriptor.working.move(temporary, to: .working, path)
      }
    }
  }

  func flushFolder() throws(SystemFailure) {
    let bytes = path.folderBytes
    try attempt("flush the folder after replacing") { () throws(SystemError) in
      let folder: Descriptor
      do throws(SystemError) {
        folder = try Descriptor.working.open(
          bytes.isEmpty ? FileName(".") : FileName(bytes: bytes), for: .folder, followingLinks: true)
      } catch {
        // A folder that this process may change but not list cannot be flushed.
        guard error.reason == .noPermission else { throw error }
        return
      }
      defer { try? folder.close() }
      try folder.flushEntries()
    }
  }

  func remove() {
    guard let temporary else { return }
    TemporaryFiles.end(temporary, in: .working) { try? Descriptor.working.removeFile(temporary) }
  }
}

extension FileName {
  /// The bytes of a path up to the last slash, which is included; none if the path is a name.
  var folderBytes: [UInt8] { Array(bytes.dropLast(lastBytes.count)) }

  /// The path of the folder of an absolute path, without a slash at its end; `/` for an entry of the root folder.
  package var folder: FileName {
    let bytes = folderBytes
    let end = bytes.lastIndex { $0 != 0x2F }.map { $0 + 1 } ?? 1
    return FileName(bytes: Array(bytes.prefix(end)))
  }

  /// The bytes of a path after the last slash.
  var lastBytes: ArraySlice<UInt8> { bytes[(bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0)...] }
}
