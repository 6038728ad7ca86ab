// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The only file of this module with `unsafe` in it. What it relies on:
// - a name is handed to the system as bytes with a zero behind them, which live as long as the call;
// - a buffer is handed over together with its own length, for one call;
// - an entry that `readdir` returns is read before the next call on the same stream, and its name ends with a zero.

/// The system's calls on open folders. Descriptors and counts are returned as they are, errors as negative numbers; calls
/// without a result return 0 or the error's number.
enum DiskCalls {
  /// How a lock was answered.
  enum LockAnswer {
    case locked
    case busy
    case failed(Int32)
  }

  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    private static func descriptor(_ result: Int32) -> Int32 { result >= 0 ? result : -errno }
    private static func number(_ result: Int32) -> Int32 { result == 0 ? 0 : errno }

    private static func withName(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
      var terminated = name.map { CChar(bitPattern: $0) }
      terminated.append(0)
      return unsafe terminated.withUnsafeBufferPointer { unsafe $0.baseAddress.map(body) ?? EINVAL }
    }

    static func openRoot(_ path: String) -> Int32 {
      descriptor(unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }

    static func openFolder(_ folder: Int32, _ name: [UInt8]) -> Int32 {
      unsafe withName(name) { unsafe descriptor(openat(folder, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) }
    }

    /// Does not wait for the other end of a pipe.
    static func openForReading(_ folder: Int32, _ name: [UInt8]) -> Int32 {
      unsafe withName(name) { unsafe descriptor(openat(folder, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) }
    }

    static func create(_ folder: Int32, _ name: [UInt8]) -> Int32 {
      unsafe withName(name) {
        unsafe descriptor(openat(folder, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666))
      }
    }

    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 {
      #if canImport(Darwin)
        number(Darwin.close(descriptor))
      #elseif canImport(Glibc)
        number(Glibc.close(descriptor))
      #else
        number(Musl.close(descriptor))
      #endif
    }

    /// Closes the descriptor in the end.
    static func list(
      closing descriptor: Int32, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
    ) -> Int32 {
      guard let stream = unsafe fdopendir(descriptor) else {
        let number = errno
        close(descriptor)
        return number
      }
      defer { _ = unsafe closedir(stream) }
      while true {
        errno = 0
        guard let entry = unsafe readdir(stream) else { return errno }
        let kind: StorageStatus.Kind =
          switch Int32(unsafe entry.pointee.d_type) {
          case Int32(DT_DIR): .folder
          case Int32(DT_REG): .file
          case Int32(DT_LNK): .link
          case Int32(DT_UNKNOWN): .unknown
          default: .special
          }
        let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: UInt8.self)
        let count = unsafe strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        let span = unsafe UnsafeBufferPointer(start: name, count: count).span
        if count == 1, span[0] == 0x2E { continue }
        if count == 2, span[0] == 0x2E, span[1] == 0x2E { continue }
        visit(span, kind)
      }
    }

    private static let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0

    static func status(_ folder: Int32, _ name: [UInt8]) -> (Int32, StorageStatus) {
      var info = stat()
      let failure = unsafe withName(name) { unsafe number(fstatat(folder, $0, &info, AT_SYMLINK_NOFOLLOW)) }
      return (failure, status(info))
    }

    static func status(_ descriptor: Int32) -> (Int32, StorageStatus) {
      var info = stat()
      let failure = unsafe number(fstat(descriptor, &info))
      return (failure, status(info))
    }

    private static func status(_ info: stat) -> StorageStatus {
      let kind: StorageStatus.Kind =
        switch info.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .special
        }
      #if canImport(Darwin)
        let time = info.st_mtimespec
      #else
        let time = info.st_mtim
      #endif
      return StorageStatus(
        kind: kind, byteCount: Int(info.st_size),
        modified: StorageDate(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)),
        identity: UInt64(info.st_ino))
    }

    static func makeFolder(_ folder: Int32, _ name: [UInt8]) -> Int32 {
      unsafe withName(name) { unsafe number(mkdirat(folder, $0, 0o777)) }
    }

    static func read(_ file: Int32, into bytes: inout Data, atMost count: Int) -> Int {
      let start = bytes.count
      bytes.count += count
      let result = unsafe bytes.withUnsafeMutableBytes { buffer in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
        #if canImport(Darwin)
          return unsafe Darwin.read(file, room.baseAddress, room.count)
        #elseif canImport(Glibc)
          return unsafe Glibc.read(file, room.baseAddress, room.count)
        #else
          return unsafe Musl.read(file, room.baseAddress, room.count)
        #endif
      }
      let failure = Int(errno)
      bytes.removeLast(count - max(0, result))
      return result >= 0 ? result : -failure
    }

    static func write(_ bytes: Data, to file: Int32) -> Int {
      let result = unsafe bytes.withUnsafeBytes { buffer in
        #if canImport(Darwin)
          unsafe Darwin.write(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Glibc)
          unsafe Glibc.write(file, buffer.baseAddress, buffer.count)
        #else
          unsafe Musl.write(file, buffer.baseAddress, buffer.count)
        #endif
      }
      return result >= 0 ? result : -Int(errno)
    }

    static func flush(_ descriptor: Int32) -> Int32 {
      #if canImport(Darwin)
        // There, `fsync` leaves the bytes in the disk's own memory.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return number(fsync(descriptor))
    }

    static func move(
      _ source: Int32, _ name: [UInt8], _ destination: Int32, _ newName: [UInt8], _ mode: StorageMove
    ) -> Int32 {
      unsafe withName(name) { name in
        unsafe withName(newName) { newName in
          guard mode != .replacing else { return unsafe number(renameat(source, name, destination, newName)) }
          #if canImport(Darwin)
            let flags = UInt32(mode == .exclusive ? RENAME_EXCL : RENAME_SWAP)
            return unsafe number(renameatx_np(source, name, destination, newName, flags))
          #else
            guard let renameat2 = unsafe renameat2 else { return ENOSYS }
            // RENAME_NOREPLACE is 1, RENAME_EXCHANGE 2.
            return unsafe number(renameat2(source, name, destination, newName, mode == .exclusive ? 1 : 2))
          #endif
        }
      }
    }

    #if !canImport(Darwin)
      /// Found by name, since it is not in the headers that Swift reads and not in every system.
      private static var renameat2:
        (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32)?
      {
        unsafe unsafeBitCast(
          dlsym(nil, "renameat2"),
          to: (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32)?.self)
      }
    #endif

    /// The exclusive move of a folder for file systems without one: the name is claimed by an empty folder, which the
    /// folder then replaces in one step.
    static func moveByClaiming(
      _ source: Int32, _ name: [UInt8], _ destination: Int32, _ newName: [UInt8]
    ) -> Int32 {
      let (failure, status) = status(source, name)
      guard failure == 0 else { return failure }
      guard status.kind == .folder else {
        let linked = link(source, name, destination, newName)
        return linked == 0 ? removeFile(source, name) : linked
      }
      let claimed = makeFolder(destination, newName)
      guard claimed == 0 else { return claimed }
      let moved = move(source, name, destination, newName, .replacing)
      if moved != 0 { _ = removeFolder(destination, newName) }
      return moved
    }

    static func link(_ source: Int32, _ name: [UInt8], _ destination: Int32, _ newName: [UInt8]) -> Int32 {
      unsafe withName(name) { name in
        unsafe withName(newName) { unsafe number(linkat(source, name, destination, $0, 0)) }
      }
    }

    static func removeFile(_ folder: Int32, _ name: [UInt8]) -> Int32 {
      unsafe withName(name) { unsafe number(unlinkat(folder, $0, 0)) }
    }

    static func removeFolder(_ folder: Int32, _ name: [UInt8]) -> Int32 {
      unsafe withName(name) { unsafe number(unlinkat(folder, $0, AT_REMOVEDIR)) }
    }

    static func setModified(_ folder: Int32, _ name: [UInt8], _ date: StorageDate) -> Int32 {
      let time = timespec(tv_sec: Int(date.seconds), tv_nsec: Int(date.nanoseconds))
      let times = [time, time]
      return unsafe withName(name) { name in
        unsafe times.withUnsafeBufferPointer {
          unsafe number(utimensat(folder, name, $0.baseAddress, AT_SYMLINK_NOFOLLOW))
        }
      }
    }

    static func lock(_ descriptor: Int32, _ kind: StorageLockKind, waits: Bool) -> LockAnswer {
      let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
      if flock(descriptor, operation) == 0 { return .locked }
      return errno == EWOULDBLOCK ? .busy : .failed(errno)
    }

    static func reason(_ number: some BinaryInteger) -> StorageError.Reason {
      switch Int32(truncatingIfNeeded: number) {
      case EEXIST: .exists
      case ENOENT: .notFound
      case ENOTDIR: .notAFolder
      case EISDIR: .notAFile
      case ELOOP: .link
      case ENOTEMPTY: .notEmpty
      case ENOSPC, EDQUOT: .noSpace
      case EACCES, EPERM: .noPermission
      case EROFS: .readOnly
      case EIO: .deviceError
      case EINTR: .interrupted
      case EXDEV: .otherDisk
      case EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, ENOLCK, EBADF: .unsupported
      case ENAMETOOLONG, EILSEQ: .badName
      case EMFILE, ENFILE: .tooManyOpen
      case let number: .other(number)
      }
    }
  #else
    // Other systems have no such calls: every one is answered with "unsupported".
    static func openRoot(_ path: String) -> Int32 { -1 }
    static func openFolder(_ folder: Int32, _ name: [UInt8]) -> Int32 { -1 }
    static func openForReading(_ folder: Int32, _ name: [UInt8]) -> Int32 { -1 }
    static func create(_ folder: Int32, _ name: [UInt8]) -> Int32 { -1 }
    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 { 1 }
    static func list(
      closing descriptor: Int32, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
    ) -> Int32 { 1 }
    private static let nothing = StorageStatus(
      kind: .unknown, byteCount: 0, modified: StorageDate(seconds: 0), identity: 0)
    static func status(_ folder: Int32, _ name: [UInt8]) -> (Int32, StorageStatus) { (1, nothing) }
    static func status(_ descriptor: Int32) -> (Int32, StorageStatus) { (1, nothing) }
    static func makeFolder(_ folder: Int32, _ name: [UInt8]) -> Int32 { 1 }
    static func read(_ file: Int32, into bytes: inout Data, atMost count: Int) -> Int { -1 }
    static func write(_ bytes: Data, to file: Int32) -> Int { -1 }
    static func flush(_ descriptor: Int32) -> Int32 { 1 }
    static func move(
      _ source: Int32, _ name: [UInt8], _ destination: Int32, _ newName: [UInt8], _ mode: StorageMove
    ) -> Int32 { 1 }
    static func moveByClaiming(
      _ source: Int32, _ name: [UInt8], _ destination: Int32, _ newName: [UInt8]
    ) -> Int32 { 1 }
    static func link(_ source: Int32, _ name: [UInt8], _ destination: Int32, _ newName: [UInt8]) -> Int32 { 1 }
    static func removeFile(_ folder: Int32, _ name: [UInt8]) -> Int32 { 1 }
    static func removeFolder(_ folder: Int32, _ name: [UInt8]) -> Int32 { 1 }
    static func setModified(_ folder: Int32, _ name: [UInt8], _ date: StorageDate) -> Int32 { 1 }
    static func lock(_ descriptor: Int32, _ kind: StorageLockKind, waits: Bool) -> LockAnswer { .failed(1) }
    static func reason(_ number: some BinaryInteger) -> StorageError.Reason { number == 0 ? .other(0) : .unsupported }
  #endif
}
