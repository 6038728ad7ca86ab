// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(Darwin)
  import Darwin
  package import Foundation
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import SystemFiles

// The only file of this module with `unsafe` code. It is safe because of these facts:
// - A mutex is allocated once, initialized before it is shared, never moved, and destroyed after its last use.
// - The type encoding of an `NSNumber` is a null-terminated string that lives as long as the number.
// - The running task is hashed while it runs, and no reference to it is kept.

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
  /// A lock for writers that detects a second lock by the same thread.
  @safe final class WriterLock: @unchecked Sendable {  // it holds nothing but `mutex`
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

    /// Runs the code of a change. The caller has taken the lock.
    @inline(__always)
    func change<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

    func leave() { unsafe pthread_mutex_unlock(mutex) }
  }
#else
  /// The lock of systems whose threads library the package does not import.
  typealias WriterLock = PolledLock
#endif

/// The identity of the running task. A later task can have the same one.
struct CurrentTask: Equatable, Sendable {
  private let number: Int

  /// Creates the identity, or returns nil outside of a task.
  init?() {
    guard let number = unsafe withUnsafeCurrentTask(body: { unsafe $0?.hashValue }) else { return nil }
    self.number = number
  }
}

/// The end of this process, by `exit` or by the signal that asks it to end.
enum ProcessEnd {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    // A C function has no context.
    private static let function = Locked<@Sendable () -> Void>({})

    /// Calls a function when the process ends. Only one call of this function has an effect.
    static func install(_ body: @escaping @Sendable () -> Void) {
      function.withLock { $0 = body }
      _ = atexit { ProcessEnd.function.withLock { $0 }() }
      EndingSignals.add(EndingSignals.termination, body)
    }
  #else
    /// Does nothing: the only system without these calls ends processes without notice.
    static func install(_ body: @escaping @Sendable () -> Void) {}
  #endif
}

#if canImport(Darwin)
  /// Defaults that several threads can use. `UserDefaults` is thread-safe, but not marked as `Sendable`.
  package final class SharedDefaults: @unchecked Sendable {  // guarded by `lock`
    /// A recursive lock, because observers of a change can read during the change.
    private let lock = NSRecursiveLock()
    private let defaults: UserDefaults

    package init(_ defaults: UserDefaults) { self.defaults = defaults }

    package func withLock<Result>(_ body: (any UserDefaultsCalls) throws -> Result) rethrows -> Result {
      try lock.withLock { try body(defaults) }
    }
  }

  /// An observer of the system's change notifications. Releasing it ends the observation.
  final class Announcements: @unchecked Sendable {  // it holds nothing but `token`, which never changes
    private let token: any NSObjectProtocol

    init(_ body: @escaping @Sendable () -> Void) {
      token = NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification, object: nil, queue: nil
      ) { _ in body() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
  }

  extension NSNumber {
    /// The type encoding of the number.
    package var kind: Character { Character(UnicodeScalar(UInt8(bitPattern: unsafe objCType.pointee))) }
  }
#endif
