// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls of tools on standard streams.
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
          wait(for: stream)
        } else if errno != EINTR {
          return .failed(errorText(errno))
        }
      }
      return .written
    }
  }

  /// Waits until a stream that another program set to nonblocking is ready. Without this, a slow program at its other end
  /// would keep a processor busy.
  private static func wait(for stream: Int32) {
    var request = pollfd(fd: stream, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }

  /// Returns whether a path is that of a pipe.
  static func isPipe(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFIFO
  }

  /// Returns whether a stream has bytes, or has ended, so that a read does not wait.
  static func isReady(_ stream: Int32) -> Bool {
    var request = pollfd(fd: stream, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) != 0
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
