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

/// What a tool asks of the system about its standard streams, and of files without reading them whole.
///
/// The only file of the module that uses `unsafe`. Each use hands the system a buffer together with that buffer's own
/// length for the duration of one call, or a structure of the type that the call is defined for, or reads a text that
/// the system promises to end with a zero byte.
package enum Terminal {
  /// How a piece of output went.
  package enum Outcome: Equatable {
    /// All of it went out.
    case written
    /// Whoever read the pipe has closed it.
    case closed
    /// The system's reason.
    case failed(String)
  }

  /// Whether a stream is a terminal.
  static func isTerminal(_ stream: Int32) -> Bool { isatty(stream) == 1 }

  /// The width where the system does not know it.
  package static let usualWidth = 80

  /// How many columns a terminal has.
  static func width(_ stream: Int32) -> Int {
    var size = winsize()
    let result = unsafe ioctl(stream, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : usualWidth
  }

  /// Makes a write to a closed pipe an outcome, where the system would end the process.
  static func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }

  /// Ends the process.
  static func exit(_ code: ExitCode) -> Never {
    #if canImport(Glibc)
      Glibc.exit(code.rawValue)
    #elseif canImport(Musl)
      Musl.exit(code.rawValue)
    #else
      Darwin.exit(code.rawValue)
    #endif
  }

  /// Writes all bytes to a stream.
  static func write(_ bytes: [UInt8], to stream: Int32) -> Outcome {
    unsafe bytes.withUnsafeBytes { buffer in
      var rest = unsafe buffer[...]
      while unsafe !rest.isEmpty {
        let count = unsafe systemWrite(stream, UnsafeRawBufferPointer(rebasing: rest))
        if count > 0 {
          unsafe rest = rest.dropFirst(count)
        } else if errno == EPIPE {
          return .closed
        } else if errno != EINTR && errno != EAGAIN {
          return .failed(errorText(errno))
        }
      }
      return .written
    }
  }

  /// Reads a stream to its end, or `limit` bytes and at least one more of it.
  static func readAll(_ stream: Int32, limit: Int) throws(Failure) -> Data {
    var all = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while all.count <= limit {
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe read(stream, buffer.baseAddress, buffer.count)
      }
      if count == 0 { return all }
      if count > 0 {
        all.append(contentsOf: chunk[..<count])
      } else if errno != EINTR && errno != EAGAIN {
        throw Failure(.unreadable, "fileAccess", "cannot be read: \(errorText(errno))")
      }
    }
    return all
  }

  /// Reads some bytes of a stream, as many as there are up to 64 KiB; none at its end.
  static func readSome(_ stream: Int32) throws(Failure) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe read(stream, buffer.baseAddress, buffer.count)
      }
      if count >= 0 { return Array(chunk[..<count]) }
      guard errno == EINTR || errno == EAGAIN else {
        throw Failure(.unreadable, "fileAccess", "cannot be read: \(errorText(errno))")
      }
    }
  }

  /// Some bytes of a file, fewer where it ends; nil if it cannot be read. Whoever put a pipe in the file's place since it was
  /// looked at makes nobody wait.
  static func readPart(of path: String, at offset: Int, count: Int) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { _ = close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        return unsafe pread(file, rest.baseAddress, rest.count, off_t(offset + filled))
      }
      if more == 0 { break }
      if more > 0 { filled += more } else if errno != EINTR { return nil }
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

  /// The system's text for an error number.
  private static func errorText(_ number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
