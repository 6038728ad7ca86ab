// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

extension FileStore {
  /// The time at which a change is durable.
  public enum Durability: Sendable, Hashable {
    /// When the call returns. The change survives a crash of the program and a loss of power.
    case synced
    /// When the call returns. The change survives a crash of the program, but a loss of power can undo the last
    /// changes.
    ///
    /// The store flushes the file, so that a loss of power leaves an earlier state of it and no empty file. It does not
    /// flush the folder, which makes a change cheaper than with ``synced``.
    case written
    /// After the given time, or after ``DefaultsStore/flush()``. Until then the change is in the memory of this
    /// process.
    ///
    /// This is by far the fastest, because the store writes many changes at once. It also writes them when it is
    /// released, and when the process ends (``FileStore/Options/flushesAtExit``). If the process is killed or crashes,
    /// the changes of the given time before that can be lost, and those that were just being written. The store reports
    /// a failed write and tries again. A transaction sees the values in memory, so counters of several processes can lose
    /// changes.
    case deferred(Duration)
  }

  /// The options of a file store.
  public struct Options: Sendable {
    /// The time at which a change is durable.
    public var durability: Durability = .synced
    /// The format to write. If it is nil, the store keeps the format of the file, and new files are binary.
    public var format: PropertyList.Format?
    /// The interval at which the store checks for changes by other processes, at least 10 ms. If it is nil, the store
    /// checks only when it writes or refreshes.
    ///
    /// A check takes two system calls and works with all file systems, also over a network. On a local disk of Linux, the
    /// system notifies the store of changes at once, and it checks only once a second or less often.
    public var watching: Duration? = .milliseconds(250)
    /// The maximum time that a change waits for the lock.
    public var patience: Duration = .seconds(10)
    /// The limits on the file. The default maximum size is 256 MiB.
    ///
    /// A change that would make the file exceed a limit fails. A deferred change can also exceed one later: another process
    /// has written values, or all values together repeat texts and data too often (`maximumExpansion`). The store then
    /// reports that it cannot write its changes, and writes them as soon as fewer values are left.
    ///
    /// A store neither reads nor replaces a file that exceeds a limit: it can be intact, written with higher limits.
    public var limits = ReadLimits(maximumByteCount: 1 << 28)
    /// Whether the store writes deferred changes when the process ends. The process ends when `main` returns, a thread
    /// calls `exit`, or the signal `SIGTERM` arrives.
    ///
    /// The first such store installs an action for the signal if the program has not installed one. The action writes the
    /// changes and then ends the process by the signal, as without the action; a second signal ends it at once. If the
    /// program installs an action later, that one replaces it and should call ``DefaultsStore/flush()``. The end of the
    /// process waits at most two seconds for a thread that changes the store. It waits at most for the time of
    /// ``patience`` for other processes that change the file.
    public var flushesAtExit = true
    /// Whether a write keeps the replaced file as `.NAME.last` in the same folder. ``FileStore/repair()`` uses it.
    ///
    /// The kept file has the values that the write changed or removed until the next write. Disks without hard
    /// links keep a copy, so each write reads and writes the old content again.
    public var keepsLastState = true
    /// A function for errors of functions that do not throw.
    ///
    /// The store calls it without a lock, so it can use the store, for example to repair a damaged file. If code inside of
    /// a transaction causes the error, for example by reading a value that cannot be decoded, the function can only read.
    public var reports: @Sendable (DefaultsError) -> Void = DefaultsReports.standardError
    package var fault: (@Sendable (FileCall) -> Int32)?

    /// Creates the default options.
    public init() {}
  }
}
