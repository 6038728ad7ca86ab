// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Synchronization
#endif

// The only file of this module with `unsafe` in it. What it relies on:
// - a mutex is allocated once, initialised before anybody else has it, never moved, and destroyed when nobody has it any
//   more; what it guards is allocated and destroyed with it, and touched between locking and unlocking only;
// - a buffer is handed to the system together with its own length, for one call.

/// Something that one thread at a time may touch.
///
/// It is a mutex of the threads library and not of Swift's, for the thread sanitizer sees on Linux what the former guards
/// and takes what the latter guards for races.
@safe final class Guarded<State: Sendable>: @unchecked Sendable {  // guarded by `mutex`
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// By a pointer, for which the compiler has nobody look whether two use it at once: the mutex sees to that.
    private let state: UnsafeMutablePointer<State>

    init(_ state: State) {
      unsafe self.state = .allocate(capacity: 1)
      unsafe self.state.initialize(to: state)
      unsafe mutex = .allocate(capacity: 1)
      unsafe mutex.initialize(to: pthread_mutex_t())
      unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
      unsafe pthread_mutex_destroy(mutex)
      unsafe mutex.deallocate()
      unsafe state.deinitialize(count: 1)
      unsafe state.deallocate()
    }

    @inline(__always)
    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
      unsafe pthread_mutex_lock(mutex)
      defer { unsafe pthread_mutex_unlock(mutex) }
      return try unsafe body(&state.pointee)
    }
  #else
    private let mutex = Mutex(())
    private var state: State

    init(_ state: State) { self.state = state }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
      try mutex.withLock { _ in try body(&state) }
    }
  #endif
}

/// Lets one writer through at a time, and tells a writer that is inside already from one that has to wait.
@safe final class Gate: @unchecked Sendable {  // it holds nothing but `mutex`
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
      unsafe mutex = .allocate(capacity: 1)
      unsafe mutex.initialize(to: pthread_mutex_t())
      var kind = pthread_mutexattr_t()
      unsafe pthread_mutexattr_init(&kind)
      unsafe pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_ERRORCHECK))
      unsafe pthread_mutex_init(mutex, &kind)
      unsafe pthread_mutexattr_destroy(&kind)
    }

    deinit {
      unsafe pthread_mutex_destroy(mutex)
      unsafe mutex.deallocate()
    }

    /// False if this thread is inside already.
    func enter() -> Bool { unsafe pthread_mutex_lock(mutex) == 0 }

    /// False if anybody is inside.
    func enterIfIdle() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }

    func leave() { unsafe pthread_mutex_unlock(mutex) }
  #else
    private let mutex = Mutex(false)

    /// False if somebody is inside already: without threads, that can only be the one who asks.
    func enter() -> Bool {
      mutex.withLock { isInside in
        defer { isInside = true }
        return !isInside
      }
    }

    /// False if anybody is inside.
    func enterIfIdle() -> Bool { enter() }

    func leave() { mutex.withLock { $0 = false } }
  #endif
}

/// What tells one version of a file from another.
struct FileStamp: Equatable, Sendable {
  var device: UInt64
  var identity: UInt64
  var byteCount: Int64
  var modified: Int64
  var modifiedNanoseconds: Int64
  var changedNanoseconds: Int64
  var permissions: UInt32
  var isPlainFile: Bool
}

/// A failed call of the system, by the number of its error.
struct SystemError: Error {
  let number: Int32
  let call: FileCall

  var isAbsence: Bool { FileCalls.isAbsence(number) }
  var isRefusal: Bool { FileCalls.isRefusal(number) }
  var reason: String { SystemFiles.SystemError(number).message }
}

/// The calls that a store makes.
package enum FileCall: String, Sendable, CaseIterable {
  case open, openLock, create, read, write, flush, rename, flushFolder, status, lock, readCount, writeCount, remove
}

/// An open file, closed when nobody has it any more.
final class OpenFile: Sendable {
  let descriptor: Int32
  init(descriptor: Int32) { self.descriptor = descriptor }
  deinit { FileCalls.close(descriptor) }
}

/// The system's calls on files. A call that fails throws the number of its error; one that a signal interrupts is made
/// again.
struct FileCalls: Sendable {
  /// Makes calls fail, with the numbers that it returns; for tests.
  var fault: (@Sendable (FileCall) -> Int32)?

  private func attempt(_ call: FileCall, _ body: () -> Int) throws(SystemError) -> Int {
    if let number = fault?(call), number != 0 { throw SystemError(number: number, call: call) }
    return try Self.uninterrupted(call, body)
  }

  private static func uninterrupted(_ call: FileCall, _ body: () -> Int) throws(SystemError) -> Int {
    while true {
      let result = body()
      if result >= 0 { return result }
      let number = lastError
      if number != interrupted { throw SystemError(number: number, call: call) }
    }
  }

  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    private static var lastError: Int32 { errno }
    private static let interrupted = EINTR

    func open(_ path: String) throws(SystemError) -> OpenFile {
      // Does not wait for the other end of a pipe.
      let result = try attempt(.open) { Int(Self.systemOpen(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) }
      return OpenFile(descriptor: Int32(result))
    }

    func openLock(_ path: String, creates: Bool) throws(SystemError) -> OpenFile {
      let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (creates ? O_CREAT : 0)
      let result = try attempt(.openLock) { Int(Self.systemOpen(path, flags, 0o600)) }
      return OpenFile(descriptor: Int32(result))
    }

    /// A new file, in the place of what a killed process may have left there; never what a link leads to.
    func create(_ path: String, permissions: UInt32) throws(SystemError) -> OpenFile {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let result = try attempt(.create) {
        let result = Self.systemOpen(path, flags, mode_t(permissions))
        guard result < 0, errno == EEXIST, unsafe unlink(path) == 0 else { return Int(result) }
        return Int(Self.systemOpen(path, flags, mode_t(permissions)))
      }
      let file = OpenFile(descriptor: Int32(result))
      // What the process leaves out of new files' permissions must not be left out of those of a file that is replaced.
      _ = fchmod(file.descriptor, mode_t(permissions))
      return file
    }

    private static func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
      #if canImport(Darwin)
        unsafe Darwin.open(path, flags, mode)
      #elseif canImport(Glibc)
        unsafe Glibc.open(path, flags, mode)
      #else
        unsafe Musl.open(path, flags, mode)
      #endif
    }

    static func close(_ descriptor: Int32) {
      #if canImport(Darwin)
        _ = Darwin.close(descriptor)
      #elseif canImport(Glibc)
        _ = Glibc.close(descriptor)
      #else
        _ = Musl.close(descriptor)
      #endif
    }

    /// All of a file, but not much more than a limit: it may grow while it is read.
    func read(_ file: OpenFile, expecting count: Int, limit: Int) throws(SystemError) -> Data {
      var bytes = [UInt8](repeating: 0, count: min(max(512, count), 1 << 20) + 1)
      var filled = 0
      while true {
        if filled == bytes.count {
          if filled > limit { return Data(bytes) }
          bytes += [UInt8](repeating: 0, count: bytes.count)
        }
        let result = try attempt(.read) {
          unsafe bytes.withUnsafeMutableBytes { buffer in
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            return unsafe pread(file.descriptor, room.baseAddress, room.count, off_t(filled))
          }
        }
        if result == 0 { return Data(bytes[..<filled]) }
        filled += result
      }
    }

    func write(_ bytes: Data, to file: OpenFile) throws(SystemError) {
      var written = 0
      while written < bytes.count {
        let rest = bytes.dropFirst(written)
        written += try attempt(.write) {
          unsafe rest.withUnsafeBytes { unsafe pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(written)) }
        }
      }
    }

    func flush(_ file: OpenFile) throws(SystemError) {
      _ = try attempt(.flush) { Int(Self.systemFlush(file.descriptor)) }
    }

    func flushFolder(_ path: String) throws(SystemError) {
      let result = try attempt(.flushFolder) { Int(Self.systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) }
      let folder = OpenFile(descriptor: Int32(result))
      do throws(SystemError) {
        _ = try Self.uninterrupted(.flushFolder) { Int(Self.systemFlush(folder.descriptor)) }
      } catch {
        // Some file systems cannot flush a folder.
        guard [EINVAL, ENOTSUP, ENOSYS, EBADF].contains(error.number) else { throw error }
      }
    }

    private static func systemFlush(_ descriptor: Int32) -> Int32 {
      #if canImport(Darwin)
        // There, `fsync` leaves the bytes in the disk's own memory.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return fsync(descriptor)
    }

    func rename(_ old: String, _ new: String) throws(SystemError) {
      _ = try attempt(.rename) {
        #if canImport(Darwin)
          Int(unsafe Darwin.rename(old, new))
        #elseif canImport(Glibc)
          Int(unsafe Glibc.rename(old, new))
        #else
          Int(unsafe Musl.rename(old, new))
        #endif
      }
    }

    func remove(_ path: String) throws(SystemError) { _ = try attempt(.remove) { Int(unsafe unlink(path)) } }

    func status(_ path: String) throws(SystemError) -> FileStamp {
      var info = stat()
      _ = try attempt(.status) { Int(unsafe stat(path, &info)) }
      return Self.stamp(info)
    }

    func status(_ file: OpenFile) throws(SystemError) -> FileStamp {
      var info = stat()
      _ = try attempt(.status) { Int(unsafe fstat(file.descriptor, &info)) }
      return Self.stamp(info)
    }

    private static func stamp(_ info: stat) -> FileStamp {
      #if canImport(Darwin)
        let (modified, changed) = (info.st_mtimespec, info.st_ctimespec)
      #else
        let (modified, changed) = (info.st_mtim, info.st_ctim)
      #endif
      return FileStamp(
        device: UInt64(truncatingIfNeeded: info.st_dev), identity: UInt64(info.st_ino), byteCount: Int64(info.st_size),
        modified: Int64(modified.tv_sec), modifiedNanoseconds: Int64(modified.tv_nsec),
        changedNanoseconds: Int64(changed.tv_nsec), permissions: UInt32(info.st_mode) & 0o777,
        isPlainFile: info.st_mode & S_IFMT == S_IFREG)
    }

    /// Takes the lock that all processes share; false if somebody has it.
    func lock(_ file: OpenFile, exclusive: Bool) throws(SystemError) -> Bool {
      do {
        _ = try attempt(.lock) { Int(flock(file.descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB)) }
        return true
      } catch {
        if error.number == EWOULDBLOCK { return false }
        throw error
      }
    }

    func unlock(_ file: OpenFile) { _ = flock(file.descriptor, LOCK_UN) }

    /// The number in a file; 0 if there is none yet.
    func count(in file: OpenFile) throws(SystemError) -> UInt64 {
      var number: UInt64 = 0
      let count = try attempt(.readCount) {
        unsafe withUnsafeMutableBytes(of: &number) { unsafe pread(file.descriptor, $0.baseAddress, $0.count, 0) }
      }
      return count == 8 ? UInt64(littleEndian: number) : 0
    }

    func setCount(_ number: UInt64, in file: OpenFile) throws(SystemError) {
      var number = number.littleEndian
      _ = try attempt(.writeCount) {
        unsafe withUnsafeMutableBytes(of: &number) { unsafe pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }
      }
    }

    static func sleep(microseconds: UInt32) { usleep(microseconds) }

    static func isAbsence(_ number: Int32) -> Bool { number == ENOENT || number == ENOTDIR }
    static func isRefusal(_ number: Int32) -> Bool { number == EACCES || number == EPERM || number == EROFS }
    static func isFullDisk(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }

    /// Writes a line to the standard error.
    static func complain(_ line: String) {
      let bytes = Array((line + "\n").utf8)
      unsafe bytes.withUnsafeBytes { bytes in
        #if canImport(Darwin)
          _ = unsafe Darwin.write(2, bytes.baseAddress, bytes.count)
        #elseif canImport(Glibc)
          _ = unsafe Glibc.write(2, bytes.baseAddress, bytes.count)
        #else
          _ = unsafe Musl.write(2, bytes.baseAddress, bytes.count)
        #endif
      }
    }
  #else
    // Other systems have no such calls: every one fails.
    private static let lastError: Int32 = 1
    private static let interrupted: Int32 = -1
    private func refuse(_ call: FileCall) -> SystemError { SystemError(number: 1, call: call) }
    func open(_ path: String) throws(SystemError) -> OpenFile { throw refuse(.open) }
    func openLock(_ path: String, creates: Bool) throws(SystemError) -> OpenFile { throw refuse(.openLock) }
    func create(_ path: String, permissions: UInt32) throws(SystemError) -> OpenFile { throw refuse(.create) }
    static func close(_ descriptor: Int32) {}
    func read(_ file: OpenFile, expecting count: Int, limit: Int) throws(SystemError) -> Data { throw refuse(.read) }
    func write(_ bytes: Data, to file: OpenFile) throws(SystemError) { throw refuse(.write) }
    func flush(_ file: OpenFile) throws(SystemError) { throw refuse(.flush) }
    func flushFolder(_ path: String) throws(SystemError) { throw refuse(.flushFolder) }
    func rename(_ old: String, _ new: String) throws(SystemError) { throw refuse(.rename) }
    func remove(_ path: String) throws(SystemError) { throw refuse(.remove) }
    func status(_ path: String) throws(SystemError) -> FileStamp { throw refuse(.status) }
    func status(_ file: OpenFile) throws(SystemError) -> FileStamp { throw refuse(.status) }
    func lock(_ file: OpenFile, exclusive: Bool) throws(SystemError) -> Bool { throw refuse(.lock) }
    func unlock(_ file: OpenFile) {}
    func count(in file: OpenFile) throws(SystemError) -> UInt64 { throw refuse(.readCount) }
    func setCount(_ number: UInt64, in file: OpenFile) throws(SystemError) { throw refuse(.writeCount) }
    static func sleep(microseconds: UInt32) {}
    static func isAbsence(_ number: Int32) -> Bool { false }
    static func isRefusal(_ number: Int32) -> Bool { false }
    static func isFullDisk(_ number: Int32) -> Bool { false }
    static func complain(_ line: String) {}
  #endif
}
