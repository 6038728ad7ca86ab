// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

/// A lock for writers that detects a second lock inside of a change, without a threads library.
///
/// Stores use it on systems such as Windows, Android and Wasm. It is compiled on all systems, because tests run on others.
/// Not every compiler knows how these systems number threads. So the changes around the running code are in a value of its
/// task. A task that is started inside of a change has a copy, and is refused until this change is over.
final class PolledLock: Sendable {
  /// A change that has the lock.
  private final class Change: Sendable {
    let lock: PolledLock
    let isOver = Locked(false)

    init(_ lock: PolledLock) { self.lock = lock }
  }

  @TaskLocal private static var changes: [Change] = []
  private let isTaken = Locked(false)

  /// Waits for the lock, and returns `false` if the running code is part of a change that has it.
  func enter() -> Bool {
    while !enterIfIdle() {
      if Self.changes.contains(where: { $0.lock === self && !$0.isOver.withLock { $0 } }) { return false }
      SystemThread.pause(microseconds: 100)
    }
    return true
  }

  /// Takes the lock without waiting, and returns `false` if it is taken.
  func enterIfIdle() -> Bool {
    isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }

  /// Runs the code of a change. The caller has taken the lock.
  func change<Result>(_ body: () throws -> Result) rethrows -> Result {
    let change = Change(self)
    defer { change.isOver.withLock { $0 = true } }
    return try Self.$changes.withValue(Self.changes + [change], operation: body)
  }

  func leave() { isTaken.withLock { $0 = false } }
}
