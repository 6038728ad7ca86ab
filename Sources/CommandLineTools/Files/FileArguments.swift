// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat
package import SystemFiles

/// The kind of entry at a path.
package enum FileKind {
  case none, file, folder, pipe
  /// A device or socket, or a link that leads in a circle.
  case other

  /// Determines the kind; symbolic links are followed. What the system does not show counts as missing.
  package init(_ path: String) {
    do throws(SystemError) {
      self = try Self(of: path)
    } catch {
      self = error.reason == .link ? .other : .none
    }
  }

  /// Determines the kind of an existing entry; symbolic links are followed.
  /// - Throws: ``SystemError`` if the entry does not exist, or the system does not show it.
  package init(of path: String) throws(SystemError) {
    switch try Descriptor.working.status(of: FileName(path), followingLinks: true).kind {
    case .file: self = .file
    case .folder: self = .folder
    case .link, .other: self = Terminal.isPipe(path) ? .pipe : .other
    }
  }
}

extension URL {
  /// Creates the URL of a file or folder that an argument names.
  ///
  /// Foundation's initializers replace `~` by the home folder and remove `..` from the text. Behind a symbolic link to a
  /// folder, `..` then names another file than for the system. This URL is absolute. It has `..` only behind a folder that does
  /// not exist.
  /// - Throws: ``Failure`` for a relative path if text cannot represent the path of the current folder, or the folder was removed.
  package init(argument path: String, isFolder: Bool = false) throws(Failure) {
    var path = path
    if path.utf8.first != 0x2F { path = try InputFile.currentFolder() + "/" + path }
    let names = path.utf8.split(separator: 0x2F).map { Array($0) }
    if let last = names.lastIndex(of: [0x2E, 0x2E]) {
      func text(_ names: ArraySlice<[UInt8]>) -> String {
        String(decoding: Array(names.joined(separator: [0x2F])), as: UTF8.self)
      }
      // Behind a missing folder, `..` stays: without it, the URL would name a file that the system does not find at the path.
      if let start = try? Descriptor.realPath(FileName("/" + text(names[...last]))), start.isText {
        path = start.text + "/" + text(names[(last + 1)...])
      }
    }
    self.init(filePath: path, directoryHint: isFolder ? .isDirectory : .inferFromPath)
  }
}

/// Reads the files that arguments name.
package enum InputFile {
  /// Returns whether an argument names standard input, which can be read once.
  package static func isStandardInput(_ path: String) -> Bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(where: path.hasSameBytes(as:))
  }

  /// Returns the path of the current folder.
  ///
  /// Foundation's path of a folder that was removed is empty, and has other characters for bytes that are not valid UTF-8. Files
  /// would then be written to another folder.
  package static func currentFolder() throws(Failure) -> String {
    let folder: FileName
    do throws(SystemError) {
      folder = try Descriptor.realPath(FileName("."))
    } catch {
      throw Failure(
        .unreadable, "fileAccess", "cannot find the current folder: \(error.message)",
        remedy: "Change to an existing folder, or pass absolute paths")
    }
    guard folder.isText else {
      throw Failure(
        .unreadable, "fileAccess", "the path of the current folder is not valid UTF-8",
        remedy: "Rename the folder, or pass absolute paths of other folders")
    }
    return folder.text
  }

  /// Returns the bytes of a file or pipe, or of standard input for `-`. Shells pass the output of a command as a pipe with
  /// a name, such as `/dev/fd/63`.
  package static func read(_ path: String, on console: Console) throws(Failure) -> Data {
    if isStandardInput(path) { return try console.input.readAll() }
    return try read(path)
  }

  /// Calls `body` with pieces of a file or pipe, or of standard input for `-`. Only a file is in memory.
  package static func forEachPiece(
    of path: String, on console: Console, _ body: (Data) throws(Failure) -> Void
  ) throws(Failure) {
    if isStandardInput(path) { return try console.input.forEachPiece(body) }
    guard !path.contains("\0"), FileKind(path) == .pipe else { return try body(read(path)) }
    let pipe = try InputBytes.asking { () throws(SystemError) in try Descriptor.openFile(path, for: .waiting) }
    defer { try? pipe.close() }
    while let piece = try InputBytes.nextPiece(of: pipe) { try body(piece) }
  }

  /// Returns the bytes of a file or pipe. Here, `-` is the name of a file.
  package static func read(_ path: String) throws(Failure) -> Data {
    guard !path.isEmpty, !path.contains("\0") else { throw InputBytes.missing }
    let kind = try InputBytes.asking { () throws(SystemError) in try FileKind(of: path) }
    switch kind {
    case .none: throw InputBytes.missing
    case .file, .pipe: break
    case .folder: throw Failure(.unreadable, "fileAccess", "is a folder, not a file")
    case .other: throw notRegular
    }
    return try InputBytes.data(ofByteCount: byteCount(path)) { (limit) throws(SystemError) in
      try WholeFile.data(at: path, limit: limit, acceptingStreams: kind == .pipe)
    }
  }

  /// Returns up to `count` bytes of a file from `offset` on.
  package static func read(_ path: String, at offset: Int, count: Int) throws(Failure) -> Data {
    guard !path.contains("\0") else { throw InputBytes.missing }
    return try InputBytes.asking { () throws(SystemError) in try WholeFile.part(of: path, at: offset, count: count) }
  }

  /// Returns the size of a file; nil for what is not a regular file.
  package static func byteCount(_ path: String) -> Int? {
    guard !path.isEmpty, !path.contains("\0"),
      let status = try? Descriptor.working.status(of: FileName(path), followingLinks: true), status.kind == .file
    else { return nil }
    return status.byteCount
  }

  /// The failure for a name that text cannot represent.
  package static let invalidName = Failure(
    .unreadable, "fileAccess", "the name is not valid UTF-8", remedy: "Rename it")

  /// The error for a device or socket.
  package static let notRegular = Failure(
    .unreadable, "fileAccess", "is not a regular file",
    remedy: "To read a pipe or device, redirect it to standard input ('< FILE') and pass '-'")
}

/// Writes results to the files that arguments name.
package enum OutputFile {
  /// Writes bytes to a file, or to standard output for `-`.
  ///
  /// The write is atomic, except to a device or pipe. Without `force`, a terminal gets neither binary data nor text with
  /// control characters. A reader that closes standard output early is an error only if the data are binary.
  /// - Parameters:
  ///   - data: The bytes.
  ///   - path: The value of `-o`; nil for the standard output of a command without this option.
  ///   - isBinary: Whether the bytes are not text.
  ///   - force: Whether a terminal gets all bytes; nil for a command without `--force`.
  ///   - console: The console with standard output.
  /// - Throws: ``Failure`` if the bytes cannot be written, or are refused to a terminal.
  package static func write(_ data: Data, to path: String?, isBinary: Bool, force: Bool?, on console: Console)
    throws(Failure)
  {
    func checkTerminal() throws(Failure) {
      guard force != true else { return }
      let file = path == nil ? "Write to a file with '>'" : "Name a file with -o or '>'"
      try refuse(data, isBinary: isBinary, remedy: force == nil ? file : "\(file), or add --force")
    }
    let path = path ?? "-"
    let stream = self.stream(path)
    if stream == 1 {
      if console.output.isTerminal { try checkTerminal() }
      // In parts, so that no second copy of a large result is in memory.
      for start in stride(from: data.startIndex, to: data.endIndex, by: 1 << 20) where console.output.isOpen {
        console.output.write([UInt8](data[start..<min(start + 1 << 20, data.endIndex)]))
      }
      guard isBinary else { return }
      console.output.flush()
      return try checkReader(of: console.output)
    }
    if let stream {
      if Terminal.isTerminal(stream) { try checkTerminal() }
      switch Terminal.write([UInt8](data), to: stream) {
      case .written: return
      case .closed: throw isClosed(path)
      case .failed(let reason): throw cannotWrite(path, reason)
      }
    }
    _ = try fileKind(path)
    // A symbolic link stays; the file that it points to is replaced, or created. A pipe or device receives the bytes.
    let url = try url(path)
    do throws(PropertyListError) {
      try DurableFile.write(data, to: url)
    } catch {
      // The error's text names the file.
      throw Failure(.notWritten, "fileAccess", error.detail, remedy: remedy)
    }
  }

  /// Throws the error of ``write(_:to:isBinary:force:on:)`` for a path that cannot be written, without writing. A full disk is
  /// not found.
  package static func check(_ path: String) throws(Failure) {
    guard stream(path) == nil else { return }
    switch try fileKind(path) {
    case .pipe, .other: return
    case .none, .file, .folder: break
    }
    let url = try url(path)
    guard let end = try? WholeFile.linkEnd(of: url.path) else { throw cannotWrite(path, "its links lead in a circle") }
    let folder = FileName(bytes: Array(end.bytes[...(end.bytes.lastIndex(of: 0x2F) ?? 0)]))
    guard FileKind(folder.text) == .folder else { throw cannotWrite(path, "the folder does not exist") }
    guard FileManager.default.isWritableFile(atPath: folder.text) else { throw cannotWrite(path, "no permission") }
  }

  /// Returns the URL of a file to write.
  package static func url(_ path: String) throws(Failure) -> URL {
    do {
      return try URL(argument: path)
    } catch {
      throw Failure(.notWritten, error.code, error.detail, remedy: error.remedy)
    }
  }

  /// Returns the kind of the entry at a path that a file can be written to.
  private static func fileKind(_ path: String) throws(Failure) -> FileKind {
    let kind = FileKind(path)
    // A name that ends with a slash is that of a folder.
    guard !path.isEmpty, !path.contains("\0"), path.utf8.last != 0x2F, kind != .folder else {
      throw cannotWrite(path, "not the name of a file")
    }
    return kind
  }

  /// Returns the number of the open stream that `-` or a path names, such as 1 for standard output; nil for other paths.
  ///
  /// Such a path leads to the file that a shell redirected the stream to. To replace that file would lose what other programs
  /// write to it.
  package static func stream(_ path: String) -> Int32? {
    if ["-", "/dev/stdout"].contains(where: path.hasSameBytes(as:)) { return 1 }
    if path.hasSameBytes(as: "/dev/stderr") { return 2 }
    for folder in ["/dev/fd/", "/proc/self/fd/"] {
      if let number = path.rest(after: folder) { return Int32(number) }
    }
    return nil
  }

  /// Throws if the reader of standard output closed it. The first lines of a text are of use, but a part of a binary file
  /// is damaged.
  package static func checkReader(of output: TextOutput) throws(Failure) {
    if output.outcome == .closed { throw isClosed("-") }
  }

  private static func isClosed(_ path: String) -> Failure { cannotWrite(path, "the reader closed the pipe") }

  private static func cannotWrite(_ path: String, _ reason: String) -> Failure {
    Failure(.notWritten, "fileAccess", "cannot write '\(path)': \(reason)", remedy: remedy)
  }

  /// Throws if the bytes would control a terminal.
  private static func refuse(_ data: Data, isBinary: Bool, remedy: String) throws(Failure) {
    let what: String
    if isBinary {
      what = "binary data is"
    } else if hasControls(String(decoding: data, as: UTF8.self)) {
      what = "text with control characters is"
    } else {
      return
    }
    throw Failure(.notWritten, "terminal", "\(what) not written to a terminal", remedy: remedy)
  }

  /// Whether a text has control characters other than tabs and ends of lines, which are CR LF in comma-separated values.
  private static func hasControls(_ text: String) -> Bool {
    let bytes = text.utf8
    return text.unicodeScalars.indices.contains { index in
      switch text.unicodeScalars[index] {
      case "\n", "\t": false
      case "\r": !bytes[bytes.index(after: index)...].starts(with: [0x0A])
      case let scalar: EscapedText.isHostile(scalar)
      }
    }
  }

  private static let remedy = "Use -o with a file in an existing folder that you may write to"
}
