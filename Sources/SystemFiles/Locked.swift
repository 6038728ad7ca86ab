// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The package's locks, which are used like `Synchronization.Mutex`. That type is newer than the oldest supported systems of
// Apple's, so on all of Apple's systems both locks use the threads library. With `OLD_SYSTEMS`, they do so everywhere.

#if canImport(Darwin) || OLD_SYSTEMS
  /// A value that one thread at a time can access.
  ///
  /// A thread that has the lock must not take it again.
  package typealias Locked = ContendedLocked
#else
  public import Synchronization

  /// A value that one thread at a time can access, stored inline.
  ///
  /// A thread that has the lock must not take it again.
  @usableFromInline
  package struct Locked<Value: Sendable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>

    /// Creates a lock.
    /// - Parameter value: The value that it guards.
    @inlinable
    package init(_ value: consuming Value) { mutex = Mutex(value) }

    /// Waits for the lock and calls `body` with the value.
    @inlinable @inline(__always)
    package borrowing func withLock<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try mutex.withLock { (value) throws(Failure) in Returned(result: try body(&value)) }.result
    }

    /// A result that leaves the lock. It shares no unprotected state with the value, because the value is `Sendable`.
    @usableFromInline struct Returned<Result>: @unchecked Sendable {
      @usableFromInline let result: Result

      @inlinable
      init(result: Result) { self.result = result }
    }
  }

  #if !canImport(Glibc) && !canImport(Musl)
    /// The lock for a value that many threads access.
    package typealias ContendedLocked = Locked
  #endif
#endif
