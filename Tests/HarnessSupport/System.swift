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
// - arrays of C strings end with nil, are copies made by `strdup`, and are freed after the call;
// - what a thread is to do is retained until the thread has taken it, and the thread is waited for before its stack is
//   released;
// - buffers are handed to the system with their own length, for one call;
// - an entry that `readdir` returns is read before the next call on the same stream, and its name ends with a zero.

/// A process that was started to be worked with, and perhaps killed: of this program, unless another one is named.
///
/// `Process` would do as well; but it takes more time to start one than a round may last.
package final class Child {
  let id: pid_t
  package let pipe: Int32
  private var unread: [UInt8] = []
  package private(set) var isAtEnd = false
  /// Processor time that the process took, in seconds, once it has ended.
  package private(set) var processorTime = 0.0
  /// The most memory that the process had, in kilobytes, once it has ended.
  package private(set) var peakKilobytes = 0

  /// Starts a process, of another program if its path is given. The errors of that one are read like its output. Its
  /// standard input is that of this process unless the path of a file is given.
  package init(_ arguments: [String], of other: String? = nil, input: String? = nil) throws {
    var ends: [Int32] = [-1, -1]
    guard Self.pipe(&ends) == 0 else { throw Breach("no pipe: error \(errno)") }
    defer { _ = close(ends[1]) }
    #if os(Linux)
      var actions = unsafe posix_spawn_file_actions_t()
      let program = other ?? "/proc/self/exe"
    #else
      var actions: posix_spawn_file_actions_t? = nil
      let program = other ?? CommandLine.arguments[0]
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    if other != nil { unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 2) }
    if let input { unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0) }
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // The threads of Dispatch block signals, and a process inherits this from the thread that starts it.
    #if os(Linux)
      var attributes = posix_spawnattr_t()
    #else
      var attributes: posix_spawnattr_t? = nil
    #endif
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    // A shell without a terminal ignores interrupts of its background processes, which inherit this too.
    for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    var id: pid_t = 0
    let failure = unsafe Self.withStrings([program] + arguments) { argv in
      unsafe Self.withStrings(environment) { unsafe posix_spawn(&id, program, &actions, &attributes, argv, $0) }
    }
    guard failure == 0 else {
      close(ends[0])
      throw Breach("cannot start a process: error \(failure)")
    }
    self.id = id
    pipe = ends[0]
  }

  deinit { _ = close(pipe) }

  private static func pipe(_ ends: inout [Int32]) -> Int32 {
    let result = unsafe ends.withUnsafeMutableBufferPointer { buffer in
      #if canImport(Darwin)
        unsafe Darwin.pipe(buffer.baseAddress)
      #elseif canImport(Glibc)
        unsafe Glibc.pipe(buffer.baseAddress)
      #else
        unsafe Musl.pipe(buffer.baseAddress)
      #endif
    }
    // Other children must not hold the end that this one writes to.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return result
  }

  private static func withStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var copies = unsafe strings.map { unsafe strdup($0) }
    unsafe copies.append(nil)
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe copies.withUnsafeMutableBufferPointer { unsafe $0.baseAddress.map(body) ?? EINVAL }
  }

  /// The next line; nil at the end of all lines.
  package func line(timeout seconds: Int = 60) throws -> String? {
    while true {
      if let line = nextLine() { return line }
      guard !isAtEnd else { return nil }
      guard System.wait(for: [pipe], milliseconds: seconds * 1000) else {
        throw Breach("a process said nothing for \(seconds) s")
      }
      readSome()
    }
  }

  /// Calls `body` with each line to the last one. Kills the process if a line takes longer than the time limit.
  package func lines(timeout seconds: Int, _ body: (String) -> Void) throws {
    do {
      while let line = try line(timeout: seconds) { body(line) }
    } catch {
      kill()
      throw error
    }
  }

  /// The next of the lines that were read already.
  package func nextLine() -> String? {
    guard let end = unread.firstIndex(of: 0x0A) else { return nil }
    defer { unread.removeFirst(end + 1) }
    return String(decoding: unread[..<end], as: UTF8.self)
  }

  /// Takes what is there, waiting until there is something.
  package func readSome() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(pipe, $0.baseAddress, $0.count) }
    if count > 0 { unread += buffer[..<count] }
    if count == 0 { isAtEnd = true }
  }

  /// Reads all that there is, and forgets it.
  package func drain() {
    while !isAtEnd {
      readSome()
      unread.removeAll(keepingCapacity: true)
    }
  }

  package func kill() { send(SIGKILL) }

  /// Asks the process to end.
  package func terminate() { send(SIGTERM) }

  /// Sends the process a signal.
  package func send(_ signal: Int32) {
    #if canImport(Darwin)
      _ = Darwin.kill(id, signal)
    #elseif canImport(Glibc)
      _ = Glibc.kill(id, signal)
    #else
      _ = Musl.kill(id, signal)
    #endif
  }

  /// Waits for its end. Returns the exit code, or the number of the signal with a minus sign.
  package func end() -> Int32 {
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
    #if canImport(Darwin)
      peakKilobytes = usage.ru_maxrss / 1024
    #else
      peakKilobytes = usage.ru_maxrss
    #endif
    processorTime = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}

/// Calls of the system.
package enum System {
  /// Writes a line to the standard output, at once and whole.
  package static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
    // Whoever listened is gone.
    if count != bytes.count { exit(3) }
  }

  /// Waits until there is something to read in one of the pipes; false if there is nothing in that time.
  package static func wait(for pipes: [Int32], milliseconds: Int) -> Bool {
    var entries = pipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = unsafe entries.withUnsafeMutableBufferPointer {
      unsafe poll($0.baseAddress, numericCast($0.count), Int32(milliseconds))
    }
    return count > 0
  }

  package static func end(_ code: Int32) -> Never { exit(code) }

  /// Installs an action for `SIGTERM` that ends the process at once with a code.
  package static func endOnTermination() { _ = signal(SIGTERM) { _ in _exit(9) } }

  /// Ignores `SIGTERM`.
  package static func ignoreTermination() { _ = signal(SIGTERM, SIG_IGN) }

  /// Processor time that this process took, in seconds: neighbours on the machine disturb it less than the time on the
  /// wall.
  package static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

  /// The processor time of this process and of all processes that it started and that have ended, in seconds.
  package static func processorTimeWithChildren() -> Double {
    var times = tms()
    Self.times(&times)
    let ticks = times.tms_utime + times.tms_stime + times.tms_cutime + times.tms_cstime
    return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func times(_ times: inout tms) {
    #if canImport(Darwin)
      _ = unsafe Darwin.times(&times)
    #elseif canImport(Glibc)
      _ = unsafe Glibc.times(&times)
    #else
      _ = unsafe Musl.times(&times)
    #endif
  }

  /// Processor time that the calling thread took, in seconds: other threads of the process do not count.
  package static func threadTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The processor time that the calling thread takes for `body`, which must do its work on this thread. The neighbours of
  /// a test do not change it, unlike the time on the wall.
  package static func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Duration {
    let start = threadTime()
    try body()
    return .seconds(threadTime() - start)
  }

  /// The least of several times that ``threadTime()`` measures for `body`, in seconds.
  package static func leastTime<Failure: Error>(
    of count: Int = 2, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Double {
    var least = Double.infinity
    for _ in 0..<count {
      let start = threadTime()
      try body()
      least = min(least, threadTime() - start)
    }
    return least
  }

  package static func sleep(microseconds: Int) { usleep(UInt32(microseconds)) }

  /// Calls `visit` with each name in a folder, as the system gives it; with none, the names are only counted.
  package static func names(in folder: String, _ visit: ((String) -> Void)? = nil) throws -> Int {
    guard let stream = unsafe opendir(folder) else { throw Breach("cannot open \(folder)") }
    defer { _ = unsafe closedir(stream) }
    var count = 0
    while let entry = unsafe readdir(stream) {
      count += 1
      guard let visit else { continue }
      let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
      visit(unsafe String(cString: name))
    }
    return count
  }

  private static let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
}

/// What a thread is to do.
private final class ThreadWork {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

extension System {
  /// Does something on a thread whose stack has so many bytes, and waits for it.
  ///
  /// The stack is memory of its own: glibc gives a thread the stack of one that ended if it has up to four times the
  /// requested size. The size must be a multiple of the size of a page.
  package static func onThread(stackBytes: Int, _ body: @escaping () -> Void) throws {
    let page = Int(getpagesize())
    let memory = unsafe mmap(
      nil, page + stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let memory = unsafe memory, Int(bitPattern: memory) != -1 else {
      throw Breach("no stack of \(stackBytes) bytes: error \(errno)")
    }
    defer { unsafe munmap(memory, page + stackBytes) }
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    // An overflow ends the process instead of changing other memory.
    guard unsafe mprotect(memory, page, PROT_NONE) == 0,
      unsafe pthread_attr_setstack(&attributes, memory + page, stackBytes) == 0
    else { throw Breach("no stack of \(stackBytes) bytes") }
    let work = unsafe Unmanaged.passRetained(ThreadWork(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let failure = unsafe pthread_create(&thread, &attributes, { unsafe System.work($0) }, work)
      guard failure == 0, let thread else { throw Breach("no thread: error \(failure)") }
    #else
      var thread = pthread_t()
      let failure = unsafe pthread_create(&thread, &attributes, { unsafe $0.flatMap { unsafe System.work($0) } }, work)
      guard failure == 0 else { throw Breach("no thread: error \(failure)") }
    #endif
    pthread_join(thread, nil)
  }

  /// Does something on several threads at once, each of which knows its number, and waits for all.
  package static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
    var threads: [pthread_t] = []
    defer { for thread in threads { pthread_join(thread, nil) } }
    for number in 0..<count {
      let work = unsafe Unmanaged.passRetained(ThreadWork { body(number) }).toOpaque()
      #if canImport(Darwin)
        var thread: pthread_t?
        let failure = unsafe pthread_create(&thread, nil, { unsafe System.work($0) }, work)
        guard failure == 0, let thread else { throw Breach("no thread: error \(failure)") }
      #else
        var thread = pthread_t()
        let failure = unsafe pthread_create(&thread, nil, { unsafe $0.flatMap { unsafe System.work($0) } }, work)
        guard failure == 0 else { throw Breach("no thread: error \(failure)") }
      #endif
      threads.append(thread)
    }
  }

  private static func work(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe Unmanaged<ThreadWork>.fromOpaque(pointer).takeRetainedValue().body()
    return nil
  }
}
