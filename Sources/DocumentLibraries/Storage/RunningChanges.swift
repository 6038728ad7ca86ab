// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

/// The changes of libraries that a signal such as that of Ctrl-C must not cut in two.
///
/// A change removes its files in the work folder when it ends, also with an error. A process that is asked to end therefore
/// waits for its running changes, and begins no new ones. A change that writes much ends with an error at the next piece.
enum RunningChanges {
  private struct State: Sendable {
    var count = 0
    var isInstalled = false
    var isEnding = false
  }

  private static let state = Locked(State())
  /// A disk that does not answer keeps a process from ending for this time only.
  private static let patience = Duration.seconds(10)

  /// Whether the process is about to end.
  static var isEnding: Bool { state.withLock { $0.isEnding } }

  /// Performs a change. If the process is about to end, the call does not return.
  ///
  /// Changes must not be nested. Only programs that called ``TemporaryFiles/removeAtSignals()`` wait at signals.
  static func perform<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
    guard TemporaryFiles.isRemovingAtSignals else { return try body() }
    begin()
    defer { end() }
    return try body()
  }

  private static func begin() {
    let (isNew, mayBegin) = state.withLock { state in
      defer { state.isInstalled = true }
      if !state.isEnding { state.count += 1 }
      return (!state.isInstalled, !state.isEnding)
    }
    if isNew { EndingSignals.add(EndingSignals.all) { waitForAll() } }
    if !mayBegin { waitForEnd() }
  }

  private static func end() {
    let isEnding = state.withLock { state in
      state.count -= 1
      return state.isEnding
    }
    // An error of the change must not be reported.
    if isEnding { waitForEnd() }
  }

  private static func waitForEnd() {
    while true { EndingSignals.wait() }
  }

  private static func waitForAll() {
    state.withLock { $0.isEnding = true }
    _ = LockWait.take(within: patience) { state.withLock { $0.count == 0 ? () : nil } }
  }
}
