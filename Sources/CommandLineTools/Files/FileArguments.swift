// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// The kind of entry at a path.
package enum FileKind {
  case none, file, folder, pipe
  /// A device or socket, or a link that leads in a circle.
  case other

  /// Determines the kind; symbolic links are followed.
  package init(_ path: String) {
    do throws(SystemError) {
      switch try Descriptor.working.status(of: FileName(path), followingLinks: true).kind {
      case .file: self = .file
      case .folder: self = .folder
      case .link, .other: self = Terminal.isPipe(path) ? .pipe : .other
      }
    } catch {
      self = error.reason == .link ? .other : .none
    }
  }
}

/// Reads the files that arguments name.
package enum InputFile {
  /// Returns the bytes of a file or pipe, or of standard input for `-`. Shells pass the output of a command as a pipe with
  /// a name, such as `/dev/fd/63`.
  package static func read(_ path: String, on console: Console) throws(Failure) -> Data {
    if path == "-" || path == "/dev/stdin" { return try console.input.readAll() }
    return try read(path)
  }

  /// Calls `body` with pieces of a file or pipe, or of standard input for `-`. Only a file is in memory.
  package static func forEachPiece(
    of path: String, on console: Console, _ body: (Data) throws(Failure) -> Void
  ) throws(Failure) {
    if path == "-" || path == "/dev/stdin" { return try console.input.forEachPiece(body) }
    guard !path.contains("\0"), FileKind(path) == .pipe else { return try body(read(path)) }
    try Terminal.readPipe(path, body)
  }

  /// Returns the bytes of a file or pipe. Here, `-` is the name of a file.
  package static func read(_ path: String) throws(Failure) -> Data {
    guard !path.isEmpty, !path.contains("\0") else { throw missing }
    switch FileKind(path) {
    case .none: break
    case .file: try checkSize(of: path)
    case .pipe: return try Terminal.readPipe(path, limit: ReadLimits.default.maximumByteCount)
    case .folder: throw Failure(.unreadable, "fileAccess", "is a folder, not a file")
    case .other: throw notRegular
    }
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch let error as CocoaError {
      switch error.code {
      case .fileReadNoSuchFile, .fileNoSuchFile, .fileReadInvalidFileName: throw missing
      case .fileReadNoPermission: throw .unreadable("permission denied")
      default: throw unreadable(error.underlying ?? error)
      }
    } catch {
      throw unreadable(error)
    }
  }

  /// Throws if a file is larger than readers accept, before its bytes are in memory.
  private static func checkSize(of path: String) throws(Failure) {
    let limit = ReadLimits.default.maximumByteCount
    guard let count = byteCount(path), count > limit else { return }
    throw Failure(
      .limitReached, "limitReached", "file too large: \(count) bytes; the limit is \(limit)",
      remedy: Failure.fixedLimits)
  }

  /// Returns the failure for an error of Foundation, with the system's text. Foundation's description of the error has the
  /// values of a dictionary, whose order changes.
  private static func unreadable(_ error: any Error) -> Failure { .unreadable(Terminal.text(of: error)) }

  /// Returns up to `count` bytes of a file from `offset` on.
  package static func read(_ path: String, at offset: Int, count: Int) throws(Failure) -> Data {
    guard !path.contains("\0") else { throw missing }
    return Data(try Terminal.readPart(of: path, at: offset, count: count))
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

  package static let missing = Failure(.unreadable, "fileAccess", "no such file")

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
  /// control characters.
  package static func write(_ data: Data, to path: String, isBinary: Bool, force: Bool, on console: Console)
    throws(Failure)
  {
    if path == "-" {
      if console.output.isTerminal, !force { try refuse(data, isBinary: isBinary) }
      // In parts, so that no second copy of a large result is in memory.
      for start in stride(from: data.startIndex, to: data.endIndex, by: 1 << 20) where console.output.isOpen {
        console.output.write([UInt8](data[start..<min(start + 1 << 20, data.endIndex)]))
      }
      return
    }
    let kind = FileKind(path)
    guard !path.isEmpty, !path.contains("\0"), kind != .folder else {
      throw Failure(.notWritten, "fileAccess", "cannot write '\(path)': not the name of a file", remedy: remedy)
    }
    // A symbolic link stays; the file that it points to is replaced, or created.
    let url = target(of: path).resolvingSymlinksInPath()
    do throws(PropertyListError) {
      if kind == .other || kind == .pipe {
        try DurableFile.write(data, toDevice: url)
      } else {
        try DurableFile.write(data, to: url)
      }
    } catch {
      // The error's text names the file.
      throw Failure(.notWritten, "fileAccess", error.detail, remedy: remedy)
    }
  }

  /// Returns the end of a chain of symbolic links, which need not exist. The kernel follows as many.
  private static func target(of path: String) -> URL {
    var url = URL(filePath: path)
    for _ in 0..<40 {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path) else { break }
      url = URL(filePath: next, relativeTo: url.deletingLastPathComponent())
    }
    return url
  }

  /// Throws if the bytes would control a terminal.
  private static func refuse(_ data: Data, isBinary: Bool) throws(Failure) {
    let what: String
    if isBinary {
      what = "binary data is"
    } else if hasControls(String(decoding: data, as: UTF8.self)) {
      what = "text with control characters is"
    } else {
      return
    }
    throw Failure(
      .notWritten, "terminal", "\(what) not written to a terminal",
      remedy: "Name a file with -o or '>', or add --force")
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
