// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
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
// - an entry that `readdir` returns is read before the next call on the same stream, and its name ends with a zero;
// - what `strerror` returns ends with a zero, and is copied at once.

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
  /// Throws what the system says went wrong, if the call that was just made did.
  @discardableResult
  private func check<Result: SignedInteger>(_ result: Result) throws(SystemError) -> Result {
    guard result >= 0 else { throw SystemError(errno) }
    return result
  }

  /// The same, to be thrown later: the number of the error as a negative one.
  private func outcome(_ result: Int) -> Int { result >= 0 ? result : -Int(errno) }

  /// Makes a call with a name.
  private func with<Result>(
    _ name: FileName, _ call: (UnsafePointer<CChar>) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    try unsafe (name.bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
      (terminated) throws(SystemError) in
      guard let start = terminated.baseAddress else { throw SystemError(EINVAL) }
      return try unsafe call(start)
    }
  }

  // Outside of the type, whose own calls of these names hide the system's.
  private func systemClose(_ number: Int32) -> Int32 { close(number) }

  private func systemRead(_ number: Int32, _ room: UnsafeMutableRawBufferPointer, at offset: Int?) -> Int {
    guard let offset else { return unsafe read(number, room.baseAddress, room.count) }
    return unsafe pread(number, room.baseAddress, room.count, off_t(offset))
  }

  private func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int?) -> Int {
    guard let offset else { return unsafe write(number, bytes.baseAddress, bytes.count) }
    return unsafe pwrite(number, bytes.baseAddress, bytes.count, off_t(offset))
  }

  // MARK: Opening and closing

  extension Descriptor {
    /// Whether the system has the calls; where it has not, every one of them fails.
    package static let isAvailable = true
    /// The folder that relative paths begin in.
    package static let working = Descriptor(number: AT_FDCWD)

    /// Opens what has a name in this folder. A symbolic link is an error, unless it is to be followed.
    package func open(
      _ name: FileName, for purpose: Purpose, followingLinks: Bool = false
    ) throws(SystemError) -> Descriptor {
      var (flags, permissions): (Int32, UInt32) =
        switch purpose {
        case .folder: (O_RDONLY | O_DIRECTORY, 0)
        case .reading: (O_RDONLY | O_NONBLOCK, 0)
        case .creating(let permissions): (O_WRONLY | O_CREAT | O_EXCL, permissions)
        case .locking(let creates): (O_RDWR | O_NONBLOCK | (creates ? O_CREAT : 0), 0o600)
        }
      flags |= O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW)
      return Descriptor(
        number: try unsafe with(name) { (name) throws(SystemError) in
          try unsafe check(openat(number, name, flags, mode_t(truncatingIfNeeded: permissions)))
        })
    }

    package func close() throws(SystemError) { try check(systemClose(number)) }

    // MARK: Files

    /// Appends what comes next in a file, or what is at an offset, to `bytes`, at most `count` bytes.
    /// - Returns: how many; 0 at the end.
    package func read(
      into bytes: inout Data, atMost count: Int, at offset: Int? = nil
    ) throws(SystemError) -> Int {
      let start = bytes.count
      bytes.count += count
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe outcome(systemRead(number, UnsafeMutableRawBufferPointer(rebasing: buffer[start...]), at: offset))
      }
      bytes.removeLast(count - max(0, read))
      guard read >= 0 else { throw SystemError(Int32(-read)) }
      return read
    }

    /// The rest of a file in one block of memory.
    /// - Parameter count: About how many bytes it has. If it has more, they are moved to a larger block.
    /// - Returns: The bytes.
    /// - Throws: ``SystemError``.
    package func readAll(expecting count: Int) throws(SystemError) -> [UInt8] {
      var failure: SystemError?
      // One byte more shows the end without another block.
      var bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(count, 4095) + 1) { buffer, used in
        while used < buffer.count, failure == nil {
          let read = unsafe outcome(
            systemRead(
              number, UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[used...]), at: nil))
          if read == 0 { return }
          if read > 0 { used += read } else { failure = SystemError(Int32(-read)) }
          if failure?.reason == .interrupted { failure = nil }
        }
      }
      if let failure { throw failure }
      guard bytes.count > count else { return bytes }
      var more = Data()
      while try SystemError.repeating({ () throws(SystemError) in try read(into: &more, atMost: 1 << 20) }) > 0 {
        bytes.append(contentsOf: more)
        more.removeAll(keepingCapacity: true)
      }
      return bytes
    }

    /// Writes some of `bytes`, at least one if there is any, where writing has come to or at an offset.
    /// - Returns: how many.
    package func write(_ bytes: Data, at offset: Int? = nil) throws(SystemError) -> Int {
      let count = unsafe bytes.withUnsafeBytes { unsafe outcome(systemWrite(number, $0, at: offset)) }
      guard count > 0 || bytes.isEmpty else { throw SystemError(count < 0 ? Int32(-count) : EIO) }
      return count
    }

    /// Waits until what was written to a file, or what happened in a folder, is on the disk.
    package func flush() throws(SystemError) {
      #if canImport(Darwin)
        // There, `fsync` leaves the bytes in the disk's own memory.
        if fcntl(number, F_FULLFSYNC) == 0 { return }
      #endif
      try check(fsync(number))
    }

    // MARK: Attributes

    package func status() throws(SystemError) -> FileStatus {
      var info = stat()
      try unsafe check(fstat(number, &info))
      return FileStatus(info)
    }

    /// What is under a name; of a symbolic link, what it is itself, unless it is to be followed.
    package func status(of name: FileName, followingLinks: Bool = false) throws(SystemError) -> FileStatus {
      var info = stat()
      try unsafe with(name) { (name) throws(SystemError) in
        _ = try unsafe check(fstatat(number, name, &info, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW))
      }
      return FileStatus(info)
    }

    package func setPermissions(_ permissions: UInt32) throws(SystemError) {
      try check(fchmod(number, mode_t(truncatingIfNeeded: permissions)))
    }

    /// Does nothing for a file of the process's own owner and group, as new ones are.
    package func setOwner(_ owner: UInt32, group: UInt32) throws(SystemError) {
      if owner != geteuid() || group != getegid() { try check(fchown(number, owner, group)) }
    }

    package func setModified(_ moment: FileStatus.Moment) throws(SystemError) {
      try unsafe check(futimens(number, moment.twice))
    }

    /// Sets when a file, or a symbolic link itself, was changed last.
    package func setModified(_ moment: FileStatus.Moment, of name: FileName) throws(SystemError) {
      try unsafe with(name) { (name) throws(SystemError) in
        _ = try unsafe check(utimensat(number, name, moment.twice, AT_SYMLINK_NOFOLLOW))
      }
    }

    // MARK: Folders

    /// Calls `visit` with each entry of this folder but `.` and `..`, and closes it.
    ///
    /// The bytes of a name are valid during the call only. The kind is nil where the file system does not say.
    package func listAndClose(
      _ visit: (_ name: Span<UInt8>, _ kind: FileStatus.Kind?) -> Void
    ) throws(SystemError) {
      guard let stream = unsafe fdopendir(number) else {
        let error = SystemError(errno)
        try? close()
        throw error
      }
      defer { _ = unsafe closedir(stream) }
      while true {
        errno = 0
        guard let entry = unsafe readdir(stream) else {
          if errno != 0 { throw SystemError(errno) }
          return
        }
        let kind: FileStatus.Kind? =
          switch Int32(unsafe entry.pointee.d_type) {
          case Int32(DT_DIR): .folder
          case Int32(DT_REG): .file
          case Int32(DT_LNK): .link
          case Int32(DT_UNKNOWN): nil
          default: .other
          }
        let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: UInt8.self)
        let count = unsafe strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        let span = unsafe UnsafeBufferPointer(start: name, count: count).span
        if count == 1, span[0] == 0x2E { continue }
        if count == 2, span[0] == 0x2E, span[1] == 0x2E { continue }
        visit(span, kind)
      }
    }

    package func makeFolder(_ name: FileName) throws(SystemError) {
      try unsafe with(name) { (name) throws(SystemError) in _ = try unsafe check(mkdirat(number, name, 0o777)) }
    }

    package func removeFile(_ name: FileName) throws(SystemError) {
      try unsafe with(name) { (name) throws(SystemError) in _ = try unsafe check(unlinkat(number, name, 0)) }
    }

    package func removeFolder(_ name: FileName) throws(SystemError) {
      try unsafe with(name) { (name) throws(SystemError) in
        _ = try unsafe check(unlinkat(number, name, AT_REMOVEDIR))
      }
    }

    /// Gives a file a second name.
    package func link(_ name: FileName, to other: Descriptor, _ newName: FileName) throws(SystemError) {
      try unsafe with(name) { (name) throws(SystemError) in
        try unsafe with(newName) { (newName) throws(SystemError) in
          _ = try unsafe check(linkat(number, name, other.number, newName, 0))
        }
      }
    }

    /// Gives a file or folder another place, in one step.
    package func move(
      _ name: FileName, to other: Descriptor, _ newName: FileName, _ mode: MoveMode = .replacing
    ) throws(SystemError) {
      try unsafe with(name) { (name) throws(SystemError) in
        try unsafe with(newName) { (newName) throws(SystemError) in
          _ = try unsafe check(systemMove(number, name, other.number, newName, mode))
        }
      }
    }

    // MARK: Locks

    /// Locks a file or folder against others who lock it, until it is unlocked or closed, or the process ends.
    /// - Returns: false if somebody else has a lock and the call does not wait.
    package func lock(exclusive: Bool = true, waits: Bool = false) throws(SystemError) -> Bool {
      guard flock(number, (exclusive ? LOCK_EX : LOCK_SH) | (waits ? 0 : LOCK_NB)) != 0 else { return true }
      guard errno == EWOULDBLOCK else { throw SystemError(errno) }
      return false
    }

    package func unlock() { _ = flock(number, LOCK_UN) }
  }

  extension SystemError {
    /// What the system says of it.
    package var message: String { unsafe String(cString: strerror(number)) }
  }

  private let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0

  private func systemMove(
    _ folder: Int32, _ name: UnsafePointer<CChar>, _ other: Int32, _ newName: UnsafePointer<CChar>,
    _ mode: Descriptor.MoveMode
  ) -> Int32 {
    guard mode != .replacing else { return unsafe renameat(folder, name, other, newName) }
    #if canImport(Darwin)
      return unsafe renameatx_np(folder, name, other, newName, UInt32(mode == .exclusive ? RENAME_EXCL : RENAME_SWAP))
    #else
      guard let renameat2 = unsafe renameat2 else {
        errno = ENOSYS
        return -1
      }
      // RENAME_NOREPLACE is 1, RENAME_EXCHANGE 2.
      return unsafe renameat2(folder, name, other, newName, mode == .exclusive ? 1 : 2)
    #endif
  }

  #if !canImport(Darwin)
    /// Found by name, since it is not in the headers that Swift reads and not in every system.
    private var renameat2: (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32)?
    {
      unsafe unsafeBitCast(
        dlsym(nil, "renameat2"),
        to: (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32)?.self)
    }
  #endif

  extension FileStatus.Moment {
    /// For calls that set the time of the last reading, too.
    fileprivate var twice: [timespec] {
      [timespec](repeating: timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)), count: 2)
    }

    fileprivate init(_ time: timespec) { self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) }
  }

  extension FileStatus {
    fileprivate init(_ info: stat) {
      #if canImport(Darwin)
        let (modified, changed) = (info.st_mtimespec, info.st_ctimespec)
      #else
        let (modified, changed) = (info.st_mtim, info.st_ctim)
      #endif
      let kind: Kind =
        switch info.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .other
        }
      self.init(
        kind: kind, byteCount: Int(info.st_size), modified: Moment(modified), changed: Moment(changed),
        identity: Identity(device: UInt64(truncatingIfNeeded: info.st_dev), number: UInt64(info.st_ino)),
        permissions: UInt32(info.st_mode) & 0o7777, owner: info.st_uid, group: info.st_gid,
        nameCount: Int(truncatingIfNeeded: info.st_nlink))
    }
  }
#else
  // Other systems have no such calls: every one fails.
  extension Descriptor {
    package static let isAvailable = false
    package static let working = Descriptor(number: -1)
    private var unsupported: SystemError { SystemError(1) }
    package func open(
      _ name: FileName, for purpose: Purpose, followingLinks: Bool = false
    ) throws(SystemError) -> Descriptor { throw unsupported }
    package func close() throws(SystemError) { throw unsupported }
    package func read(
      into bytes: inout Data, atMost count: Int, at offset: Int? = nil
    ) throws(SystemError) -> Int { throw unsupported }
    package func readAll(expecting count: Int) throws(SystemError) -> [UInt8] { throw unsupported }
    package func write(_ bytes: Data, at offset: Int? = nil) throws(SystemError) -> Int { throw unsupported }
    package func flush() throws(SystemError) { throw unsupported }
    package func status() throws(SystemError) -> FileStatus { throw unsupported }
    package func status(of name: FileName, followingLinks: Bool = false) throws(SystemError) -> FileStatus {
      throw unsupported
    }
    package func setPermissions(_ permissions: UInt32) throws(SystemError) { throw unsupported }
    package func setOwner(_ owner: UInt32, group: UInt32) throws(SystemError) { throw unsupported }
    package func setModified(_ moment: FileStatus.Moment) throws(SystemError) { throw unsupported }
    package func setModified(_ moment: FileStatus.Moment, of name: FileName) throws(SystemError) { throw unsupported }
    package func listAndClose(
      _ visit: (_ name: Span<UInt8>, _ kind: FileStatus.Kind?) -> Void
    ) throws(SystemError) { throw unsupported }
    package func makeFolder(_ name: FileName) throws(SystemError) { throw unsupported }
    package func removeFile(_ name: FileName) throws(SystemError) { throw unsupported }
    package func removeFolder(_ name: FileName) throws(SystemError) { throw unsupported }
    package func link(_ name: FileName, to other: Descriptor, _ newName: FileName) throws(SystemError) {
      throw unsupported
    }
    package func move(
      _ name: FileName, to other: Descriptor, _ newName: FileName, _ mode: MoveMode = .replacing
    ) throws(SystemError) { throw unsupported }
    package func lock(exclusive: Bool = true, waits: Bool = false) throws(SystemError) -> Bool { throw unsupported }
    package func unlock() {}
  }

  extension SystemError {
    package var message: String { "error \(number)" }
  }
#endif
