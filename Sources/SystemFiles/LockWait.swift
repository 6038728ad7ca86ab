// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The wait for a lock that another process or thread may have.
///
/// It attempts to take the lock again and again. A call that waits in the system has no time limit, and would wait forever
/// for a stopped process.
package enum LockWait {
  /// Attempts to take a lock until it succeeds or the time is over. The pauses between attempts last at most 1 ms.
  /// - Parameters:
  ///   - patience: The time limit. At least one attempt is made.
  ///   - attempt: Returns the lock; nil if another process or thread has it.
  /// - Returns: The lock; nil if it was not available in time.
  /// - Throws: The errors of `attempt`, which end the wait.
  package static func take<Lock, Failure>(
    within patience: Duration, _ attempt: () throws(Failure) -> Lock?
  ) throws(Failure) -> Lock? {
    var deadline: ContinuousClock.Instant?
    var pause: UInt32 = 50
    while true {
      if let lock = try attempt() { return lock }
      let now = ContinuousClock.now
      // A caller of the package chose the time, and the sum must not overflow.
      let end = deadline ?? now + min(patience, .seconds(365 * 86_400))
      deadline = end
      guard now < end else { return nil }
      SystemThread.pause(microseconds: pause)
      pause = min(1000, pause * 2)
    }
  }
}
