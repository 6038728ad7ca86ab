// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The only file of this module with `unsafe` in it. What it relies on:
// - every load and view below goes through a span's own bounds check, so an offset that a caller failed to prove traps
//   and never reads outside; "unsafe" here is about viewing bytes as integers, for which every bit pattern is valid;
// - a pointer never leaves the closure it is handed to;
// - the C calls below take strings that Swift terminates, and no pointer that outlives them;
// - names of files are handed over as bytes with a zero behind them, buffers with their own length, for one call each; an
//   entry that `readdir` returns is read before the next call on the same stream, and its name ends with a zero;
// - addresses on the stack are compared as numbers and never followed.

@_spi(Archiving) extension Span where Element == UInt8 {
  /// The big-endian unsigned integer of `width` bytes, 1 to 8, at `offset`.
  @inlinable @inline(__always)
  public func bigEndian(at offset: Int, width: Int) -> UInt64 {
    switch width {
    case 1: UInt64(self[offset])
    case 2: UInt64(UInt16(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    case 4: UInt64(UInt32(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    case 8: UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    default: bigEndianOddWidth(at: offset, width: width)
    }
  }

  /// The same for the widths 3, 5, 6 and 7, which only other writers than Apple's use.
  @inlinable
  public func bigEndianOddWidth(at offset: Int, width: Int) -> UInt64 {
    var value: UInt64 = 0
    for i in 0..<width { value = value << 8 | UInt64(self[offset &+ i]) }
    return value
  }

  /// A copy of `range` as data.
  public func data(in range: Range<Int>) -> Data {
    unsafe extracting(range).withUnsafeBytes { unsafe Data($0) }
  }

  /// A copy of `range` as an array.
  public func array(in range: Range<Int>) -> [UInt8] {
    unsafe extracting(range).withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Whether these are the same bytes as others, of which there are as many.
  func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var i = 0
    while i &+ 8 <= count {
      if bigEndian(at: i, width: 8) != other.bigEndian(at: i, width: 8) { return false }
      i &+= 8
    }
    while i < count {
      if self[i] != other[i] { return false }
      i &+= 1
    }
    return true
  }

  /// Whether two ranges of these bytes have the same content.
  @inlinable
  public func areEqual(at a: Int, and b: Int, count: Int) -> Bool {
    var i = 0
    while i &+ 8 <= count {
      let x = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: a &+ i, as: UInt64.self)
      let y = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: b &+ i, as: UInt64.self)
      if x != y { return false }
      i &+= 8
    }
    while i < count {
      if self[a &+ i] != self[b &+ i] { return false }
      i &+= 1
    }
    return true
  }
}

/// Bytes in one growing block of memory, to be handed over as `Data` without a copy.
///
/// `[UInt8]` asks at each store whether the array has one owner; this has one by its type. What it relies on:
/// - `base` points to `capacity` bytes from `malloc`, which it alone owns and frees, or hands over once;
/// - every store and copy checks that it stays within these, and traps if its caller did not make room.
@safe
@_spi(Archiving) public struct GrowingBytes: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawPointer?
  @usableFromInline var capacity = 0

  /// No bytes, and no room for any yet.
  public init() { unsafe base = nil }

  deinit { unsafe free(base) }

  /// Makes room for bytes up to `count`. What was not written yet is not zero.
  @inlinable @inline(__always)
  public mutating func makeRoom(_ count: Int) {
    if count > capacity { grow(to: count) }
  }

  @usableFromInline @inline(never)
  mutating func grow(to count: Int) {
    let wanted = capacity == 0 ? count : max(count, capacity + capacity / 2)
    guard let grown = unsafe realloc(base, wanted) else { preconditionFailure("no memory for \(wanted) bytes") }
    unsafe base = grown
    capacity = wanted
  }

  /// Stores one byte.
  @inlinable @inline(__always)
  public mutating func store(_ byte: UInt8, at offset: Int) {
    guard let base = unsafe base, offset >= 0, offset < capacity else { preconditionFailure("no room was made") }
    unsafe base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
  }

  /// Stores eight bytes, most significant first.
  @inlinable @inline(__always)
  public mutating func store(bigEndian value: UInt64, at offset: Int) {
    guard let base = unsafe base, offset >= 0, offset &+ 8 <= capacity else {
      preconditionFailure("no room was made")
    }
    unsafe base.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// The first `count` bytes, all of which were written.
  @inlinable @inline(__always)
  public func withBytes<Failure: Error>(_ count: Int, _ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    precondition(count >= 0 && count <= capacity, "no room was made")
    guard count > 0, let base = unsafe base else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: base, count: count)
    try unsafe body(bytes.assumingMemoryBound(to: UInt8.self).span)
  }

  /// Stores bytes.
  @inlinable @inline(__always)
  public mutating func store(_ bytes: Span<UInt8>, at offset: Int) {
    guard bytes.count > 0 else { return }
    guard let base = unsafe base, offset >= 0, bytes.count <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe base.advanced(by: offset).copyMemory(from: start, byteCount: bytes.count)
    }
  }

  /// Stores a copy of bytes that were written, `count` of them from `source` on, behind which `offset` lies.
  @inlinable @inline(__always)
  public mutating func copy(_ count: Int, from source: Int, to offset: Int) {
    guard let base = unsafe base, count >= 0, source >= 0, source &+ count <= offset, count <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    unsafe base.advanced(by: offset).copyMemory(from: base + source, byteCount: count)
  }

  /// Stores the low `width` bytes, 1 or 2, of each big-endian number of four bytes.
  public mutating func store(low width: Int, ofEachFourIn numbers: Span<UInt8>, at offset: Int) {
    let count = numbers.count / 4
    guard count > 0 else { return }
    guard let base = unsafe base, 1...2 ~= width, offset >= 0, count &* width <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    for place in 0..<count {
      let number = numbers.bigEndian(at: 4 &* place, width: 4)
      if width == 1 {
        unsafe base.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: offset &+ place, as: UInt8.self)
      } else {
        unsafe base.storeBytes(
          of: UInt16(truncatingIfNeeded: number).bigEndian, toByteOffset: offset &+ 2 &* place, as: UInt16.self)
      }
    }
  }

  /// Hands over the first `count` bytes, all of which were written, and is empty again.
  public mutating func take(_ count: Int) -> Data {
    precondition(count <= capacity, "no room was made")
    guard count > 0, let full = unsafe base else { return Data() }
    // A few bytes are copied in less time than it takes to give back what is left of a block.
    if count <= 2048 { return unsafe Data(bytes: full, count: count) }
    // The rest goes back to the system.
    let whole = unsafe realloc(full, count) ?? full
    unsafe base = nil
    capacity = 0
    return unsafe Data(bytesNoCopy: whole, count: count, deallocator: .free)
  }
}

/// Blocks of memory from the C library.
package enum RawMemory {
  /// A block for `count` elements with the content of another, which is gone then.
  package static func resized(_ base: UnsafeMutableRawPointer?, to count: Int, stride: Int) -> UnsafeMutableRawPointer {
    let (size, overflow) = count.multipliedReportingOverflow(by: stride)
    guard !overflow, let resized = unsafe realloc(base, size) else {
      preconditionFailure("no memory for \(count) elements")
    }
    return unsafe resized
  }

  package static func release(_ base: UnsafeMutableRawPointer?) { unsafe free(base) }
}

/// Calls of the operating system that Foundation does not have.
package enum SystemCall {
  /// Waits until what was written to a file, or what happened in a folder, is on the disk.
  /// - Returns: 0, or the number of the error.
  package static func flush(_ path: String) -> Int32 {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
      let descriptor = unsafe open(path, O_RDONLY)
      guard descriptor >= 0 else { return errno }
      defer { _ = close(descriptor) }
      return fsync(descriptor) == 0 ? 0 : errno
    #else
      return 0
    #endif
  }

  /// Gives a file another name, in the place of what had that name before; nobody ever sees neither.
  /// - Returns: 0, or the number of the error; nil where the system has no such call.
  package static func rename(_ old: String, _ new: String) -> Int32? {
    #if canImport(Darwin)
      return unsafe Darwin.rename(old, new) == 0 ? 0 : errno
    #elseif canImport(Glibc)
      return unsafe Glibc.rename(old, new) == 0 ? 0 : errno
    #elseif canImport(Musl)
      return unsafe Musl.rename(old, new) == 0 ? 0 : errno
    #else
      return nil
    #endif
  }

  /// What the system says of an error.
  package static func message(_ number: Int32) -> String {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
      return unsafe String(cString: strerror(number))
    #else
      return "error \(number)"
    #endif
  }
}

/// Calls on open folders, by the names in them. Descriptors are returned as they are, errors as negative numbers; calls
/// without a result return 0 or the error's number.
enum FolderCall {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    private static func descriptor(_ result: Int32) -> Int32 { result >= 0 ? result : -errno }
    private static func number(_ result: Int32) -> Int32 { result == 0 ? 0 : errno }

    private static func withName(_ name: FileName, _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
      var terminated = name.bytes.map { CChar(bitPattern: $0) }
      terminated.append(0)
      return unsafe terminated.withUnsafeBufferPointer { unsafe $0.baseAddress.map(body) ?? EINVAL }
    }

    static func open(_ path: String) -> Int32 {
      #if canImport(Darwin)
        descriptor(unsafe Darwin.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
      #elseif canImport(Glibc)
        descriptor(unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
      #else
        descriptor(unsafe Musl.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
      #endif
    }

    static func openFolder(_ folder: Int32, _ name: FileName) -> Int32 {
      unsafe withName(name) { unsafe descriptor(openat(folder, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) }
    }

    /// Does not wait for the other end of a pipe.
    static func openFile(_ folder: Int32, _ name: FileName) -> Int32 {
      unsafe withName(name) { unsafe descriptor(openat(folder, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) }
    }

    /// Nobody else may read it until it has its permissions.
    static func create(_ folder: Int32, _ name: FileName) -> Int32 {
      unsafe withName(name) {
        unsafe descriptor(openat(folder, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
      }
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

    /// The names in a folder, without `.` and `..`. Closes the descriptor.
    static func names(closing descriptor: Int32) -> (names: [FileName], failure: Int32) {
      guard let stream = unsafe fdopendir(descriptor) else {
        let number = errno
        close(descriptor)
        return ([], number)
      }
      defer { _ = unsafe closedir(stream) }
      var names: [FileName] = []
      while true {
        errno = 0
        guard let entry = unsafe readdir(stream) else { return (names, errno) }
        let text = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: UInt8.self)
        let count = unsafe strlen(UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))
        let name = FileName(bytes: unsafe [UInt8](UnsafeBufferPointer(start: text, count: count)))
        if name.isPlain { names.append(name) }
      }
    }

    private static let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0

    static func status(_ folder: Int32, _ name: FileName) -> (FileStatus, failure: Int32) {
      var info = stat()
      let failure = unsafe withName(name) { unsafe number(fstatat(folder, $0, &info, AT_SYMLINK_NOFOLLOW)) }
      return (FileStatus(info), failure)
    }

    static func status(_ descriptor: Int32) -> (FileStatus, failure: Int32) {
      var info = stat()
      let failure = unsafe number(fstat(descriptor, &info))
      return (FileStatus(info), failure)
    }

    /// Reads on until there are `count` bytes, or the end is reached.
    static func read(_ file: Int32, into bytes: inout Data, upTo count: Int) -> Int32 {
      while bytes.count < count {
        let start = bytes.count
        let wanted = min(count - start, 1 << 20)
        bytes.count = start + wanted
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
        let failure = errno
        bytes.count = start + max(0, result)
        if result == 0 { return 0 }
        if result < 0, failure != EINTR { return failure }
      }
      return 0
    }

    static func write(_ bytes: Data, to file: Int32) -> Int32 {
      unsafe bytes.withUnsafeBytes { all in
        var rest = unsafe all[...]
        while unsafe !rest.isEmpty {
          let buffer = unsafe UnsafeRawBufferPointer(rebasing: rest)
          #if canImport(Darwin)
            let count = unsafe Darwin.write(file, buffer.baseAddress, buffer.count)
          #elseif canImport(Glibc)
            let count = unsafe Glibc.write(file, buffer.baseAddress, buffer.count)
          #else
            let count = unsafe Musl.write(file, buffer.baseAddress, buffer.count)
          #endif
          if count > 0 {
            unsafe rest = rest.dropFirst(count)
          } else if errno != EINTR {
            return errno == 0 ? EIO : errno
          }
        }
        return 0
      }
    }

    static func flush(_ descriptor: Int32) -> Int32 {
      #if canImport(Darwin)
        // There, `fsync` leaves the bytes in the disk's own memory.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return number(fsync(descriptor))
    }

    static func rename(_ folder: Int32, _ name: FileName, to newName: FileName) -> Int32 {
      unsafe withName(name) { old in unsafe withName(newName) { unsafe number(renameat(folder, old, folder, $0)) } }
    }

    static func link(_ folder: Int32, _ name: FileName, _ other: Int32, _ newName: FileName) -> Int32 {
      unsafe withName(name) { old in unsafe withName(newName) { unsafe number(linkat(folder, old, other, $0, 0)) } }
    }

    static func remove(_ folder: Int32, _ name: FileName) -> Int32 {
      unsafe withName(name) { unsafe number(unlinkat(folder, $0, 0)) }
    }

    static func makeFolder(_ folder: Int32, _ name: FileName) -> Int32 {
      unsafe withName(name) { unsafe number(mkdirat(folder, $0, 0o777)) }
    }

    /// Gives an open file another file's owner where that is allowed, its permissions and its time of change.
    static func copyAttributes(of status: FileStatus, to file: Int32) -> Int32 {
      if status.owner != geteuid() || status.group != getegid() { _ = fchown(file, status.owner, status.group) }
      guard fchmod(file, mode_t(truncatingIfNeeded: status.permissions)) == 0 else { return errno }
      let time = timespec(tv_sec: Int(status.modified.seconds), tv_nsec: Int(status.modified.nanoseconds))
      let times = [time, time]
      return unsafe times.withUnsafeBufferPointer { unsafe number(futimens(file, $0.baseAddress)) }
    }

    /// Locks an open file unless somebody else has. The lock ends when the file is closed, or with the process.
    static func lock(_ file: Int32) -> Bool { flock(file, LOCK_EX | LOCK_NB) == 0 }

    static let notFound = ENOENT
    static let exists = EEXIST
    static let notAFile = EISDIR
    static let isLink = ELOOP
    /// What a file system answers that has no second names, or where the other place is on another one.
    static func cannotLink(_ number: Int32) -> Bool {
      [EXDEV, EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK, EACCES].contains(number)
    }
    /// What a file system answers that cannot flush a folder.
    static func cannotFlush(_ number: Int32) -> Bool { [EINVAL, ENOTSUP, ENOSYS, EBADF].contains(number) }
  #else
    // Other systems have no such calls: every one fails.
    static func open(_ path: String) -> Int32 { -1 }
    static func openFolder(_ folder: Int32, _ name: FileName) -> Int32 { -1 }
    static func openFile(_ folder: Int32, _ name: FileName) -> Int32 { -1 }
    static func create(_ folder: Int32, _ name: FileName) -> Int32 { -1 }
    static func close(_ descriptor: Int32) {}
    static func names(closing descriptor: Int32) -> (names: [FileName], failure: Int32) { ([], 1) }
    static func status(_ folder: Int32, _ name: FileName) -> (FileStatus, failure: Int32) { (FileStatus(), 1) }
    static func status(_ descriptor: Int32) -> (FileStatus, failure: Int32) { (FileStatus(), 1) }
    static func read(_ file: Int32, into bytes: inout Data, upTo count: Int) -> Int32 { 1 }
    static func write(_ bytes: Data, to file: Int32) -> Int32 { 1 }
    static func flush(_ descriptor: Int32) -> Int32 { 1 }
    static func rename(_ folder: Int32, _ name: FileName, to newName: FileName) -> Int32 { 1 }
    static func link(_ folder: Int32, _ name: FileName, _ other: Int32, _ newName: FileName) -> Int32 { 1 }
    static func remove(_ folder: Int32, _ name: FileName) -> Int32 { 1 }
    static func makeFolder(_ folder: Int32, _ name: FileName) -> Int32 { 1 }
    static func copyAttributes(of status: FileStatus, to file: Int32) -> Int32 { 1 }
    static func lock(_ file: Int32) -> Bool { false }
    static let notFound: Int32 = 2
    static let exists: Int32 = 17
    static let notAFile: Int32 = 21
    static let isLink: Int32 = 40
    static func cannotLink(_ number: Int32) -> Bool { true }
    static func cannotFlush(_ number: Int32) -> Bool { true }
  #endif
}

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
  extension FileStatus {
    fileprivate init(_ info: stat) {
      self.init()
      switch info.st_mode & S_IFMT {
      case S_IFREG: kind = .file
      case S_IFDIR: kind = .folder
      case S_IFLNK: kind = .link
      default: kind = .other
      }
      byteCount = Int(info.st_size)
      #if canImport(Darwin)
        let time = info.st_mtimespec
      #else
        let time = info.st_mtim
      #endif
      modified = Moment(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
      identity = Identity(device: UInt64(truncatingIfNeeded: info.st_dev), number: UInt64(info.st_ino))
      permissions = UInt32(info.st_mode) & 0o7777
      owner = info.st_uid
      group = info.st_gid
      nameCount = Int(truncatingIfNeeded: info.st_nlink)
    }
  }
#endif

/// The stack of the thread that asks.
enum ThreadStack {
  /// An address in the frame of whoever asks.
  @inline(__always)
  static var here: UInt {
    var marker: UInt8 = 0
    return unsafe withUnsafePointer(to: &marker) { UInt(bitPattern: $0) }
  }

  /// Where it lies; nil where the system does not tell.
  static func bounds() -> Range<UInt>? {
    #if canImport(Darwin)
      let top = UInt(bitPattern: unsafe pthread_get_stackaddr_np(pthread_self()))
      let size = UInt(bitPattern: pthread_get_stacksize_np(pthread_self()))
      return size < top ? top - size..<top : nil
    #elseif canImport(Glibc) || canImport(Musl)
      var attributes = pthread_attr_t()
      guard unsafe getAttributes(pthread_self(), &attributes) == 0 else { return nil }
      defer { _ = unsafe pthread_attr_destroy(&attributes) }
      var lowest: UnsafeMutableRawPointer?
      var size = 0
      guard unsafe pthread_attr_getstack(&attributes, &lowest, &size) == 0, size > 0 else { return nil }
      let (top, overflow) = UInt(bitPattern: lowest).addingReportingOverflow(UInt(size))
      return overflow ? nil : UInt(bitPattern: lowest)..<top
    #else
      return nil
    #endif
  }

  #if canImport(Glibc) || canImport(Musl)
    // Both C libraries have it, and show it only to programs that ask for GNU extensions, which Swift's imports do not.
    @_silgen_name("pthread_getattr_np")
    private static func getAttributes(_ thread: pthread_t, _ attributes: UnsafeMutablePointer<pthread_attr_t>) -> CInt
  #endif
}
