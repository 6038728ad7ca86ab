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
  ///   - limit: The maximum number of bytes. A sparse file can have more than the memory, and a pipe can have no end.
  ///   - acceptsStreams: Whether the path can be that of a pipe or device, which is read to its end.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError``; its reason is ``SystemError/Reason/notAFile`` for a folder, and for a pipe or device that is
  ///   not accepted. It is ``SystemError/tooLarge`` if the file states or has more bytes than the limit.
  package static func bytes(
    at path: String, limit: Int = defaultLimit, acceptingStreams acceptsStreams: Bool = false
  ) throws(SystemError) -> [UInt8] {
    try reading(path, limit, acceptsStreams) { (file, count) throws(SystemError) in
      // One more byte detects the end without another block.
      let room = max(count, 4095) + 1
      var bytes = try file.readBlock(of: room)
      guard bytes.count <= limit else { throw .tooLarge }
      if bytes.count == room {
        try readRest(of: file, after: room, limit: limit) { bytes.append(contentsOf: $0) }
      }
      return bytes
    }
  }

  /// Reads a file into data, and follows symbolic links.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum number of bytes. A sparse file can have more than the memory, and a pipe can have no end.
  ///   - acceptsStreams: Whether the path can be that of a pipe or device, which is read to its end.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError``; its reason is ``SystemError/Reason/notAFile`` for a folder, and for a pipe or device that is
  ///   not accepted. It is ``SystemError/tooLarge`` if the file states or has more bytes than the limit.
  package static func data(
    at path: String, limit: Int = defaultLimit, acceptingStreams acceptsStreams: Bool = false
  ) throws(SystemError) -> Data {
    try reading(path, limit, acceptsStreams) { (file, count) throws(SystemError) in
      var data = Data(capacity: count)
      while data.count < count {
        guard try file.readNext(into: &data, atMost: count - data.count) > 0 else { return data }
      }
      try readRest(of: file, after: count, limit: limit) { data.append($0) }
      return data
    }
  }

  /// Reads an open stream to its end, such as standard input.
  /// - Parameters:
  ///   - stream: The stream.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError``; it is ``SystemError/tooLarge`` if more bytes come than the limit allows.
  package static func data(of stream: Descriptor, limit: Int) throws(SystemError) -> Data {
    var data = Data()
    try readRest(of: stream, after: 0, limit: limit) { data.append($0) }
    return data
  }

  /// Reads a part of a file, and follows symbolic links. It does not wait for a pipe that replaced the file.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - offset: The offset of the part.
  ///   - count: The number of bytes; the part has fewer at the end of the file.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError``.
  package static func part(of path: String, at offset: Int, count: Int) throws(SystemError) -> Data {
    try reading(path, .max, false) { (file, _) throws(SystemError) in
      var data = Data()
      while data.count < count {
        let more = try SystemError.repeating { () throws(SystemError) in
          try file.read(into: &data, atMost: count - data.count, at: offset + data.count)
        }
        if more == 0 { break }
      }
      return data
    }
  }

  /// The limit of a caller that names none.
  package static let defaultLimit = 1 << 30

  /// The number of bytes that a read of unknown length asks for.
  private static let pieceByteCount = 1 << 16

  /// Reads the bytes behind those that a file states. Files of `/proc` state no size, another program can append to a file, and
  /// a stream has no size. Most files have no such bytes.
  private static func readRest(
    of file: Descriptor, after count: Int, limit: Int, _ append: (Data) -> Void
  ) throws(SystemError) {
    var total = count
    var piece = Data()
    while try file.readNext(into: &piece, atMost: total == count && count > 0 ? 4096 : pieceByteCount) > 0 {
      // The sum of a limit and a piece can exceed an integer.
      guard piece.count <= limit - total else { throw .tooLarge }
      total += piece.count
      append(piece)
      piece.removeAll(keepingCapacity: true)
    }
  }

  /// Opens a file, and a stream if it is accepted.
  ///
  /// A stream must be known before it is opened, because to open and close a pipe can end its writer. Opened without waiting,
  /// a pipe has no bytes before a program writes.
  private static func reading<Result>(
    _ path: String, _ limit: Int, _ acceptsStreams: Bool,
    _ body: (_ file: Descriptor, _ byteCount: Int) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    let isStream = acceptsStreams && Self.isStream(path)
    let file = try Descriptor.openFile(path, for: isStream ? .waiting : .reading)
    defer { try? file.close() }
    let status = try file.status()
    switch status.kind {
    case .file: break
    case .other where isStream: return try body(file, 0)
    case .folder, .link, .other: throw .notAFile
    }
    guard status.byteCount <= limit, status.byteCount < .max - pieceByteCount else { throw .tooLarge }
    return try body(file, status.byteCount)
  }

  /// Replaces a file atomically, and by default durably.
  ///
  /// A symbolic link remains, and the file that it leads to is replaced, or created. The new file has the permissions of
  /// the old one, and its owner if the system allows that. A pipe or device is not replaced: it receives the bytes.
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file.
  ///   - isDurable: Whether the content outlasts a loss of power.
  /// - Throws: ``SystemFailure``; the old file is then untouched, unless only the folder could not be flushed.
  package static func write(_ data: Data, to url: URL, durably isDurable: Bool = true) throws(SystemFailure) {
    if isStream(url.path) { return try write(data, toStream: url.path) }
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

  /// Returns whether a path leads to a pipe or device, which a write must not replace.
  fileprivate static func isStream(_ path: String) -> Bool { FileStatus.Kind(at: path) == .other }

  private static func write(_ data: Data, toStream path: String) throws(SystemFailure) {
    let stream = try WrittenStream(path)
    defer { stream.close() }
    try stream.write(data)
  }
}

/// A pipe or device that receives bytes.
private struct WrittenStream {
  private let path: String
  private let stream: Descriptor

  /// Opens it; a pipe waits for a reader.
  init(_ path: String) throws(SystemFailure) {
    self.path = path
    do throws(SystemError) {
      stream = try Descriptor.openFile(path, for: .writing)
    } catch {
      throw SystemFailure(error, "write \(path)")
    }
  }

  func write(_ data: Data) throws(SystemFailure) {
    var rest = data
    do throws(SystemError) {
      while !rest.isEmpty { rest = rest.dropFirst(try stream.writeNext(rest)) }
    } catch {
      throw SystemFailure(error, "write \(path)")
    }
  }

  func close() { try? stream.close() }
}

extension Descriptor {
  /// Opens an entry by its path, and follows symbolic links.
  package static func openFile(_ path: String, for purpose: Purpose) throws(SystemError) -> Descriptor {
    try SystemError.repeating { () throws(SystemError) in
      try working.open(FileName(path), for: purpose, followingLinks: true)
    }
  }

  /// Appends the next bytes of a file or stream, and waits for those of a stream.
  /// - Returns: The number of bytes, at most `count`; 0 at the end.
  package func readNext(into bytes: inout Data, atMost count: Int) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) {
        return try read(into: &bytes, atMost: count)
      } catch {
        switch error.reason {
        case .interrupted: break
        // Another program can have set the stream to nonblocking.
        case .notReady: waitUntilReadable()
        default: throw error
        }
      }
    }
  }

  /// Writes the first of some bytes to a stream, and waits for its reader.
  /// - Returns: The number of bytes written, at least 1.
  /// - Throws: ``SystemError``.
  fileprivate func writeNext(_ bytes: Data) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) {
        return try writeWithoutSignal(bytes)
      } catch {
        switch error.reason {
        case .interrupted: break
        case .notReady: waitUntilWritable()
        default: throw error
        }
      }
    }
  }
}

extension FileStatus.Kind {
  /// The kind of the entry at a path, behind symbolic links; nil if no entry is there, or the system does not show it.
  fileprivate init?(at path: String) {
    guard let status = try? Descriptor.working.status(of: FileName(path), followingLinks: true) else { return nil }
    self = status.kind
  }
}

/// A file that is written in pieces, and replaces the old one atomically and durably at the end. A pipe or device is not
/// replaced, and receives each piece at once.
package final class ReplacedFile {
  private enum Target {
    case file(AtomicFile<PathCalls>)
    case stream(WrittenStream)
  }

  private let target: Target

  /// Creates the temporary file in the folder of a file, which must exist. If the file is a symbolic link, the one that it
  /// leads to is replaced.
  /// - Throws: ``SystemFailure``.
  package init(_ url: URL) throws(SystemFailure) {
    target =
      WholeFile.isStream(url.path)
      ? .stream(try WrittenStream(url.path)) : .file(try AtomicFile(PathCalls(try WholeFile.linkEnd(of: url.path))))
  }

  deinit { if case .stream(let stream) = target { stream.close() } }

  /// Appends bytes.
  /// - Throws: ``SystemFailure``.
  package func write(_ data: Data) throws(SystemFailure) {
    switch target {
    case .file(let file): try file.write(data)
    case .stream(let stream): try stream.write(data)
    }
  }

  /// Replaces the old file. The release of an object that was not committed removes the temporary file.
  /// - Throws: ``SystemFailure``; the old file is then untouched, unless only the folder could not be flushed.
  package func commit() throws(SystemFailure) { if case .file(let file) = target { try file.commit() } }
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
