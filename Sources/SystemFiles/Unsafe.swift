// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
#if canImport(Darwin)
  import Dispatch
  public import Darwin
#elseif canImport(Glibc)
  import Dispatch
  public import Glibc
#elseif canImport(Musl)
  import Dispatch
  public import Musl
#endif

// The only file of this module that uses `unsafe`. It relies on these facts:
// - a name is passed to the system as zero-terminated bytes that outlive the call;
// - a buffer is passed for one call, with its length;
// - an entry of `readdir` is read before the next call on the stream, and its name is zero-terminated;
// - the results of `strerror` and `realpath` are zero-terminated and copied immediately;
// - the body of a thread is retained until the thread has taken it;
// - a lock's block has one owner, holds an initialized mutex and value until the owner is destroyed, and is never moved;
// - a dispatch source can be used by several threads, though its type is not marked as `Sendable`;
// - the action for a signal makes no call but `signal` and `write`, which are safe in signal handlers, and restores `errno`;
// - the two numbers that `pipe` writes are in an array of two.

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
  /// Throws the system's error if the last call failed.
  @discardableResult
  private func check<Result: SignedInteger>(_ result: Result) throws(SystemError) -> Result {
    guard result >= 0 else { throw SystemError(errno) }
    return result
  }

  /// Returns the result of a call; an error number as a negative one.
  private func outcome(_ result: Int) -> Int { result >= 0 ? result : -Int(errno) }

  private func with<Result>(
    _ name: FileName, _ call: (UnsafePointer<CChar>) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    try unsafe (name.bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
      (terminated) throws(SystemError) in
      guard let start = terminated.baseAddress else { throw SystemError(EINVAL) }
      return try unsafe call(start)
    }
  }

  // These are outside of the type, because its methods hide system functions of the same names.
  private func systemClose(_ number: Int32) -> Int32 { close(number) }

  /// The maximum number of bytes to read or write in a call. Darwin refuses 2 GiB and more, and Linux shortens such calls.
  private let maximumCallByteCount = 1 << 30

  private func systemRead(_ number: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int?) -> Int {
    let count = min(buffer.count, maximumCallByteCount)
    guard let offset else { return unsafe read(number, buffer.baseAddress, count) }
    return unsafe pread(number, buffer.baseAddress, count, off_t(offset))
  }

  private func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int?) -> Int {
    let count = min(bytes.count, maximumCallByteCount)
    guard let offset else { return unsafe write(number, bytes.baseAddress, count) }
    return unsafe pwrite(number, bytes.baseAddress, count, off_t(offset))
  }

  // MARK: Opening and closing

  extension Descriptor {
    /// Whether the system has these calls. Otherwise each of them throws an error.
    package static let isAvailable = true
    /// The folder that relative paths refer to.
    package static let working = Descriptor(number: AT_FDCWD)

    /// Opens an entry of this folder. A symbolic link is an error, unless `followingLinks` is true.
    package func open(
      _ name: FileName, for purpose: Purpose, followingLinks: Bool = false
    ) throws(SystemError) -> Descriptor {
      var (flags, permissions): (Int32, UInt32) =
        switch purpose {
        case .folder: (O_RDONLY | O_DIRECTORY, 0)
        case .reading: (O_RDONLY | O_NONBLOCK, 0)
        case .waiting: (O_RDONLY | O_NOCTTY, 0)
        case .writing: (O_WRONLY | O_NOCTTY, 0)
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

    /// Appends the next bytes of a file, or those at an offset, to `bytes`.
    /// - Returns: The number of bytes, at most `count`; 0 at the end.
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

    /// Reads the next bytes of a file or stream into one block of memory, and waits for those of a stream.
    /// - Parameter count: The number of bytes; the block has fewer at the end of the file.
    /// - Returns: The bytes.
    /// - Throws: ``SystemError``.
    func readBlock(of count: Int) throws(SystemError) -> [UInt8] {
      var failure: SystemError?
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
        while used < count, failure == nil {
          let rest = unsafe UnsafeMutableRawBufferPointer(buffer)[used..<count]
          let read = unsafe outcome(systemRead(number, UnsafeMutableRawBufferPointer(rebasing: rest), at: nil))
          if read == 0 { return }
          if read > 0 { used += read } else { failure = SystemError(Int32(-read)) }
          switch failure?.reason {
          case .interrupted?: failure = nil
          case .notReady?:
            waitUntilReadable()
            failure = nil
          default: break
          }
        }
      }
      if let failure { throw failure }
      return bytes
    }

    /// Waits until a read would not wait. Without this, a slow writer of a stream that another program set to nonblocking would
    /// keep a processor busy.
    func waitUntilReadable() { wait(for: POLLIN) }

    /// Waits until a write would not wait.
    func waitUntilWritable() { wait(for: POLLOUT) }

    private func wait(for event: Int32) {
      var request = pollfd(fd: number, events: Int16(event), revents: 0)
      _ = unsafe poll(&request, 1, -1)
    }

    /// Writes the first of `bytes` at the current position or at an offset.
    /// - Returns: The number of bytes written; at least 1 if `bytes` is not empty.
    package func write(_ bytes: Data, at offset: Int? = nil) throws(SystemError) -> Int {
      let count = unsafe bytes.withUnsafeBytes { unsafe outcome(systemWrite(number, $0, at: offset)) }
      guard count > 0 || bytes.isEmpty else { throw SystemError(count < 0 ? Int32(-count) : EIO) }
      return count
    }

    /// Writes the first of `bytes` to a stream. If nothing reads a pipe any more, that is an error, and not the signal that
    /// ends the process.
    func writeWithoutSignal(_ bytes: Data) throws(SystemError) -> Int {
      var (pipe, former) = (sigset_t(), sigset_t())
      _ = unsafe sigemptyset(&pipe)
      _ = unsafe sigaddset(&pipe, SIGPIPE)
      _ = unsafe pthread_sigmask(SIG_BLOCK, &pipe, &former)
      defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
      let wasPending = Self.isPending(SIGPIPE)
      // The signal is for this thread, also if the reader left after some bytes. A program that ignores it does not get it.
      defer {
        var number: Int32 = 0
        if !wasPending, Self.isPending(SIGPIPE) { _ = unsafe sigwait(&pipe, &number) }
      }
      return try write(bytes)
    }

    private static func isPending(_ signal: Int32) -> Bool {
      var pending = sigset_t()
      return unsafe sigpending(&pending) == 0 && sigismember(&pending, signal) == 1
    }

    /// Waits until the content of a file, or the entries of a folder, are on the disk.
    package func flush() throws(SystemError) {
      #if canImport(Darwin)
        // On Darwin, `fsync` leaves bytes in the cache of the disk.
        if fcntl(number, F_FULLFSYNC) == 0 { return }
      #endif
      try check(fsync(number))
    }

    /// Waits until all changes of the file system with this folder are on the disk. The error of a write since this
    /// descriptor was opened is thrown. Only for file systems of ``MountTable/flushesAtOnce(_:)``.
    package func flushAll() throws(SystemError) {
      #if os(Linux)
        guard let syncfs else { throw SystemError(ENOSYS) }
        try check(syncfs(number))
      #else
        throw SystemError(ENOTSUP)
      #endif
    }

    // MARK: Attributes

    package func status() throws(SystemError) -> FileStatus {
      var info = stat()
      try unsafe check(fstat(number, &info))
      return FileStatus(info)
    }

    /// The status of an entry. The status of a symbolic link is that of the link, unless `followingLinks` is true.
    package func status(of name: FileName, followingLinks: Bool = false) throws(SystemError) -> FileStatus {
      var info = stat()
      try unsafe with(name) { (name) throws(SystemError) in
        _ = try unsafe check(fstatat(number, name, &info, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW))
      }
      return FileStatus(info)
    }

    /// The target of a symbolic link, as the link stores it.
    package func target(ofLink name: FileName) throws(SystemError) -> FileName {
      // No supported system stores a longer target.
      var bytes = [CChar](repeating: 0, count: 1 << 12)
      let capacity = bytes.count
      let count = try unsafe with(name) { (name) throws(SystemError) in
        try unsafe check(readlinkat(number, name, &bytes, capacity))
      }
      return FileName(bytes: bytes[..<count].map { UInt8(bitPattern: $0) })
    }

    /// The absolute path of an existing file or folder, without symbolic links, `.` and `..`.
    package static func realPath(_ path: FileName) throws(SystemError) -> FileName {
      try unsafe with(path) { (path) throws(SystemError) in
        guard let text = unsafe realpath(path, nil) else { throw SystemError(errno) }
        defer { unsafe free(text) }
        return FileName(bytes: unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
      }
    }

    package func setPermissions(_ permissions: UInt32) throws(SystemError) {
      try check(fchmod(number, mode_t(truncatingIfNeeded: permissions)))
    }

    func setOwner(_ owner: UInt32, group: UInt32) throws(SystemError) { try check(fchown(number, owner, group)) }

    package func setModified(_ moment: FileStatus.Moment) throws(SystemError) {
      try unsafe check(futimens(number, moment.twice))
    }

    /// Sets the modification date of a file or of a symbolic link.
    package func setModified(_ moment: FileStatus.Moment, of name: FileName) throws(SystemError) {
      try unsafe with(name) { (name) throws(SystemError) in
        _ = try unsafe check(utimensat(number, name, moment.twice, AT_SYMLINK_NOFOLLOW))
      }
    }

    // MARK: Folders

    /// Calls `visit` for each entry of this folder except `.` and `..`, and closes the folder.
    ///
    /// The bytes of a name are valid only during the call. The kind is nil if the file system does not report it.
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

    /// Gives a file a second name, a hard link.
    package func link(_ name: FileName, to other: Descriptor, _ newName: FileName) throws(SystemError) {
      try unsafe with(name) { (name) throws(SystemError) in
        try unsafe with(newName) { (newName) throws(SystemError) in
          _ = try unsafe check(linkat(number, name, other.number, newName, 0))
        }
      }
    }

    /// Renames a file or folder atomically.
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

    /// Locks a file or folder. The lock ends when it is unlocked or closed, or the process ends.
    /// - Returns: `false` if another lock excludes it.
    package func lock(exclusive: Bool = true) throws(SystemError) -> Bool {
      guard flock(number, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 else { return true }
      guard errno == EWOULDBLOCK else { throw SystemError(errno) }
      return false
    }

    package func unlock() { _ = flock(number, LOCK_UN) }
  }

  // MARK: Threads

  private final class ThreadBody {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Takes the body of a thread, and runs it.
  private func runThread(_ body: UnsafeMutableRawPointer) {
    unsafe Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run()
  }

  /// A thread of the system.
  package enum SystemThread {
    /// Whether ``current`` is another number in each thread.
    package static let areDistinguished = true

    /// The number of the calling thread. After its end, another thread can get the number.
    package static var current: UInt {
      #if canImport(Glibc)
        return UInt(pthread_self())
      #else
        return UInt(bitPattern: unsafe pthread_self())
      #endif
    }

    package static func pause(microseconds: UInt32) { usleep(microseconds) }

    /// Starts a thread that nothing waits for.
    /// - Parameters:
    ///   - stackByteCount: The size of its stack. The threads of some libraries have 128 KiB, too little for deep files.
    ///   - body: What it runs.
    /// - Returns: Whether the system started it.
    package static func start(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
      var attributes = pthread_attr_t()
      guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
      defer { unsafe pthread_attr_destroy(&attributes) }
      unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
      unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      let body = unsafe Unmanaged.passRetained(ThreadBody(body))
      #if canImport(Glibc)
        var thread = pthread_t()
      #else
        var thread: pthread_t?
      #endif
      #if canImport(Darwin)
        let failure = unsafe pthread_create(
          &thread, &attributes,
          {
            unsafe runThread($0)
            return nil
          }, body.toOpaque())
      #else
        let failure = unsafe pthread_create(
          &thread, &attributes,
          {
            if let body = unsafe $0 { unsafe runThread(body) }
            return nil
          }, body.toOpaque())
      #endif
      if failure != 0 { unsafe body.release() }
      return failure == 0
    }
  }

  // MARK: Notices of changes

  #if os(Linux)
    extension Descriptor {
      /// Opens a queue of notices, from which a read does not wait.
      static func noticeQueue() throws(SystemError) -> Descriptor {
        Descriptor(number: try check(inotify_init1(O_NONBLOCK | O_CLOEXEC)))
      }

      /// Adds a folder to this queue, and returns its number in the notices. A folder that was added before keeps its
      /// number.
      func addWatch(_ path: FileName, mask: UInt32) throws(SystemError) -> Int32 {
        try unsafe with(path) { (path) throws(SystemError) in try unsafe check(inotify_add_watch(number, path, mask)) }
      }

      func removeWatch(_ watch: Int32) { _ = inotify_rm_watch(number, watch) }
    }
  #endif

  // MARK: Events

  /// Calls a function whenever a descriptor has bytes to read, never twice at the same time. The function must read them.
  /// The release ends the calls, and closes the descriptor after the last one.
  @safe final class ReadingSource: @unchecked Sendable {  // it holds nothing but `source`
    private let source: any DispatchSourceRead

    /// Begins the calls.
    /// - Parameters:
    ///   - descriptor: The descriptor.
    ///   - closed: Is called after the descriptor was closed.
    ///   - body: The function.
    init(
      _ descriptor: Descriptor, closed: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () -> Void
    ) {
      source = DispatchSource.makeReadSource(
        fileDescriptor: descriptor.number, queue: DispatchQueue(label: "SystemFiles.ReadingSource"))
      source.setEventHandler(handler: body)
      source.setCancelHandler {
        try? descriptor.close()
        closed()
      }
      source.activate()
    }

    deinit { source.cancel() }

    /// Ends the calls, as the release does.
    func cancel() { source.cancel() }
  }

  /// The functions that run before a signal ends the process.
  package enum EndingSignals {
    /// The signal by which other programs ask a process to end: `SIGTERM`.
    package static let termination: [Int32] = [SIGTERM]
    /// The signals of other programs, of Ctrl-C and of a closed terminal: `SIGTERM`, `SIGINT` and `SIGHUP`.
    package static let all: [Int32] = [SIGTERM, SIGINT, SIGHUP]

    private static let functions = Locked<[(signals: [Int32], body: @Sendable () -> Void)]>([])

    /// The ends of a pipe that wakes the thread that calls the function; nil if the system provides none.
    private static let ends: (reading: Int32, writing: Int32)? = {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { return nil }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      return (ends[0], ends[1])
    }()

    /// Waits for a signal. It lives as long as the process.
    private static let source: ReadingSource? = ends.map { ends in
      let pipe = Descriptor(number: ends.reading)
      return ReadingSource(pipe) {
        var bytes = Data()
        _ = try? pipe.read(into: &bytes, atMost: 1)
        guard let number = bytes.first else { return }
        // Without the lock, because a function can wait for work of other threads, which can add functions.
        while let function = takeFunction(for: Int32(number)) { function() }
        _ = signal(Int32(number), SIG_DFL)
        while true {
          _ = kill(getpid(), Int32(number))
          pause()
        }
      }
    }

    /// Removes and returns the first function for a signal.
    private static func takeFunction(for signal: Int32) -> (@Sendable () -> Void)? {
      functions.withLock { functions in
        functions.firstIndex { $0.signals.contains(signal) }.map { functions.remove(at: $0).body }
      }
    }

    /// Calls a function when one of the signals arrives, on another thread, and then ends the process by the signal.
    /// Signals that are ignored or have an action of the program keep it. A second signal of the kind ends the process at
    /// once.
    package static func add(_ signals: [Int32], _ body: @escaping @Sendable () -> Void) {
      functions.withLock { $0.append((signals, body)) }
      guard source != nil else { return }
      for number in signals where isDefault(number) {
        _ = signal(number) { number in
          let error = errno
          _ = signal(number, SIG_DFL)
          if let ends = EndingSignals.ends {
            var byte = UInt8(truncatingIfNeeded: number)
            _ = unsafe write(ends.writing, &byte, 1)
          }
          errno = error
        }
      }
    }

    /// Waits for a signal, for example for the one that ends the process.
    package static func wait() { pause() }

    /// Whether the system's own action for a signal is set.
    private static func isDefault(_ number: Int32) -> Bool {
      var action = sigaction()
      unsafe sigaction(number, nil, &action)
      #if canImport(Darwin)
        return unsafe action.__sigaction_u.__sa_handler == nil
      #elseif canImport(Glibc)
        return unsafe action.__sigaction_handler.sa_handler == nil
      #else
        return unsafe action.__sa_handler.sa_handler == nil
      #endif
    }
  }

  // MARK: Values that threads share

  /// A value that one thread at a time can access and that many threads contend for.
  ///
  /// The mutex is one of the threads library even where Swift has a `Mutex`. On Linux, the latter passes directly to the
  /// next waiter, so an access takes hundreds of times as long when threads outnumber the processors. The thread sanitizer
  /// also reports false races with it.
  ///
  /// A thread that has the lock must not take it again. The type is `usableFromInline`, because otherwise modules that use
  /// it call its methods without specializing them.
  @safe @usableFromInline
  package struct ContendedLocked<Value: Sendable>: ~Copyable, @unchecked Sendable {  // the mutex guards the value
    /// The mutex, which must not move, followed by the value. A pointer adds no exclusivity checks either, because the
    /// mutex guarantees exclusive access.
    @usableFromInline let block: UnsafeMutableRawPointer

    /// Creates a lock.
    /// - Parameter value: The value that it guards.
    @inlinable
    package init(_ value: consuming Value) {
      unsafe block = .allocate(
        byteCount: Self.valueOffset + MemoryLayout<Value>.size,
        alignment: max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment))
      unsafe block.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
      unsafe pthread_mutex_init(mutex, nil)
      unsafe (block + Self.valueOffset).initializeMemory(as: Value.self, to: value)
    }

    @inlinable
    deinit {
      unsafe self.value.deinitialize(count: 1)
      unsafe pthread_mutex_destroy(mutex)
      unsafe block.deallocate()
    }

    /// Waits for the lock and calls `body` with the value.
    @inlinable @inline(__always)
    package borrowing func withLock<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      unsafe pthread_mutex_lock(mutex)
      defer { unsafe pthread_mutex_unlock(mutex) }
      return try unsafe body(&value.pointee)
    }

    /// The offset of the value: the first after the mutex that suits its alignment.
    @inlinable static var valueOffset: Int {
      let alignment = MemoryLayout<Value>.alignment
      return unsafe (MemoryLayout<pthread_mutex_t>.size + alignment - 1) & ~(alignment - 1)
    }

    @inlinable var mutex: UnsafeMutablePointer<pthread_mutex_t> {
      unsafe block.assumingMemoryBound(to: pthread_mutex_t.self)
    }

    @inlinable var value: UnsafeMutablePointer<Value> {
      unsafe (block + Self.valueOffset).assumingMemoryBound(to: Value.self)
    }
  }

  extension SystemError {
    /// The system's text for an error number of the system.
    var systemMessage: String { unsafe String(cString: strerror(number)) }
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
    /// Looked up by name, because some systems and Swift's module map lack it.
    private var renameat2: (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32)?
    {
      unsafe unsafeBitCast(
        dlsym(nil, "renameat2"),
        to: (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32)?.self)
    }

    /// Looked up by name, because Swift's module map lacks it.
    private var syncfs: (@convention(c) (Int32) -> Int32)? {
      unsafe unsafeBitCast(dlsym(nil, "syncfs"), to: (@convention(c) (Int32) -> Int32)?.self)
    }
  #endif

  extension FileStatus.Moment {
    /// The time twice. Calls that also set the access time need it.
    fileprivate var twice: [timespec] {
      [timespec](repeating: timespec(tv_sec: .init(clamping: seconds), tv_nsec: .init(clamping: nanoseconds)), count: 2)
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
        kind: kind, byteCount: Int(clamping: info.st_size), modified: Moment(modified), changed: Moment(changed),
        identity: Identity(device: UInt64(truncatingIfNeeded: info.st_dev), number: UInt64(info.st_ino)),
        permissions: UInt32(info.st_mode) & 0o7777, owner: info.st_uid, group: info.st_gid,
        nameCount: Int(truncatingIfNeeded: info.st_nlink))
    }
  }
#else
  // Other systems do not have these calls, so each throws an error.
  extension Descriptor {
    package static let isAvailable = false
    package static let working = Descriptor(number: -1)
    private var unsupported: SystemError { SystemError(lacking: .openFiles) }
    package func open(
      _ name: FileName, for purpose: Purpose, followingLinks: Bool = false
    ) throws(SystemError) -> Descriptor { throw unsupported }
    package func close() throws(SystemError) { throw unsupported }
    package func read(
      into bytes: inout Data, atMost count: Int, at offset: Int? = nil
    ) throws(SystemError) -> Int { throw unsupported }
    func readBlock(of count: Int) throws(SystemError) -> [UInt8] { throw unsupported }
    func waitUntilReadable() {}
    func waitUntilWritable() {}
    package func write(_ bytes: Data, at offset: Int? = nil) throws(SystemError) -> Int { throw unsupported }
    func writeWithoutSignal(_ bytes: Data) throws(SystemError) -> Int { throw unsupported }
    package func flush() throws(SystemError) { throw unsupported }
    package func flushAll() throws(SystemError) { throw unsupported }
    package func status() throws(SystemError) -> FileStatus { throw unsupported }
    package func status(of name: FileName, followingLinks: Bool = false) throws(SystemError) -> FileStatus {
      throw unsupported
    }
    package func target(ofLink name: FileName) throws(SystemError) -> FileName { throw unsupported }
    package static func realPath(_ path: FileName) throws(SystemError) -> FileName {
      throw SystemError(lacking: .openFiles)
    }
    package func setPermissions(_ permissions: UInt32) throws(SystemError) { throw unsupported }
    func setOwner(_ owner: UInt32, group: UInt32) throws(SystemError) { throw unsupported }
    package func setModified(_ moment: FileStatus.Moment) throws(SystemError) { throw unsupported }
    package func setModified(_ moment: FileStatus.Moment, of name: FileName) throws(SystemError) { throw unsupported }
    package func listAndClose(
      _ visit: (_ name: Span<UInt8>, _ kind: FileStatus.Kind?) -> Void
    ) throws(SystemError) { throw unsupported }
    package func makeFolder(_ name: FileName) throws(SystemError) { throw unsupported }
    package func removeFile(_ name: FileName) throws(SystemError) { throw unsupported }
    package func removeFolder(_ name: FileName) throws(SystemError) { throw unsupported }
    package func link(_ name: FileName, to other: Descriptor, _ newName: FileName) throws(SystemError) {
      throw SystemError(lacking: .hardLinks)
    }
    package func move(
      _ name: FileName, to other: Descriptor, _ newName: FileName, _ mode: MoveMode = .replacing
    ) throws(SystemError) {
      throw SystemError(lacking: mode == .exchanging ? .atomicExchange : .durableReplacement)
    }
    package func lock(exclusive: Bool = true) throws(SystemError) -> Bool {
      throw SystemError(lacking: .fileLocks)
    }
    package func unlock() {}
  }

  package enum SystemThread {
    package static let areDistinguished = false
    package static let current: UInt = 0
    package static func pause(microseconds: UInt32) {}
    package static func start(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) -> Bool { false }
  }

  /// Does nothing: the only system without these calls ends processes without notice.
  package enum EndingSignals {
    package static let termination: [Int32] = []
    package static let all: [Int32] = []
    package static func add(_ signals: [Int32], _ body: @escaping @Sendable () -> Void) {}
    package static func wait() {}
  }

  extension SystemError {
    /// The text for an error number of a system whose texts cannot be called.
    var systemMessage: String { "error \(number)" }
  }
#endif
