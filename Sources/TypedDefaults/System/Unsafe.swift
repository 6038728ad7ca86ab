// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(Darwin)
  import Darwin
  import Dispatch
#elseif canImport(Glibc)
  import Dispatch
  import Glibc
#elseif canImport(Musl)
  import Dispatch
  import Musl
#endif
import SystemFiles

// The only file of this module with `unsafe` code. Its safety depends on these facts:
// - a mutex is allocated once, initialized before it is shared, never moved, and destroyed after its last use;
// - the action for a signal makes no call but `write`, which is safe in signal handlers, and restores `errno`;
// - the two numbers that `pipe` writes are in an array of two;
// - a dispatch source can be used by several threads, though its type is not marked as `Sendable`.

/// A lock for writers that detects a second lock by the same thread.
@safe final class WriterLock: @unchecked Sendable {  // it holds nothing but `mutex`
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

    /// Waits for the lock, and returns `false` if this thread has it already.
    func enter() -> Bool { unsafe pthread_mutex_lock(mutex) == 0 }

    /// Takes the lock without waiting, and returns `false` if a thread has it.
    func enterIfIdle() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }

    func leave() { unsafe pthread_mutex_unlock(mutex) }
  #else
    private let mutex = Locked(false)

    /// Takes the lock, and returns `false` if the only thread has it already.
    func enter() -> Bool {
      mutex.withLock { isInside in
        defer { isInside = true }
        return !isInside
      }
    }

    /// Takes the lock without waiting, and returns `false` if a thread has it.
    func enterIfIdle() -> Bool { enter() }

    func leave() { mutex.withLock { $0 = false } }
  #endif
}

/// A pause between attempts to take the lock of another process.
enum Pause {
  static func sleep(microseconds: UInt32) {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
      usleep(microseconds)
    #endif
  }
}

/// The end of this process, by `exit` or by the signal that asks it to end.
enum ProcessEnd {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    private static let function = Locked<@Sendable () -> Void>({})

    /// The ends of a pipe that wakes the thread that calls the function; nil if the system provides none.
    private static let pipeEnds: (reading: Int32, writing: Int32)? = {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { return nil }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
      return (ends[0], ends[1])
    }()

    /// Waits for the signal. It lives as long as the process.
    nonisolated(unsafe) private static let source: (any DispatchSourceRead)? = pipeEnds.map { ends in
      let source = DispatchSource.makeReadSource(
        fileDescriptor: ends.reading, queue: DispatchQueue(label: "TypedDefaults.ProcessEnd"))
      source.setEventHandler {
        callFunction()
        _ = signal(SIGTERM, SIG_DFL)
        _ = kill(getpid(), SIGTERM)
      }
      source.activate()
      return source
    }

    private static func callFunction() { function.withLock { $0 }() }

    /// Calls a function when the process ends. Only one call of this function has an effect.
    static func install(_ body: @escaping @Sendable () -> Void) {
      function.withLock { $0 = body }
      _ = atexit { ProcessEnd.callFunction() }
      guard unsafe source != nil, isDefault else { return }
      _ = signal(SIGTERM) { _ in
        let error = errno
        // A second signal ends the process at once.
        _ = signal(SIGTERM, SIG_DFL)
        if let ends = ProcessEnd.pipeEnds {
          var byte: UInt8 = 0
          _ = unsafe write(ends.writing, &byte, 1)
        }
        errno = error
      }
    }

    /// Whether the system's own action for the signal is set.
    private static var isDefault: Bool {
      var action = sigaction()
      unsafe sigaction(SIGTERM, nil, &action)
      #if canImport(Darwin)
        return unsafe action.__sigaction_u.__sa_handler == nil
      #elseif canImport(Glibc)
        return unsafe action.__sigaction_handler.sa_handler == nil
      #else
        return unsafe action.__sa_handler.sa_handler == nil
      #endif
    }
  #else
    /// Does nothing: the only system without these calls ends processes without notice.
    static func install(_ body: @escaping @Sendable () -> Void) {}
  #endif
}
