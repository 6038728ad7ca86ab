// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

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
//   more; what it guards is allocated and destroyed with it, and touched between locking and unlocking only.

/// Something that one thread at a time may touch.
///
/// It is a mutex of the threads library and not of Swift's, for the thread sanitizer sees on Linux what the former guards
/// and takes what the latter guards for races.
@safe final class Locked<State: Sendable>: @unchecked Sendable {  // guarded by `mutex`
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

/// How those who wait for a lock of another process spend the time.
enum Pause {
  static func sleep(microseconds: UInt32) {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
      usleep(microseconds)
    #endif
  }
}
