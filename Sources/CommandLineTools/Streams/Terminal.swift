// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls of tools: on standard streams, and to read parts of files.
///
/// This is the module's only file that uses `unsafe`. Each use does one of these:
/// - It passes a buffer with its own length for one call.
/// - It passes a structure of the type that the call requires.
/// - It reads a zero-terminated text of the system.
package enum Terminal {
  /// The outcome of a write.
  package enum Outcome: Equatable {
    case written
    /// The reader closed the pipe.
    case closed
    /// The system's error message.
    case failed(String)
  }

  static func isTerminal(_ stream: Int32) -> Bool { isatty(stream) == 1 }

  /// The width of terminals whose width is unknown.
  package static let defaultWidth = 80

  /// Returns the number of columns of a terminal.
  static func width(_ stream: Int32) -> Int {
    var size = winsize()
    let result = unsafe ioctl(stream, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : defaultWidth
  }

  /// Makes writes to a closed pipe fail; by default, they end the process.
  static func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }

  /// The arguments of the process, without its name; nil instead of one that is not valid UTF-8. `CommandLine.arguments` has
  /// replacement characters there, and could name another file.
  static var arguments: [String?] {
    (1..<max(1, Int(CommandLine.argc))).map { index in
      unsafe CommandLine.unsafeArgv[index].flatMap { unsafe String(validatingCString: $0) }
    }
  }

  static func exit(_ code: ExitCode) -> Never {
    #if canImport(Glibc)
      Glibc.exit(code.rawValue)
    #elseif canImport(Musl)
      Musl.exit(code.rawValue)
    #else
      Darwin.exit(code.rawValue)
    #endif
  }

  static func write(_ bytes: [UInt8], to stream: Int32) -> Outcome {
    unsafe bytes.withUnsafeBytes { buffer in
      var rest = unsafe buffer[...]
      while unsafe !rest.isEmpty {
        let count = unsafe systemWrite(stream, UnsafeRawBufferPointer(rebasing: rest))
        if count > 0 {
          unsafe rest = rest.dropFirst(count)
        } else if count == 0 {
          // A count of 0 sets no error number.
          return .failed(errorText(EIO))
        } else if errno == EPIPE {
          return .closed
        } else if errno == EAGAIN {
          wait(for: stream, POLLOUT)
        } else if errno != EINTR {
          return .failed(errorText(errno))
        }
      }
      return .written
    }
  }

  /// Reads a stream to its end, or until more than `limit` bytes are read.
  static func readAll(_ stream: Int32, limit: Int) throws(Failure) -> Data {
    var all = Data()
    while all.count <= limit {
      let more = try readSome(stream)
      if more.isEmpty { break }
      all.append(contentsOf: more)
    }
    return all
  }

  /// Reads up to 64 KiB of a stream; returns no bytes at its end.
  static func readSome(_ stream: Int32) throws(Failure) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe read(stream, buffer.baseAddress, buffer.count)
      }
      if count >= 0 { return Array(chunk[..<count]) }
      switch errno {
      case EAGAIN: wait(for: stream, POLLIN)
      case EINTR: break
      default: throw Failure(.unreadable, "fileAccess", "cannot be read: \(errorText(errno))")
      }
    }
  }

  /// Waits until a stream that another program set to nonblocking is ready. Without this, a slow program at its other end
  /// would keep a processor busy.
  private static func wait(for stream: Int32, _ events: Int32) {
    var request = pollfd(fd: stream, events: Int16(events), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }

  /// Returns whether a path is that of a pipe.
  static func isPipe(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFIFO
  }

  /// Reads a pipe to its end, or until more than `limit` bytes are read. It waits for a writer.
  static func readPipe(_ path: String, limit: Int) throws(Failure) -> Data {
    let pipe = try openPipe(path)
    defer { _ = close(pipe) }
    return try readAll(pipe, limit: limit)
  }

  /// Calls `body` with pieces of a pipe, up to its end.
  static func readPipe(_ path: String, _ body: (Data) throws(Failure) -> Void) throws(Failure) {
    let pipe = try openPipe(path)
    defer { _ = close(pipe) }
    while true {
      let piece = try readSome(pipe)
      if piece.isEmpty { return }
      try body(Data(piece))
    }
  }

  private static func openPipe(_ path: String) throws(Failure) -> Int32 {
    let pipe = unsafe open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard pipe >= 0 else { throw Failure(.unreadable, "fileAccess", "cannot be read: \(errorText(errno))") }
    return pipe
  }

  /// Returns whether a stream has bytes, or has ended, so that a read does not wait.
  static func isReady(_ stream: Int32) -> Bool {
    var request = pollfd(fd: stream, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) != 0
  }

  /// Reads up to `count` bytes of a file, fewer at its end. It does not wait for a pipe that replaced
  /// the file.
  static func readPart(of path: String, at offset: Int, count: Int) throws(Failure) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw Failure.unreadable(errorText(errno)) }
    defer { _ = close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        return unsafe pread(file, rest.baseAddress, rest.count, off_t(offset + filled))
      }
      if more == 0 { break }
      if more > 0 { filled += more } else if errno != EINTR { throw Failure.unreadable(errorText(errno)) }
    }
    return Array(bytes[..<filled])
  }

  private static func systemWrite(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(stream, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      unsafe Musl.write(stream, bytes.baseAddress, bytes.count)
    #else
      unsafe Darwin.write(stream, bytes.baseAddress, bytes.count)
    #endif
  }

  /// Returns the system's message for an error number.
  private static func errorText(_ number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
