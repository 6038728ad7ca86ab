// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
  import Dispatch

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
    private static let allEnded = DispatchSemaphore(value: 0)
    /// A disk that does not answer keeps a process from ending for this time only.
    private static let patience = DispatchTimeInterval.seconds(10)

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
        if state.isEnding, state.count == 0 { allEnded.signal() }
        return state.isEnding
      }
      // An error of the change must not be reported.
      if isEnding { waitForEnd() }
    }

    private static func waitForEnd() {
      while true { EndingSignals.wait() }
    }

    private static func waitForAll() {
      let count = state.withLock { state in
        state.isEnding = true
        return state.count
      }
      if count > 0 { _ = allEnded.wait(timeout: .now() + patience) }
    }
  }
#else
  /// Changes on systems that end processes without notice.
  enum RunningChanges {
    static var isEnding: Bool { false }

    static func perform<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result { try body() }
  }
#endif
